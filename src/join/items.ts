/** Cancelling one item of a session by itself (v2): only where the item says that the client may. */
import { ask, type CallOptions } from './calls.js';
import type { Link } from './link.js';
import type { Seat } from './seat.js';

/**
 * Resolves when the agent has accepted it, which does not mean that the work has stopped: an update of the item says so. The
 * turn goes on.
 */
export async function cancelItem(
  link: Link,
  seat: Seat,
  what: 'toolCall' | 'terminal',
  id: string,
  options: CallOptions | undefined,
): Promise<void> {
  const sessionId = seat.id ?? '';
  const phase = 'request';
  if (seat.over) throw link.error({ kind: 'closed', phase, sessionId, reason: 'closed' });
  const item = what === 'toolCall' ? seat.tools.get(id) : seat.terminals.get(id);
  if (!item) throw link.error({ kind: 'invalid-argument', phase, sessionId, argument: `${what}Id` });
  const { dialect, missing } = link;
  const call = what === 'toolCall' ? dialect.cancelToolCall(sessionId, id) : dialect.cancelTerminal(sessionId, id);
  if (!item.cancellable || missing.has(call.method)) {
    throw link.error({ kind: 'capability-absent', phase, sessionId, capability: `${what}.capabilities.cancel` });
  }
  await ask(link, call, { phase, options, sessionId, read: () => true });
}
