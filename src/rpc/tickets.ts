import type { Connection } from './connection.js';
import type { Answer } from './messages.js';

/** So many answers that nobody waited for are kept; past that the oldest is dropped. */
export const KEPT_ANSWERS = 1_024;

/** A request sent by hand. Only the desk that issued it can give its answer. */
export interface Ticket {
  readonly id: number;
}

/**
 * Why there is no answer to wait for. `spent`: it was given before, or dropped because too many were kept. `taken`: another
 * wait for this ticket is under way. `foreign`: the ticket is of another desk.
 */
export type Refusal = 'spent' | 'taken' | 'foreign';

type Tell = (answer: Answer) => void;

/** What is handed out as the ticket. What it is worth is seen by this file alone, and nobody else can make one. */
class Claim implements Ticket {
  readonly id: number;
  readonly #desk: TicketDesk;
  #owed = true;
  /** Arrived, and not given yet. */
  #answer: Answer | undefined;
  /** Of the wait under way. */
  #tell: Tell | undefined;

  constructor(desk: TicketDesk, send: (onAnswer: Tell) => number) {
    this.#desk = desk;
    this.id = send((answer) => this.#arrived(answer));
  }

  static of(desk: TicketDesk, ticket: Ticket): Claim | undefined {
    return #desk in ticket && ticket.#desk === desk ? ticket : undefined;
  }

  /** The answer is told once, at once where it is there. Gives the function that gives up the wait. */
  wait(tell: Tell): Refusal | (() => void) {
    if (this.#tell !== undefined) return 'taken';
    if (this.#owed) {
      this.#tell = tell;
      return () => {
        if (this.#tell === tell) this.#tell = undefined;
      };
    }
    const answer = this.#answer;
    this.drop();
    if (answer === undefined) return 'spent';
    tell(answer);
    return () => {};
  }

  drop(): void {
    this.#answer = undefined;
    this.#desk.forget(this);
  }

  #arrived(answer: Answer): void {
    this.#owed = false;
    const tell = this.#tell;
    this.#tell = undefined;
    if (tell !== undefined) return tell(answer);
    this.#answer = answer;
    // That the connection ended holds no memory, and must not push out what the agent said.
    if (answer.kind !== 'closed') this.#desk.keep(this);
  }
}

/** Sending and awaiting as two operations: giving up a wait gives up neither the id nor the answer. */
export class TicketDesk {
  readonly #connection: Pick<Connection, 'request'>;
  readonly #kept = new Set<Claim>();

  constructor(connection: Pick<Connection, 'request'>) {
    this.#connection = connection;
  }

  /** Throws `BadArgument`. `sent` is that of `Connection.request`. */
  send(method: string, params: unknown): { ticket: Ticket; sent: Promise<boolean> } {
    let sent!: Promise<boolean>;
    const ticket = new Claim(this, (onAnswer) => {
      const request = this.#connection.request(method, params, onAnswer);
      sent = request.sent;
      return request.id;
    });
    return { ticket, sent };
  }

  /**
   * The answer, told once: when it comes, or within this call if it was kept. Gives the function that gives up the wait, after
   * which there can be another; or why there is nothing to wait for.
   */
  wait(ticket: Ticket, tell: Tell): Refusal | (() => void) {
    return Claim.of(this, ticket)?.wait(tell) ?? 'foreign';
  }

  /** Of a claim of this desk: its answer waits to be asked for. */
  keep(claim: Claim): void {
    this.#kept.add(claim);
    if (this.#kept.size <= KEPT_ANSWERS) return;
    for (const oldest of this.#kept) return oldest.drop();
  }

  forget(claim: Claim): void {
    this.#kept.delete(claim);
  }
}
