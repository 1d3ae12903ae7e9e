import { isUtf8 } from 'node:buffer';
import type { Stretch } from './stretch.js';

/** One JSON object of the stream. */
export interface Frame {
  readonly kind: 'object';
  readonly value: Record<string, unknown>;
  /** Length of its line, without the line's end. */
  readonly byteLength: number;
  /** The bytes were not UTF-8 throughout, and U+FFFD stands where they were not. */
  readonly repaired: boolean;
}

export type Decoded =
  | Frame
  | { kind: 'blank' }
  /** Anything else. `text` is the line's beginning, for people to look at. */
  | { kind: 'garbage'; text: string };

/** Of a line that is no message, this many characters are shown. */
export const EXCERPT_CHARS = 4096;
/** UTF-8 spends at most three bytes on one UTF-16 unit. */
export const EXCERPT_BYTES = 3 * EXCERPT_CHARS;

const TAB = 0x09;
const RETURN = 0x0d;
const BELL = 0x07;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const BRACE = 0x7b;

const BLANK = { kind: 'blank' } as const;

/** A line that may be a frame, as text: its bytes are not needed any more. */
export interface Candidate {
  readonly kind: 'candidate';
  readonly text: string;
  readonly byteLength: number;
  readonly repaired: boolean;
}

const OTHER = { kind: 'other' } as const;

/**
 * Reads the line `bytes[start, end)`. `first`: it is the first of the stream, where a byte order mark is dropped.
 * Only what begins with `{` can be a frame, so that no other line costs a parse; nothing scans for one further in.
 * `stretch`: of the reader, where several lines of one buffer are read.
 */
export function textOfLine(
  bytes: Buffer,
  start: number,
  end: number,
  first: boolean,
  stretch?: Stretch,
): Candidate | typeof BLANK | typeof OTHER {
  let from = start;
  if (first && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3;
  if (bytes[from] !== BRACE || from >= end) {
    from = skipBlank(bytes, from, end);
    if (from >= end) return BLANK;
    from = skipControls(bytes, from, end);
  }
  if (bytes[from] !== BRACE || from >= end) return OTHER;
  const ascii = stretch?.text(bytes, from, end);
  const text = ascii ?? bytes.toString('utf8', from, end);
  // An agent may well write U+FFFD itself: only the bytes can tell.
  const repaired = ascii === undefined && text.includes('\uFFFD') && !isUtf8(bytes.subarray(from, end));
  return { kind: 'candidate', text, byteLength: end - start, repaired };
}

/** Undefined: no JSON, or nested too deep for the parser, which is the same to us. */
export function frameOf({ text, byteLength, repaired }: Candidate): Frame | undefined {
  try {
    return { kind: 'object', value: JSON.parse(text) as Record<string, unknown>, byteLength, repaired };
  } catch {
    return undefined;
  }
}

/** Both at once, where the line is not worth giving back before it is parsed. */
export function decodeLine(bytes: Buffer, start: number, end: number, first: boolean): Decoded {
  const line = textOfLine(bytes, start, end, first);
  if (line.kind === 'blank') return line;
  const frame = line.kind === 'candidate' ? frameOf(line) : undefined;
  return frame ?? { kind: 'garbage', text: excerpt(bytes, start, end) };
}

/** The beginning of a line, decoded: at most `EXCERPT_CHARS` characters, never half a surrogate pair. */
export function excerpt(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, Math.min(end, start + EXCERPT_BYTES)).slice(0, EXCERPT_CHARS);
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** Past JSON's white space. Any other character is something that somebody printed. */
function skipBlank(bytes: Buffer, from: number, end: number): number {
  for (let byte = bytes[from]; from < end && byte !== undefined; byte = bytes[++from]) {
    if (byte !== SPACE && byte !== TAB && byte !== RETURN) break;
  }
  return from;
}

/** Past control sequences of a terminal and the white space around them; where `from` was, if one is not whole. */
function skipControls(bytes: Buffer, from: number, end: number): number {
  while (from < end && bytes[from] === ESCAPE) {
    const kind = bytes[from + 1];
    const past =
      kind === BRACKET_CLOSE
        ? pastString(bytes, from + 2, end)
        : kind === BRACKET_OPEN
          ? pastCsi(bytes, from + 2, end)
          : -1;
    if (past < 0) break;
    from = skipBlank(bytes, past, end);
  }
  return from;
}

/** `ESC ] … BEL` or `ESC ] … ESC \`: window titles and hyperlinks. */
function pastString(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (bytes[at] === BELL) return at + 1;
    if (bytes[at] === ESCAPE) return at + 1 < end && bytes[at + 1] === BACKSLASH ? at + 2 : -1;
  }
  return -1;
}

/** `ESC [`, parameters 0x20 to 0x3F, one final byte 0x40 to 0x7E: colours, cursor, modes. */
function pastCsi(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x40 && byte <= 0x7e) return at + 1;
    if (byte < SPACE || byte > 0x7e) return -1;
  }
  return -1;
}
