import { excerpt, EXCERPT_BYTES, frameOf, textOfLine, type Frame } from './decode.js';
import { LineSplitter } from './lines.js';
import { Roster } from './roster.js';
import { Stretch } from './stretch.js';
import { promised, type ByteReadable, type ByteReader } from './streams.js';

export type { Frame };

/** Why no more frames come: end of stream, a line above the cap, a failed read, our own `close()`. */
export type ReaderEnd = 'ended' | 'frame-too-large' | 'io' | 'closed';

export interface FrameReaderOptions {
  /** Cap of one line in bytes, its end not counted. */
  maxFrameBytes: number;
  /** Counted up in place: bytes read, and lines that were neither blank nor a JSON object. */
  counters?: { bytesIn: number; skippedFrames: number };
  /** Sees each of those lines, cut to 4,096 characters. Must not throw. */
  onSkipped?: (line: string) => void;
}

/**
 * Bytes to frames, without a promise per frame: `next()` until it gives undefined, then `await fill()`, until that is
 * false. The signal of `fill` or `read` ends the wait and nothing else: the read under way goes on, what it brings is
 * kept, and the next call takes it up. No failure throws; `end` names it.
 */
export class FrameReader {
  readonly counters: { bytesIn: number; skippedFrames: number };

  readonly #reader: ByteReader;
  readonly #lines: LineSplitter;
  readonly #stretch = new Stretch();
  readonly #onSkipped: ((line: string) => void) | undefined;
  readonly #waiting = new Roster<() => void>();
  #reading = false;
  #first = true;
  /** An object that the stream ended on, not yet given. */
  #last: Frame | undefined;
  #end: ReaderEnd | undefined;
  #closed: Promise<void> | undefined;

  /** Locks `readable`; throws what its `getReader` throws, when it is locked already. */
  constructor(readable: ByteReadable, options: FrameReaderOptions) {
    this.#reader = readable.getReader();
    this.#lines = new LineSplitter(options.maxFrameBytes);
    this.#onSkipped = options.onSkipped;
    this.counters = options.counters ?? { bytesIn: 0, skippedFrames: 0 };
  }

  /** Set once every frame has been given and no more can come. */
  get end(): ReaderEnd | undefined {
    return this.#last === undefined ? this.#end : undefined;
  }

  get retainedBytes(): number {
    return this.#lines.retainedBytes;
  }

  /** The next frame of what has been read. */
  next(): Frame | undefined {
    if (this.#end !== undefined) {
      const last = this.#last;
      this.#last = undefined;
      return last;
    }
    while (this.#lines.next()) {
      const frame = this.#frame(true);
      if (frame !== undefined) return frame;
    }
    this.#stretch.clear();
    if (this.#lines.tooLarge) this.#finish('frame-too-large');
    return undefined;
  }

  /**
   * Reads one more chunk, unless one is still to be looked at. False: there is nothing more, and `end` says why.
   * Rejects with the reason of `signal` only.
   */
  async fill(signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (this.#end === undefined && !this.#lines.unsearched) {
      await this.#chunk(signal);
      signal?.throwIfAborted();
    }
    return this.#end === undefined || this.#last !== undefined;
  }

  /** The next frame, however many chunks away; undefined at the end. Rejects with the reason of `signal` only. */
  async read(signal?: AbortSignal): Promise<Frame | undefined> {
    signal?.throwIfAborted();
    for (;;) {
      const frame = this.next();
      if (frame !== undefined || !(await this.fill(signal))) return frame;
    }
  }

  /** The beginning of the line whose frame `next` gave last. Good until the next call. */
  excerpt(): string {
    return excerpt(this.#lines.bytes, this.#lines.start, this.#lines.end);
  }

  /** Drops what is buffered, cancels the stream once and lets go of its lock. Never rejects. */
  close(): Promise<void> {
    this.#last = undefined;
    this.#finish('closed');
    this.#closed ??= cancel(this.#reader);
    return this.#closed;
  }

  /** Until a chunk came, none can, or `signal` fired. Waiters are kept here: a promise would keep those that left. */
  #chunk(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        signal?.removeEventListener('abort', settle);
        leave();
        resolve();
      };
      const leave = this.#waiting.add(settle);
      signal?.addEventListener('abort', settle);
      this.#read();
    });
  }

  #frame(counted: boolean): Frame | undefined {
    const lines = this.#lines;
    const line = textOfLine(lines.bytes, lines.start, lines.end, this.#first, this.#stretch);
    this.#first = false;
    if (line.kind === 'candidate') {
      // Before it is parsed: of a large line its bytes, its text and its values would else be there at once.
      lines.trim(EXCERPT_BYTES);
      const frame = frameOf(line);
      if (frame !== undefined) return frame;
    }
    if (line.kind !== 'blank' && counted) {
      this.counters.skippedFrames++;
      this.#onSkipped?.(this.excerpt());
    }
    return undefined;
  }

  #read(): void {
    if (this.#reading) return;
    this.#reading = true;
    promised(() => this.#reader.read()).then(
      ({ done, value }) => {
        this.#reading = false;
        if (this.#end !== undefined) return;
        if (done) {
          if (this.#lines.rest()) this.#last = this.#frame(false);
          this.#finish('ended');
        } else if (value !== undefined && !ArrayBuffer.isView(value)) {
          this.#finish('io');
        } else {
          if (value !== undefined) {
            this.counters.bytesIn += value.byteLength;
            this.#lines.push(value);
          }
          this.#wake();
        }
      },
      () => this.#finish('io'),
    );
  }

  #finish(end: ReaderEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stretch.clear();
    if (this.#last === undefined) this.#lines.clear();
    this.#wake();
  }

  #wake(): void {
    for (const settle of this.#waiting.all()) settle();
  }
}

async function cancel(reader: ByteReader): Promise<void> {
  try {
    const cancelled = reader.cancel();
    // At once, so that a `cancel` that hangs does not keep the lock: it has already ended any read.
    reader.releaseLock();
    await cancelled;
  } catch {
    // The stream had failed by itself.
  }
}
