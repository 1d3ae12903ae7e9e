/** Traffic for ids that are not known yet, while a request is under way whose answer will name one (rule 16). */
import type { Link } from './link.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';

/** What is kept of it; a full buffer makes the rest stray. */
const MOST_FRAMES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

interface Kept {
  id: string;
  bytes: number;
  /** Handles it as if it had come now, for the session if there is one. */
  deliver(): void | Promise<void>;
}

export class Early {
  #kept: Kept[] = [];
  #bytes = 0;

  constructor(
    readonly link: Link,
    readonly seats: Seats,
  ) {
    // No id will become known any more; what is owed is answered before the agent's stdin is closed.
    link.waits.add(() => this.#letGo(() => true));
  }

  /** False: it is not kept, because nothing is expected or the buffer is full. */
  keep(id: string, bytes: number, deliver: Kept['deliver']): boolean {
    if (!this.seats.expecting) return false;
    if (this.#kept.length >= MOST_FRAMES || this.#bytes + bytes > MOST_BYTES) return false;
    this.#kept.push({ id, bytes, deliver });
    this.#bytes += bytes;
    return true;
  }

  /** The id of a session is known: what came for it is delivered, in order. A promise while that takes time. */
  flush(seat: Seat): Promise<void> | undefined {
    const own = this.#take((kept) => kept.id === seat.id);
    const rest = (): Promise<void> | undefined => this.expectNothing();
    return own.length === 0 ? rest() : inOrder(own).then(rest);
  }

  /** The id is about to be asked for: what came for it before cannot be of the answer, and must not come after it. */
  forget(id: string): void {
    this.#letGo((kept) => kept.id === id);
  }

  /** A request that could have named an id is over. If it was the last, what is left belongs to nobody. */
  expectNothing(): Promise<void> | undefined {
    if (this.seats.expecting || this.#kept.length === 0) return undefined;
    return inOrder(this.#take(() => true));
  }

  #letGo(mine: (kept: Kept) => boolean): void {
    for (const kept of this.#take(mine)) void kept.deliver();
  }

  #take(mine: (kept: Kept) => boolean): Kept[] {
    const taken = this.#kept.filter(mine);
    if (taken.length === 0) return taken;
    this.#kept = this.#kept.filter((kept) => !mine(kept));
    this.#bytes = this.#kept.reduce((sum, kept) => sum + kept.bytes, 0);
    return taken;
  }
}

async function inOrder(all: readonly Kept[]): Promise<void> {
  for (const kept of all) await kept.deliver();
}
