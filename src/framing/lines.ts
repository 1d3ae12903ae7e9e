import { Buffer, constants } from 'node:buffer';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A chunk of at least this size that owns its memory is kept as it is; shorter pieces are copied together. */
const KEEP_BYTES = 4 * 1024;
const FIRST_BLOCK_BYTES = 1024;
const BLOCK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts a byte stream into lines. Only the byte 0x0A ends a line; one 0x0D before it belongs to the line's end and is
 * counted neither by the cap nor by `end`. What waits for its newline is held in blocks of its own, so that memory is
 * bounded by the cap plus the newest chunk however small or however carved out of bigger buffers the chunks are, and
 * each byte is searched once and copied at most twice. A line that lies wholly in one chunk is not copied at all.
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
  #chunk: Buffer | undefined;
  #at = 0;
  #blocks: Buffer[] = [];
  /** Bytes of the unfinished line that the blocks hold. */
  #held = 0;
  /** Free bytes at the end of the last block. */
  #room = 0;

  /** `maxBytes` above what a string can hold is as good as that. */
  constructor(maxBytes: number) {
    this.#cap = Math.min(maxBytes, constants.MAX_STRING_LENGTH);
  }

  /** True while a chunk is not yet searched to its end: call `next`, not `push`. */
  get unsearched(): boolean {
    return this.#chunk !== undefined;
  }

  /** Memory held, in bytes: blocks with all that they keep alive, the newest chunk, the line given last. */
  get retainedBytes(): number {
    const own = this.bytes === this.#chunk ? 0 : this.bytes.byteLength;
    return this.#blocks.reduce((sum, block) => sum + block.buffer.byteLength, own + (this.#chunk?.byteLength ?? 0));
  }

  push(chunk: Uint8Array): void {
    if (this.tooLarge || chunk.byteLength === 0) return;
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  /** Finds the next complete line. */
  next(): boolean {
    const chunk = this.#chunk;
    if (chunk === undefined) {
      this.bytes = NOTHING;
      return false;
    }
    const from = this.#at;
    const newline = chunk.indexOf(NEWLINE, from);
    if (newline < 0) {
      this.bytes = NOTHING;
      this.#chunk = undefined;
      this.#keep(chunk, from);
      return false;
    }
    this.#at = newline + 1;
    return this.#line(chunk, from, newline);
  }

  /** What was left without a newline, as a line. */
  rest(): boolean {
    return this.#held > 0 && this.#line(NOTHING, 0, 0);
  }

  /** Keeps no more than the first `bytes` of the line given last, unless it is a part of the newest chunk. */
  trim(bytes: number): void {
    if (this.bytes === this.#chunk || this.bytes.byteLength <= 2 * bytes) return;
    this.bytes = Buffer.from(this.bytes.subarray(this.start, this.start + bytes));
    this.start = 0;
    this.end = this.bytes.byteLength;
  }

  clear(): void {
    this.bytes = NOTHING;
    this.start = this.end = 0;
    this.#chunk = undefined;
    this.#release();
  }

  /** The line is the held blocks and then `chunk[from, to)`. */
  #line(chunk: Buffer, from: number, to: number): boolean {
    const length = this.#held + to - from;
    const ending = length > 0 && (to > from ? chunk[to - 1] : this.#lastHeld()) === RETURN ? 1 : 0;
    if (length - ending > this.#cap) return this.#overflow();
    if (this.#held === 0) {
      this.bytes = chunk;
      this.start = from;
      this.end = to - ending;
    } else {
      this.bytes = this.#joined(chunk, from, to);
      this.start = 0;
      this.end = length - ending;
    }
    return true;
  }

  #joined(chunk: Buffer, from: number, to: number): Buffer {
    const [first] = this.#blocks;
    let line: Buffer;
    if (first !== undefined && this.#blocks.length === 1 && to - from <= this.#room) {
      chunk.copy(first, this.#held, from, to);
      line = first;
    } else {
      line = Buffer.allocUnsafeSlow(this.#held + to - from);
      let at = 0;
      for (const block of this.#blocks) at += block.copy(line, at, 0, Math.min(block.byteLength, this.#held - at));
      chunk.copy(line, at, from, to);
    }
    this.#release();
    return line;
  }

  /** Holds `chunk[from, …)`, which has no newline. */
  #keep(chunk: Buffer, from: number): void {
    const added = chunk.byteLength - from;
    if (added === 0) return;
    const total = this.#held + added;
    // One byte above the cap may yet turn out to be the first half of `\r\n`.
    const hopeful = total === this.#cap + 1 && chunk[chunk.byteLength - 1] === RETURN;
    if (total > this.#cap && !hopeful) this.#overflow();
    else if (this.#room === 0 && added >= KEEP_BYTES && added === chunk.buffer.byteLength) this.#blocks.push(chunk);
    else this.#copy(chunk, from, total);
    if (!this.tooLarge) this.#held = total;
  }

  #copy(chunk: Buffer, from: number, total: number): void {
    let held = this.#held;
    while (held < total) {
      if (this.#room === 0) {
        const grown = Math.min(Math.max(held, FIRST_BLOCK_BYTES), BLOCK_BYTES, this.#cap + 1 - held);
        this.#room = Math.max(total - held, grown);
        this.#blocks.push(Buffer.allocUnsafeSlow(this.#room));
      }
      const block = this.#blocks.at(-1) as Buffer;
      const copied = chunk.copy(block, block.byteLength - this.#room, from);
      from += copied;
      held += copied;
      this.#room -= copied;
    }
  }

  #lastHeld(): number | undefined {
    const block = this.#blocks.at(-1);
    return block?.[block.byteLength - this.#room - 1];
  }

  #overflow(): false {
    this.tooLarge = true;
    this.clear();
    return false;
  }

  #release(): void {
    this.#blocks = [];
    this.#held = 0;
    this.#room = 0;
  }
}
