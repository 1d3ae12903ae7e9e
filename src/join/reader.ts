/** What a turn's one reader has not taken yet. It holds the pipe while it is slow, and nothing once the turn is being stopped. */
import { deferred, type Deferred } from './deferred.js';

/** Waits for a reader, begun or not, beside the frame that goes over it (rule 24). */
const ROOM_BYTES = 1024 * 1024;

export class TurnReader<T> {
  /** Updates that no reader took. */
  unread = 0;
  /** More came before a reader began than is kept: it may not begin any more. */
  missed = false;
  #queue: { item: T; bytes: number }[] = [];
  #head = 0;
  #bytes = 0;
  #begun = false;
  #left = false;
  #released = false;
  #ended: { failure: Error } | { failure?: undefined } | undefined;
  #hungry: Deferred<IteratorResult<T, void>> | undefined;
  #held: Deferred<void> | undefined;

  /** Hands an update over. A promise comes back when the reader is behind: it settles when there is room again. */
  push(item: T, bytes: number): Promise<void> | undefined {
    if (this.#left || this.missed || this.#ended) {
      this.unread += 1;
      return undefined;
    }
    if (this.#hungry) {
      const hungry = this.#hungry;
      this.#hungry = undefined;
      hungry.resolve({ done: false, value: item });
      return undefined;
    }
    if (this.#bytes >= ROOM_BYTES) {
      if (this.#begun) this.unread += 1;
      else this.#giveUp(1);
      return undefined;
    }
    this.#queue.push({ item, bytes });
    this.#bytes += bytes;
    if (this.#bytes < ROOM_BYTES || !this.#begun || this.#released) return undefined;
    this.#held ??= deferred<void>();
    return this.#held.promise;
  }

  /** The turn is being stopped, or the connection closed: the reader holds nothing any more. */
  release(): void {
    this.#released = true;
    this.#letGo();
  }

  /** Nothing more comes. What waits can still be read; then the loop ends, or throws the failure. */
  end(failure?: Error): void {
    if (this.#ended) return;
    this.#ended = failure === undefined ? {} : { failure };
    this.#letGo();
    const hungry = this.#hungry;
    this.#hungry = undefined;
    if (!hungry) return;
    if (failure === undefined) hungry.resolve({ done: true, value: undefined });
    else hungry.reject(failure);
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** Updates that wait and may never be read. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  begin(): void {
    this.#begun = true;
  }

  next(): Promise<IteratorResult<T, void>> {
    const entry = this.#queue[this.#head];
    if (entry) {
      this.#head += 1;
      this.#bytes -= entry.bytes;
      if (this.#head === this.#queue.length) {
        this.#queue = [];
        this.#head = 0;
      } else if (this.#head >= 1024 && this.#head * 2 >= this.#queue.length) {
        // Linear however long the backlog: each entry is moved at most once per halving.
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
      if (this.#bytes < ROOM_BYTES) this.#letGo();
      return Promise.resolve({ done: false, value: entry.item });
    }
    if (this.#left) return Promise.resolve({ done: true, value: undefined });
    if (this.#ended) {
      const { failure } = this.#ended;
      this.#left = true;
      // The rejection is the loop's to handle: it was asked for.
      return failure === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(failure);
    }
    const concurrent = this.#hungry;
    if (concurrent) return concurrent.promise.then(() => this.next());
    this.#hungry = deferred();
    return this.#hungry.promise;
  }

  /** `break`: the reader is not interested in the rest. */
  leave(): void {
    if (this.#left) return;
    this.#giveUp(0);
    this.#left = true;
    this.#hungry?.resolve({ done: true, value: undefined });
    this.#hungry = undefined;
  }

  #giveUp(more: number): void {
    this.unread += this.waiting + more;
    this.missed = !this.#begun;
    this.#queue = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#letGo();
  }

  #letGo(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }
}
