import { StringDecoder } from 'node:string_decoder';

/** The last bytes of what an agent wrote to stderr. It is the agent's text: show it, never act on it. */
export interface StderrTail {
  /** Decoded as UTF-8, invalid bytes as U+FFFD; a character that the limit or the last chunk cut in two is left out. */
  tail(): string;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** A ring of `limitBytes`: memory is bounded however small the chunks are, and a byte is copied once. */
export class BoundedTail implements StderrTail {
  readonly #limit: number;
  #ring: Uint8Array | undefined;
  #end = 0;
  #total = 0;

  constructor(limitBytes: number) {
    this.#limit = Math.max(0, Math.floor(Math.min(limitBytes, MOST_BYTES)) || 0);
  }

  append(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (this.#limit === 0) return;
    const ring = (this.#ring ??= new Uint8Array(this.#limit));
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#limit));
    const beforeWrap = kept.subarray(0, this.#limit - this.#end);
    ring.set(beforeWrap, this.#end);
    ring.set(kept.subarray(beforeWrap.length), 0);
    this.#end = (this.#end + kept.length) % this.#limit;
  }

  /** The beginning is gone. */
  get truncated(): boolean {
    return this.#total > this.#limit;
  }

  tail(): string {
    if (!this.#ring) return '';
    if (this.#total <= this.#limit) return decode(this.#ring.subarray(0, this.#total));
    const bytes = Buffer.concat([this.#ring.subarray(this.#end), this.#ring.subarray(0, this.#end)]);
    return decode(bytes.subarray(firstBoundary(bytes)));
  }
}

/** Where the first whole character begins: UTF-8 has at most three continuation bytes in a row. */
function firstBoundary(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** A decoder that is never told of the end keeps an unfinished last character to itself. */
function decode(bytes: Uint8Array): string {
  return new StringDecoder('utf8').write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
