/** Putting words into the turn that runs, where the agent advertises that it takes them. */
import { isObject } from '../wire/values.js';
import { ask, type CallOptions } from './calls.js';
import type { Link } from './link.js';
import type { Seat } from './seat.js';
import type { TurnRun } from './turnRun.js';

/** `unknown`: the agent gave no verdict that says so; the words may have been taken, and must not be taken for sent. */
export type SteerVerdict = 'delivered' | 'not-delivered' | 'unknown';

const INJECTED = 'injected';
/** Anything else, a bare success above all, says nothing: some agents answer any method with one. */
const VERDICTS: ReadonlyMap<unknown, SteerVerdict> = new Map([
  [INJECTED, 'delivered'],
  // A turn of the agent's own has taken them: it is none of ours.
  ['startedNewTurn', 'delivered'],
  ['promptRequired', 'not-delivered'],
  ['failed', 'not-delivered'],
]);
/** What refuses the request, as against what leaves it without an answer. */
const REFUSED: ReadonlySet<unknown> = new Set(['agent-error', 'auth-required', 'closed']);

export async function steer(
  link: Link,
  seat: Seat,
  run: TurnRun,
  blocks: readonly unknown[],
  options: CallOptions | undefined,
): Promise<SteerVerdict> {
  const sessionId = seat.id ?? '';
  const phase = 'turn';
  const call = link.dialect.steer(sessionId, blocks);
  if (!link.facts.steers || link.missing.has(call.method)) {
    throw link.error({ kind: 'capability-absent', phase, sessionId, capability: '_meta.steering' });
  }
  const turn = seat.turnActor?.getSnapshot();
  const runs = seat.run === run && turn?.hasTag('acceptsUpdates') === true && !turn.hasTag('cancelling');
  if (!runs) throw link.error({ kind: 'illegal-transition', phase, sessionId, state: seat.state });
  if (run.steering) throw link.error({ kind: 'busy', phase, sessionId, state: 'steering' });
  if (!link.ready) throw link.closedError(phase);
  if (options?.signal?.aborted) throw options.signal.reason as Error;
  run.steering = true;
  try {
    const outcome = await ask(link, call, { phase, options, sessionId, read: outcomeOf });
    if (outcome === INJECTED) run.renew();
    return VERDICTS.get(outcome) ?? 'unknown';
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    return REFUSED.has((error as { kind?: unknown }).kind) ? 'not-delivered' : 'unknown';
  } finally {
    run.steering = false;
  }
}

const outcomeOf = (result: unknown): unknown => (isObject(result) ? (result['outcome'] ?? '') : '');
