import { isAscii } from 'node:buffer';

/** Short lines that follow each other are decoded so much at a time. */
const STRETCH_BYTES = 8 * 1024;

/**
 * Lines of a chunk as text, many with one decoding: a call into the decoder per line costs an eighth of the whole way of a
 * small frame. Only for ASCII, of which most traffic consists, because there a byte is a character and all of it is valid.
 */
export class Stretch {
  #bytes: Buffer | undefined;
  #start = 0;
  #end = 0;
  /** Undefined: not ASCII throughout. */
  #text: string | undefined;

  /** `bytes[from, to)`; undefined where it has to be decoded by itself. */
  text(bytes: Buffer, from: number, to: number): string | undefined {
    if (to > this.#end || from < this.#start || bytes !== this.#bytes) {
      // The last line of a chunk, and lines that are a stretch by themselves, gain nothing.
      const rest = bytes.byteLength - from;
      if (2 * (to - from) >= (rest < STRETCH_BYTES ? rest : STRETCH_BYTES)) return undefined;
      this.#decode(bytes, from);
    }
    return this.#text?.slice(from - this.#start, to - this.#start);
  }

  clear(): void {
    this.#bytes = this.#text = undefined;
    this.#start = this.#end = 0;
  }

  #decode(bytes: Buffer, from: number): void {
    this.#bytes = bytes;
    this.#start = from;
    this.#end = Math.min(from + STRETCH_BYTES, bytes.byteLength);
    const stretch = bytes.subarray(from, this.#end);
    this.#text = isAscii(stretch) ? stretch.toString('latin1') : undefined;
  }
}
