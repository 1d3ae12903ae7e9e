import type { Connection } from './connection.js';
import type { Answer } from './messages.js';

/** So many answers that nobody waited for are kept; past that the oldest is dropped. */
export const KEPT_ANSWERS = 1_024;

/** A request sent by hand. Only the desk that issued it can give its answer. */
export interface Ticket {
  readonly id: number;
}

/**
 * What a wait ends with: the answer, or why there can be none.
 * `spent`: it was given before, or dropped because too many were kept. `taken`: another wait for this ticket is under
 * way. `foreign`: the ticket is of another desk.
 */
export type TicketAnswer = Answer | { kind: 'spent' } | { kind: 'taken' } | { kind: 'foreign' };

interface Claim {
  owed: boolean;
  /** Arrived, and not given yet. */
  answer: Answer | undefined;
  /** Ends the wait under way. */
  wake: ((answer: Answer) => void) | undefined;
}

/** Sending and awaiting as two operations: giving up a wait gives up neither the id nor the answer. */
export class TicketDesk {
  readonly #connection: Pick<Connection, 'request'>;
  readonly #claims = new WeakMap<Ticket, Claim>();
  readonly #kept = new Set<Claim>();

  constructor(connection: Pick<Connection, 'request'>) {
    this.#connection = connection;
  }

  /** Throws `BadArgument`. `sent` is that of `Connection.request`. */
  send(method: string, params: unknown): { ticket: Ticket; sent: Promise<boolean> } {
    const claim: Claim = { owed: true, answer: undefined, wake: undefined };
    const { id, sent } = this.#connection.request(method, params, (answer) => this.#arrived(claim, answer));
    const ticket: Ticket = Object.freeze({ id });
    this.#claims.set(ticket, claim);
    return { ticket, sent };
  }

  /** The answer, given once. Rejects with the reason of `signal` only, and can then be called again. */
  async wait(ticket: Ticket, signal?: AbortSignal): Promise<TicketAnswer> {
    signal?.throwIfAborted();
    const claim = this.#claims.get(ticket);
    if (claim === undefined) return { kind: 'foreign' };
    if (claim.wake !== undefined) return { kind: 'taken' };
    if (claim.owed) {
      const answer = await this.#arrival(claim, signal);
      if (answer !== undefined) return answer;
      signal?.throwIfAborted();
    }
    const { answer } = claim;
    this.#drop(claim);
    return answer ?? { kind: 'spent' };
  }

  /** The answer when it comes; undefined when `signal` fires before. */
  #arrival(claim: Claim, signal: AbortSignal | undefined): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const settle = (answer?: Answer): void => {
        signal?.removeEventListener('abort', abort);
        claim.wake = undefined;
        resolve(answer);
      };
      const abort = (): void => settle();
      claim.wake = settle;
      signal?.addEventListener('abort', abort);
    });
  }

  #arrived(claim: Claim, answer: Answer): void {
    claim.owed = false;
    if (claim.wake !== undefined) {
      claim.wake(answer);
      return;
    }
    claim.answer = answer;
    // That the connection ended holds no memory, and must not push out what the agent said.
    if (answer.kind === 'closed') return;
    this.#kept.add(claim);
    const [oldest] = this.#kept;
    if (this.#kept.size > KEPT_ANSWERS && oldest !== undefined) this.#drop(oldest);
  }

  #drop(claim: Claim): void {
    claim.answer = undefined;
    this.#kept.delete(claim);
  }
}
