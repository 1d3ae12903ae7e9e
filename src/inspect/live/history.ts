/**
 * The newest lines, bounded by number and size. What falls off the end is folded into a base, from which a page that opens
 * late still knows every actor's state, the questions that are open, and the newest decisions.
 */
export interface Kept {
  json: string;
  /** Of lines with the same key only the newest is in the base; without one a line is forgotten with its place. */
  key?: string | undefined;
  /** The key that this line makes moot. */
  ends?: string | undefined;
}

const MOST_LINES = 10_000;
const MOST_CHARS = 8 * 1024 * 1024;
const MOST_KEYS = 1_000;

export class History {
  #lines: Kept[] = [];
  /** Lines before this one in `#lines` have fallen off; they are cut away by the half. */
  #head = 0;
  #chars = 0;
  /** Number of the next line. */
  #next = 0;
  readonly #base = new Map<string, string>();

  get next(): number {
    return this.#next;
  }

  /** Number of the oldest line that is kept. */
  get first(): number {
    return this.#next - (this.#lines.length - this.#head);
  }

  get base(): readonly string[] {
    return [...this.#base.values()];
  }

  push(line: Kept): void {
    this.#lines.push(line);
    this.#chars += line.json.length;
    this.#next += 1;
    while (this.#lines.length - this.#head > MOST_LINES || this.#chars > MOST_CHARS) this.#drop();
  }

  /** From that number on, as much as fits into about so many characters, at least one. */
  from(number: number, chars: number): string[] {
    const found: string[] = [];
    let room = chars;
    for (let at = this.#head + number - this.first; at < this.#lines.length && room > 0; at += 1) {
      const { json } = this.#lines[at] as Kept;
      found.push(json);
      room -= json.length;
    }
    return found;
  }

  clear(): void {
    this.#lines = [];
    this.#head = 0;
    this.#chars = 0;
    this.#next = 0;
    this.#base.clear();
  }

  #drop(): void {
    const line = this.#lines[this.#head] as Kept;
    this.#head += 1;
    this.#chars -= line.json.length;
    if (this.#head > MOST_LINES) {
      this.#lines = this.#lines.slice(this.#head);
      this.#head = 0;
    }
    if (line.ends !== undefined) this.#base.delete(line.ends);
    if (line.key === undefined) return;
    // Put at the end, so that what has not been heard of for longest goes first.
    this.#base.delete(line.key);
    this.#base.set(line.key, line.json);
    const [oldest] = this.#base.keys();
    if (this.#base.size > MOST_KEYS && oldest !== undefined) this.#base.delete(oldest);
  }
}
