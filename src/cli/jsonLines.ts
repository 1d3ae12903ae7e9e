/** One JSON object a line, each of bounded size: an agent may send 64 MiB in one value, and nest it as deep as it likes. */

const LONGEST_STRING = 1024 * 1024;
/** Characters and members of one line, roughly. */
const LARGEST_LINE = 4 * 1024 * 1024;
const DEEPEST = 64;
const MEMBER_COST = 8;

class Cutter {
  left = LARGEST_LINE;
  cut = false;

  copy(value: unknown, depth: number): unknown {
    this.left -= MEMBER_COST;
    if (typeof value === 'string') return this.#string(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST || this.left <= 0) {
      this.cut = true;
      return null;
    }
    if (Array.isArray(value)) return this.#members(value).map((member) => this.copy(member, depth + 1));
    // Own properties whatever they are called: `__proto__` is a name like any other.
    return Object.fromEntries(
      this.#members(Object.keys(value)).map((key) => [
        this.#string(key),
        this.copy((value as Record<string, unknown>)[key], depth + 1),
      ]),
    );
  }

  #string(text: string): string {
    const room = Math.max(0, Math.min(LONGEST_STRING, this.left));
    this.left -= text.length;
    if (text.length <= room) return text;
    this.cut = true;
    return text.slice(0, room);
  }

  #members<T>(all: readonly T[]): readonly T[] {
    const room = Math.max(0, Math.ceil(this.left / MEMBER_COST));
    if (all.length <= room) return all;
    this.cut = true;
    return all.slice(0, room);
  }
}

/** A copy of bounded size and depth, and whether something of the value is missing in it. */
export function bounded(value: unknown): { copy: unknown; cut: boolean } {
  const cutter = new Cutter();
  return { copy: cutter.copy(value, 0), cut: cutter.cut };
}

/** A line, its end included. Where something did not fit, what fits is there and `cut` is true. */
export function jsonLine(event: Record<string, unknown>): string {
  const { copy, cut } = bounded(event);
  return `${JSON.stringify(cut ? { ...(copy as object), cut } : copy)}\n`;
}
