/** What a turn's one reader has not taken yet. It holds the pipe while it is slow, and nothing once the turn is being stopped. */
import { deferred, type Deferred } from './deferred.js';

/** Waits for a reader, begun or not, beside the frame that goes over it (rule 24). */
const ROOM_BYTES = 1024 * 1024;
/** So much has to be taken before a held pipe flows again: to stop and start it for every small frame costs more than the frame. */
const GAP_BYTES = 64 * 1024;

export class TurnReader<T> {
  /** Updates that no reader took. */
  unread = 0;
  /** More came before a reader began than is kept: it may not begin any more. */
  missed = false;
  /** What waits, and the size of each. */
  #items: (T | undefined)[] = [];
  #sizes: number[] = [];
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
    this.#items.push(item);
    this.#sizes.push(bytes);
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
    return this.#items.length - this.#head;
  }

  begin(): void {
    this.#begun = true;
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#head < this.#items.length) return Promise.resolve({ done: false, value: this.#take() });
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

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined;
    this.#bytes -= this.#sizes[this.#head] as number;
    this.#head += 1;
    if (this.#head === this.#items.length) this.#drop();
    else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      // Linear however long the backlog: each entry is moved at most once per halving.
      this.#items = this.#items.slice(this.#head);
      this.#sizes = this.#sizes.slice(this.#head);
      this.#head = 0;
    }
    if (this.#held && this.#bytes <= ROOM_BYTES - GAP_BYTES) this.#letGo();
    return item;
  }

  #drop(): void {
    this.#items = [];
    this.#sizes = [];
    this.#head = 0;
  }

  #giveUp(more: number): void {
    this.unread += this.waiting + more;
    this.missed = !this.#begun;
    this.#drop();
    this.#bytes = 0;
    this.#letGo();
  }

  #letGo(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }
}
