/** The sessions of one connection: by number for the charts, by id for the wire; and the ids that are closed. */
import { TerminalStore } from '../session/terminals.js';
import { ToolCallStore } from '../session/toolCalls.js';
import { Seat, type Opening } from './seat.js';

/** Ids of closed sessions that are still recognised; the oldest is forgotten first (rule 18). */
const CLOSED_IDS = 1_024;
/** Of one session; what is announced beyond stays unknown. */
const MOST_CHILDREN = 256;
/** What is remembered of one child, which is merged for itself. */
const CHILD_CALLS = { calls: 1_000, bytes: 4 * 1024 * 1024 };
const CHILD_TERMINALS = 4;

/** A session of ours; `childId`: really of a session that the agent announced as a child of it. */
export interface Owned {
  seat: Seat;
  childId?: string;
}

export class Seats {
  #next = 1;
  readonly #bySerial = new Map<number, Seat>();
  readonly #byId = new Map<string, Seat>();
  readonly #closed = new Set<string>();
  readonly #parentOf = new Map<string, Seat>();
  /** Found last: the next frame is nearly always of the same session, and comparing ids is cheaper than hashing one. */
  #found: { id: string; owned: Owned } | undefined;
  #late = 0;

  create(opening: Opening): Seat {
    const seat = new Seat(this.#next++, opening);
    this.#bySerial.set(seat.serial, seat);
    return seat;
  }

  bySerial(serial: number): Seat | undefined {
    return this.#bySerial.get(serial);
  }

  byId(id: string): Seat | undefined {
    return this.#byId.get(id);
  }

  /** A session by its id, or the one that announced this id as a child. */
  owned(id: string): Owned | undefined {
    if (id === this.#found?.id) return this.#found.owned;
    const seat = this.#byId.get(id);
    if (seat) return (this.#found = { id, owned: { seat } }).owned;
    const parent = this.#parentOf.get(id);
    return parent && { seat: parent, childId: id };
  }

  /**
   * `subagent_update`: the session has a child, whose traffic is the session's from now on, told apart by its id. No agent
   * takes an id away by announcing it: one that is a session's, was closed, or is a child already stays what it is. True:
   * the id was not known before.
   */
  announce(seat: Seat, childId: string): boolean {
    if (this.#byId.has(childId) || this.#closed.has(childId) || this.#parentOf.has(childId)) return false;
    if (seat.children.size >= MOST_CHILDREN) return false;
    seat.children.set(childId, {
      tools: new ToolCallStore(CHILD_CALLS),
      terminals: new TerminalStore(CHILD_TERMINALS),
    });
    this.#parentOf.set(childId, seat);
    return true;
  }

  /** From here on traffic of this id is traffic of this session. */
  register(id: string, seat: Seat): void {
    seat.id = id;
    this.#found = undefined;
    this.#closed.delete(id);
    this.#parentOf.get(id)?.children.delete(id);
    this.#parentOf.delete(id);
    this.#byId.set(id, seat);
  }

  wasClosed(id: string): boolean {
    return this.#closed.has(id);
  }

  /** The session is over. `known`: its id stays recognised as closed; else it is as if it had never been. */
  remove(seat: Seat, known: boolean): void {
    this.#bySerial.delete(seat.serial);
    this.#found = undefined;
    for (const childId of seat.children.keys()) {
      this.#parentOf.delete(childId);
      if (known) this.close(childId);
    }
    seat.end();
    if (seat.id === undefined || this.#byId.get(seat.id) !== seat) return;
    this.#byId.delete(seat.id);
    if (known) this.close(seat.id);
  }

  close(id: string): void {
    if (this.#byId.has(id)) return;
    this.#closed.delete(id);
    this.#closed.add(id);
    if (this.#closed.size <= CLOSED_IDS) return;
    for (const oldest of this.#closed) {
      this.#closed.delete(oldest);
      return;
    }
  }

  all(): Seat[] {
    return [...this.#bySerial.values()];
  }

  /** The only session that is open, if there is exactly one. */
  only(): Seat | undefined {
    if (this.#byId.size !== 1) return undefined;
    for (const seat of this.#byId.values()) return seat;
    return undefined;
  }

  /** Nobody waits for the opening any more, but its answer may still come and name an id. */
  abandon(by: 1 | -1): void {
    this.#late += by;
  }

  /** Is a request under way whose answer names an id that we do not know yet? */
  get expecting(): boolean {
    if (this.#late > 0) return true;
    for (const seat of this.#bySerial.values()) if (seat.id === undefined && seat.failure === undefined) return true;
    return false;
  }
}
