import { StringDecoder } from 'node:string_decoder';

/** Kept of one terminal's output: the last so many bytes. */
export const TERMINAL_OUTPUT_BYTES = 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
const FIRST_BLOCK_BYTES = 1024;

/**
 * The end of a stream of bytes, as it was at one moment. Appending makes a new one and costs the bytes appended, for both share
 * what is written once: a block is filled from its beginning, and each knows how far it was filled in its time. Only the newest
 * may be appended to.
 */
export interface OutputTail {
  readonly blocks: readonly Buffer[];
  /** Bytes in the last block. */
  readonly filled: number;
  /** Bytes in all blocks. */
  readonly held: number;
  /** Bytes ever appended. */
  readonly total: number;
}
export const NO_OUTPUT: OutputTail = { blocks: [], filled: 0, held: 0, total: 0 };

export function appended(before: OutputTail, data: Buffer): OutputTail {
  let { blocks, filled, held } = before;
  // What would fall off at once is not written.
  let rest = data.subarray(Math.max(0, data.length - TERMINAL_OUTPUT_BYTES));
  while (rest.length > 0) {
    let last = blocks.at(-1);
    if (last === undefined || filled === last.length) {
      const size = last === undefined ? FIRST_BLOCK_BYTES : Math.min(2 * last.length, BLOCK_BYTES);
      last = Buffer.allocUnsafe(Math.min(Math.max(size, rest.length), BLOCK_BYTES));
      blocks = [...blocks, last];
      filled = 0;
    }
    const piece = rest.subarray(0, last.length - filled);
    piece.copy(last, filled);
    filled += piece.length;
    held += piece.length;
    rest = rest.subarray(piece.length);
    while (held - (blocks[0]?.length ?? 0) >= TERMINAL_OUTPUT_BYTES) {
      held -= blocks[0]?.length ?? 0;
      blocks = blocks.slice(1);
    }
  }
  return { blocks, filled, held, total: before.total + data.length };
}

export const isTruncated = ({ total }: OutputTail): boolean => total > TERMINAL_OUTPUT_BYTES;

/** From a character boundary on, and without the beginning of a character whose rest has not come: pieces cut anywhere. */
export function textOf(output: OutputTail): string {
  const { blocks, filled } = output;
  const whole = blocks.map((block, i) => (i === blocks.length - 1 ? block.subarray(0, filled) : block));
  const all = Buffer.concat(whole);
  const kept = all.subarray(Math.max(0, all.length - TERMINAL_OUTPUT_BYTES));
  let from = 0;
  while (isTruncated(output) && from < 3 && ((kept[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return new StringDecoder('utf8').write(kept.subarray(from));
}
