/** Ids are opaque and short; one longer than this is kept for the record by its beginning. */
const LONGEST_KEPT_CHARS = 1024;

/** A string fit to be kept for long. The copy is deliberate: a slice would keep the whole frame's text alive. */
export function kept(text: string): string {
  if (text.length <= LONGEST_KEPT_CHARS) return text;
  return Buffer.from(text.slice(0, LONGEST_KEPT_CHARS), 'utf16le').toString('utf16le');
}
