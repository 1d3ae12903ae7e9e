import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface Wanted {
  /** First line, from 1. */
  line: number;
  /** How many lines; `Infinity`: the rest. */
  limit: number;
  /** Of what is given back, in bytes. */
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Some lines of a file, with their ends, as bytes; `undefined` where they are more than `maxBytes`. Never holds more than
 * that and a chunk, however long the file is and however much of it is passed over.
 */
export async function readLines(file: FileHandle, wanted: Wanted): Promise<Buffer | undefined> {
  const { line, limit, maxBytes, signal } = wanted;
  const kept: Buffer[] = [];
  let bytes = 0;
  let at = 1;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const end = line + limit;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = at >= end ? { bytesRead: 0 } : await file.read(chunk, 0, CHUNK_BYTES);
    if (bytesRead === 0) return Buffer.concat(kept, bytes);
    let from = 0;
    while (from < bytesRead && at < end) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline < 0 || newline >= bytesRead ? bytesRead : newline + 1;
      if (at >= line) {
        bytes += to - from;
        if (bytes > maxBytes) return undefined;
        kept.push(Buffer.from(chunk.subarray(from, to)));
      }
      if (newline >= 0 && newline < bytesRead) at += 1;
      from = to;
    }
  }
}
