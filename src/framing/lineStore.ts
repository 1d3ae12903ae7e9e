import { Buffer } from 'node:buffer';

const FIRST_BYTES = 1024;
/** What is kept for the next line; and the steps in which a longer one grows. */
const STEP_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * The beginning of a line whose end has not come, in one piece. A short one is put where the last one was. A long one gets memory
 * that grows in place, up to the cap, and is given back at once: putting blocks together would need all of it twice, and to touch
 * new memory costs more than to parse it.
 */
export class LineStore {
  readonly #mostBytes: number;
  #buffer = NOTHING;
  #long: ArrayBuffer | undefined;
  length = 0;

  /** `mostBytes`: never asked to hold more. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What is held. Good until the next call of anything else. */
  get line(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  get lastByte(): number | undefined {
    return this.#buffer[this.length - 1];
  }

  /** The line is in memory of its own, that is worth giving back before it is needed for the next. */
  get isLong(): boolean {
    return this.#long !== undefined;
  }

  get retainedBytes(): number {
    return this.#buffer.byteLength;
  }

  add(chunk: Buffer, from: number, to: number): void {
    const total = this.length + to - from;
    if (total > this.#buffer.byteLength) this.#grow(total);
    chunk.copy(this.#buffer, this.length, from, to);
    this.length = total;
  }

  /** For the next line. */
  empty(): void {
    this.length = 0;
    if (this.#long !== undefined) this.release();
  }

  release(): void {
    this.length = 0;
    this.#buffer = NOTHING;
    this.#long?.resize(0);
    this.#long = undefined;
  }

  #grow(total: number): void {
    const held = this.#buffer.subarray(0, this.length);
    if (total <= STEP_BYTES) {
      const doubled = Math.max(2 * this.#buffer.byteLength, FIRST_BYTES, total);
      this.#buffer = Buffer.allocUnsafeSlow(Math.min(doubled, STEP_BYTES, this.#mostBytes));
      held.copy(this.#buffer);
      return;
    }
    const size = Math.min(Math.ceil(total / STEP_BYTES) * STEP_BYTES, this.#mostBytes);
    if (this.#long === undefined) {
      this.#long = new ArrayBuffer(size, { maxByteLength: this.#mostBytes });
      this.#buffer = Buffer.from(this.#long);
      held.copy(this.#buffer);
    } else {
      this.#long.resize(size);
      this.#buffer = Buffer.from(this.#long);
    }
  }
}
