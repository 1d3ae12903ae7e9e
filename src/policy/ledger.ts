import { kept } from './kept.js';
import type { Decision, OptionKind } from './permission.js';

export const LEDGER_LIMIT = 1000;

const KNOWN_KINDS: ReadonlySet<OptionKind> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

const idOf = (id: number | string): number | string => (typeof id === 'string' ? kept(id) : id);

/** Every permission decision of an agent, append-only: the newest 1,000. */
export class Ledger {
  #entries: Decision[] = [];
  /** The list that was read last, while nothing came since. */
  #read: readonly Decision[] | undefined;

  /** In order of decision. A list that was read does not grow: read again. */
  get decisions(): readonly Decision[] {
    return (this.#read ??= Object.freeze(this.#entries.slice(-LEDGER_LIMIT)));
  }

  /** Takes a copy, with ids of an absurd length cut, and returns it: frozen, fit to be handed out. */
  add(decision: Decision): Decision {
    const entry = { ...decision, requestId: idOf(decision.requestId), sessionId: kept(decision.sessionId) };
    if (entry.childId !== undefined) entry.childId = kept(entry.childId);
    if (entry.toolCallId !== undefined) entry.toolCallId = kept(entry.toolCallId);
    if (entry.optionId !== undefined) entry.optionId = kept(entry.optionId);
    if (entry.optionKind !== undefined) entry.optionKind = kept(entry.optionKind);
    Object.freeze(entry);
    this.#read = undefined;
    this.#entries.push(entry);
    // Moving the rest up costs a pass over it: seldom enough that an entry is moved about once.
    if (this.#entries.length >= 2 * LEDGER_LIMIT) this.#entries = this.#entries.slice(-LEDGER_LIMIT);
    return entry;
  }
}

/**
 * Decisions as JSON lines, one object each: request, session, call, outcome, option, policy, cause, latency. Ids are in it; no
 * word of the agent's is: an option kind of its own reads `other`.
 */
export function decisionLines(decisions: readonly Decision[]): string {
  return decisions
    .map(({ requestId, sessionId, childId, toolCallId, outcome, optionId, optionKind, policy, cause, latencyMs }) => {
      const kind = optionKind === undefined || KNOWN_KINDS.has(optionKind) ? optionKind : 'other';
      const about = { requestId, sessionId, childId, toolCallId };
      return `${JSON.stringify({ ...about, outcome, optionId, optionKind: kind, policy, cause, latencyMs })}\n`;
    })
    .join('');
}
