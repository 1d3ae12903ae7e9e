/** What a value out of a frame costs to keep, in bytes, near enough for a limit. */
const ENTRY_BYTES = 16;

/** Walks without recursion: a frame may be nested deeper than any stack. */
export function weightOf(value: unknown): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const at = rest.pop();
    bytes += ENTRY_BYTES;
    if (typeof at === 'string') bytes += at.length;
    else if (Array.isArray(at)) for (const item of at) rest.push(item);
    else if (typeof at === 'object' && at !== null) {
      for (const [key, item] of Object.entries(at)) {
        bytes += key.length;
        rest.push(item);
      }
    }
  }
  return bytes;
}
