/** Reads along: bytes of one direction as messages, for an observer. What that throws is nobody's business. */
import { decodeLine, excerpt } from '../framing/decode.js';
import { LineSplitter } from '../framing/lines.js';
import type { Observer } from '../inspect/observer.js';

/** A longer line passes like any other, and is noted by its length. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface TapOptions {
  observer: Observer;
  direction: 'in' | 'out';
  now: () => number;
  maxLineBytes?: number;
}

export class WireTap {
  readonly #options: TapOptions;
  readonly #cap: number;
  #lines: LineSplitter;
  #first = true;
  /** Bytes of a line that is too long to be kept. */
  #passed = 0;
  /** Bytes of the line that is not ended. */
  #open = 0;

  constructor(options: TapOptions) {
    this.#options = options;
    this.#cap = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#lines = new LineSplitter(this.#cap);
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, from);
      const end = newline < 0 ? chunk.length : newline + 1;
      this.#piece(chunk.subarray(from, end), newline >= 0);
      from = end;
    }
  }

  /** The stream is over: a whole message without its newline is one. */
  end(): void {
    if (this.#passed > 0) this.#tooLong();
    else if (this.#lines.rest()) this.#line();
  }

  #piece(piece: Uint8Array, ended: boolean): void {
    this.#open += piece.length;
    if (this.#passed > 0) this.#passed += piece.length;
    else {
      this.#lines.push(piece);
      if (this.#lines.next()) this.#line();
      if (this.#lines.tooLarge) this.#passed = this.#open;
    }
    if (!ended) return;
    if (this.#passed > 0) this.#tooLong();
    this.#open = 0;
  }

  #tooLong(): void {
    const { observer, direction, now } = this.#options;
    quietly(() => observer.skipped?.({ at: now(), direction, line: `[a line of ${this.#passed} bytes]` }));
    this.#passed = 0;
    this.#lines = new LineSplitter(this.#cap);
  }

  #line(): void {
    const { observer, direction, now } = this.#options;
    const { bytes, start, end } = this.#lines;
    const line = decodeLine(bytes, start, end, this.#first);
    this.#first = false;
    const at = now();
    if (line.kind === 'object') {
      quietly(() => observer.frame?.({ at, direction, message: line.value, bytes: line.byteLength }));
    } else if (line.kind === 'garbage') {
      quietly(() => observer.skipped?.({ at, direction, line: excerpt(bytes, start, end) }));
    }
  }
}

function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // The recording is beside the conversation, and never in its way.
  }
}
