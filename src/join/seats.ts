/** The sessions of one connection: by number for the charts, by id for the wire; and the ids that are closed. */
import { Seat, type Opening } from './seat.js';

/** Ids of closed sessions that are still recognised; the oldest is forgotten first (rule 18). */
const CLOSED_IDS = 1_024;

export class Seats {
  #next = 1;
  readonly #bySerial = new Map<number, Seat>();
  readonly #byId = new Map<string, Seat>();
  readonly #closed = new Set<string>();
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

  /** From here on traffic of this id is traffic of this session. */
  register(id: string, seat: Seat): void {
    seat.id = id;
    this.#closed.delete(id);
    this.#byId.set(id, seat);
  }

  wasClosed(id: string): boolean {
    return this.#closed.has(id);
  }

  /** The session is over. `known`: its id stays recognised as closed; else it is as if it had never been. */
  remove(seat: Seat, known: boolean): void {
    this.#bySerial.delete(seat.serial);
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
