/** Traffic for ids that are not known yet, while a request is under way whose answer will name one (rule 16). */
import { arm } from '../framing/alarm.js';
import type { Link } from './link.js';
import type { Seats } from './seats.js';

/** What is kept of it; a full buffer makes the rest stray. */
const MOST_FRAMES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

interface Kept {
  id: string;
  bytes: number;
  /** Handles it as if it had come now, for the session if there is one. */
  deliver(): void | Promise<void>;
  /** It is kept no longer. */
  leave(): void;
}

export class Early {
  readonly #kept = new Set<Kept>();
  #bytes = 0;

  constructor(
    readonly link: Link,
    readonly seats: Seats,
  ) {
    // No id will become known any more; what is owed is answered before the agent's stdin is closed.
    link.waits.add(() => this.#letGo(() => true));
  }

  /**
   * False: it is not kept, because nothing is expected or the buffer is full. `giveUp`: of what is owed an answer, which an
   * opening that the agent never answers must not put off for ever; nothing else bounds it before its session is known.
   */
  keep(id: string, bytes: number, deliver: Kept['deliver'], giveUp?: () => void): boolean {
    // What a listener held up can come when the connection is over, and nothing is named any more.
    if (!this.seats.expecting || this.link.closeReason !== undefined) return false;
    if (this.#kept.size >= MOST_FRAMES || this.#bytes + bytes > MOST_BYTES) return false;
    const { clock, settings } = this.link;
    const tooLong = (): void => {
      this.#drop(kept);
      giveUp?.();
    };
    const leave = giveUp ? arm(clock, settings.requestLimitMs, tooLong) : (): void => {};
    const kept: Kept = { id, bytes, deliver, leave };
    this.#kept.add(kept);
    this.#bytes += bytes;
    return true;
  }

  /** An answer has named an id: what came for it is delivered. If no other can name one, what is left belongs to nobody. */
  flush(): Promise<void> | undefined {
    const known = this.known();
    return known ? known.then(() => this.expectNothing()) : this.expectNothing();
  }

  /**
   * Ids are known that were not, a session's, a child's or a closed one's: what came for them is delivered, in the order in
   * which it came, and with it what that announces. A promise while that takes time.
   */
  known(): Promise<void> | undefined {
    for (const kept of this.#kept) if (this.#isKnown(kept)) return this.#deliverKnown();
    return undefined;
  }

  /** The id is about to be asked for: what came for it before cannot be of the answer, and must not come after it. */
  forget(id: string): void {
    this.#letGo((kept) => kept.id === id);
  }

  /** A request that could have named an id is over. If it was the last, what is left belongs to nobody. */
  expectNothing(): Promise<void> | undefined {
    if (this.seats.expecting || this.#kept.size === 0) return undefined;
    return inOrder(this.#take(() => true));
  }

  #isKnown({ id }: Kept): boolean {
    return this.seats.owned(id) !== undefined || this.seats.wasClosed(id);
  }

  /** Looked at one by one: while it is delivered, more becomes known, and what is left may be let go. */
  async #deliverKnown(): Promise<void> {
    for (const kept of this.#kept) {
      if (!this.#isKnown(kept)) continue;
      this.#drop(kept);
      await kept.deliver();
    }
  }

  #letGo(mine: (kept: Kept) => boolean): void {
    for (const kept of this.#take(mine)) void kept.deliver();
  }

  #take(mine: (kept: Kept) => boolean): Kept[] {
    const taken = [...this.#kept].filter(mine);
    for (const kept of taken) this.#drop(kept);
    return taken;
  }

  #drop(kept: Kept): void {
    if (!this.#kept.delete(kept)) return;
    this.#bytes -= kept.bytes;
    kept.leave();
  }
}

async function inOrder(all: readonly Kept[]): Promise<void> {
  for (const kept of all) await kept.deliver();
}
