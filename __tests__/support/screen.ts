/**
 * A terminal in memory, as far as the command line uses one: wrapping with the pending wrap of real terminals, scrolling,
 * and the few sequences that move the cursor. Anything else is a mistake, and throws.
 */
const ESC = '\u001b';
const SEQUENCE = new RegExp(`^${ESC}(?:([78D])|\\[(\\??)([0-9;]*)([A-Za-z]))`);

export class Screen {
  readonly isTTY = true;
  readonly #lines: string[][] = [[]];
  #top = 0;
  #row = 0;
  #column = 0;
  /** The last column is written, and the next character wraps; any other move of the cursor forgets it. */
  #pending = false;
  #wraps = true;
  #saved = { row: 0, column: 0 };

  constructor(
    readonly columns: number,
    readonly rows: number,
  ) {}

  on(): this {
    return this;
  }

  write(text: string): boolean {
    for (let at = 0; at < text.length;) {
      if (text[at] === ESC) at += this.#sequence(text.slice(at));
      else this.#character(text[at++]!);
    }
    return true;
  }

  /** Everything on it and scrolled off it, without blanks and empty lines at the ends. */
  text(): string {
    const lines = this.#lines.map((line) =>
      Array.from(line, (character) => character ?? ' ')
        .join('')
        .trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  #character(character: string): void {
    if (character === '\r') return this.#move(this.#row, 0);
    if (character === '\n') return this.#down(0);
    if (this.#pending && this.#wraps) this.#down(0);
    (this.#lines[this.#top + this.#row] ??= [])[this.#column] = character;
    this.#pending = this.#column === this.columns - 1;
    if (!this.#pending) this.#column += 1;
  }

  #sequence(text: string): number {
    const [all, single, isPrivate, digits, final] = SEQUENCE.exec(text) ?? [];
    if (all === undefined) throw new Error(`no sequence of ours: ${JSON.stringify(text.slice(0, 8))}`);
    if (single === '7') this.#saved = { row: this.#row, column: this.#column };
    else if (single === '8') this.#move(this.#saved.row, this.#saved.column);
    else if (single === 'D') this.#down(this.#column);
    else if (isPrivate === '?' && digits === '7') this.#wraps = final === 'h';
    else if (final === 'A') this.#move(Math.max(0, this.#row - 1), this.#column);
    else if (final === 'B') this.#move(Math.min(this.rows - 1, this.#row + 1), this.#column);
    else if (final === 'K' && digits === '2') this.#lines[this.#top + this.#row] = [];
    else if (final !== 'm') throw new Error(`no sequence of ours: ${JSON.stringify(all)}`);
    return all.length;
  }

  #move(row: number, column: number): void {
    this.#row = row;
    this.#column = column;
    this.#pending = false;
  }

  #down(column: number): void {
    if (this.#row === this.rows - 1) this.#top += 1;
    this.#move(Math.min(this.rows - 1, this.#row + 1), column);
    this.#lines[this.#top + this.#row] ??= [];
  }
}
