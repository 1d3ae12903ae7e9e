import { Buffer, constants } from 'node:buffer';
import { LineStore } from './lineStore.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts a byte stream into lines. Only the byte 0x0A ends a line; one 0x0D before it belongs to the line's end and is
 * counted neither by the cap nor by `end`. What waits for its newline is copied into a store of its own, so that memory
 * is bounded by the cap plus the newest chunk however small or however carved out of bigger buffers the chunks are, and
 * each byte is searched once and copied once. A line that lies wholly in one chunk is not copied at all.
 *
 * Use: `push` one chunk, then `next` until it gives false; `rest` once, after the last chunk. Nothing here throws.
 */
export class LineSplitter {
  /** The line found last is `bytes[start, end)`. Good until the next call. */
  bytes: Buffer = NOTHING;
  start = 0;
  end = 0;
  /** The cap was passed. No more lines come, and nothing is held. */
  tooLarge = false;

  readonly #cap: number;
  readonly #store: LineStore;
  #chunk: Buffer | undefined;
  #at = 0;
  /** The line found last is in the store: what comes next is the beginning of another. */
  #given = false;

  /** `maxBytes` above what a string can hold is as good as that. */
  constructor(maxBytes: number) {
    this.#cap = Math.min(maxBytes, constants.MAX_STRING_LENGTH);
    // One byte above the cap may be the first half of `\r\n`.
    this.#store = new LineStore(this.#cap + 1);
  }

  /** True while a chunk is not yet searched to its end: call `next`, not `push`. */
  get unsearched(): boolean {
    return this.#chunk !== undefined;
  }

  /** Memory held, in bytes: the store, the newest chunk, the line given last where it is neither. */
  get retainedBytes(): number {
    const own = this.#given || this.bytes === this.#chunk ? 0 : this.bytes.byteLength;
    return own + this.#store.retainedBytes + (this.#chunk?.byteLength ?? 0);
  }

  push(chunk: Uint8Array): void {
    if (this.tooLarge || chunk.byteLength === 0) return;
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  /** Finds the next complete line. */
  next(): boolean {
    this.#forget();
    const chunk = this.#chunk;
    if (chunk === undefined) return false;
    const from = this.#at;
    const newline = chunk.indexOf(NEWLINE, from);
    if (newline < 0) {
      this.#chunk = undefined;
      this.#keep(chunk, from);
      return false;
    }
    this.#at = newline + 1;
    return this.#line(chunk, from, newline);
  }

  /** What was left without a newline, as a line. */
  rest(): boolean {
    this.#forget();
    return this.#store.length > 0 && this.#line(NOTHING, 0, 0);
  }

  /** Gives a long line back but for its first `bytes`, unless it is a part of the newest chunk. */
  trim(bytes: number): void {
    if (!this.#given || !this.#store.isLong) return;
    this.bytes = Buffer.from(this.bytes.subarray(this.start, this.start + bytes));
    this.start = 0;
    this.end = this.bytes.byteLength;
    this.#given = false;
    this.#store.empty();
  }

  clear(): void {
    this.#given = false;
    this.bytes = NOTHING;
    this.start = this.end = 0;
    this.#chunk = undefined;
    this.#store.release();
  }

  #forget(): void {
    this.bytes = NOTHING;
    if (!this.#given) return;
    this.#given = false;
    this.#store.empty();
  }

  /** The line is what the store holds and then `chunk[from, to)`. */
  #line(chunk: Buffer, from: number, to: number): boolean {
    const store = this.#store;
    const held = store.length;
    const length = held + to - from;
    const last = to > from ? chunk[to - 1] : store.lastByte;
    const ending = length > 0 && last === RETURN ? 1 : 0;
    if (length - ending > this.#cap) return this.#overflow();
    this.bytes = chunk;
    this.start = from;
    if (held > 0) {
      store.add(chunk, from, to);
      this.bytes = store.line;
      this.start = 0;
      this.#given = true;
    }
    this.end = this.start + length - ending;
    return true;
  }

  /** Holds `chunk[from, …)`, which has no newline. */
  #keep(chunk: Buffer, from: number): void {
    const total = this.#store.length + chunk.byteLength - from;
    const hopeful = total === this.#cap + 1 && chunk[chunk.byteLength - 1] === RETURN;
    if (total > this.#cap && !hopeful) this.#overflow();
    else this.#store.add(chunk, from, chunk.byteLength);
  }

  #overflow(): false {
    this.tooLarge = true;
    this.clear();
    return false;
  }
}
