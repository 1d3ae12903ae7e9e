/**
 * One line on a terminal that says what goes on, while text streams above it to the same terminal.
 *
 * It stands under the text: where the text ends amid a line, the next line is made sure of (IND scrolls where there is none,
 * and keeps the column), and the cursor is put back where the text goes on. It is taken away before any text is written, so
 * that nothing of it is ever scrolled away with the text.
 */
import { columnsOf } from './printable.js';

const ESC = '\u001b';
const CLEAR_LINE = `\r${ESC}[2K`;
const SAVE = `${ESC}7`;
const RESTORE = `${ESC}8`;
const DOWN = `${ESC}[1B`;
/** A line below, by scrolling if need be, with the column kept; then up again. */
const MAKE_ROOM = `${ESC}D${ESC}[1A`;
/** What is too long for the line is cut by the terminal, not wrapped. */
const NO_WRAP = `${ESC}[?7l`;
const WRAP = `${ESC}[?7h`;
const TAB_STOP = 8;

export interface StatusLineOptions {
  write(sequence: string): void;
  columns(): number;
  /** The look of the line; it adds no width. */
  paint(text: string): string;
}

export class StatusLine {
  readonly #o: StatusLineOptions;
  #text: string | undefined;
  #drawn: 'here' | 'below' | undefined;
  /** Where the text stands on its line; past the last column, which is no place to come back to, it is `columns`. */
  #column = 0;
  #paused = false;

  constructor(options: StatusLineOptions) {
    this.#o = options;
  }

  /** Shows another text, or none. */
  set(text: string | undefined): void {
    if (text === this.#text && (this.#drawn !== undefined || text === undefined)) return;
    this.erase();
    this.#text = text;
    this.draw();
  }

  /** Takes it away until `resume`. */
  pause(): void {
    this.erase();
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.draw();
  }

  /** Call before something else is written to the terminal. */
  erase(): void {
    if (this.#drawn === 'here') this.#o.write(CLEAR_LINE);
    if (this.#drawn === 'below') this.#o.write(`${SAVE}${DOWN}${CLEAR_LINE}${RESTORE}`);
    this.#drawn = undefined;
  }

  /** Call after something else was written. */
  draw(): void {
    if (this.#text === undefined || this.#drawn !== undefined || this.#paused) return;
    const line = `${CLEAR_LINE}${NO_WRAP}${this.#o.paint(this.#text)}${WRAP}`;
    if (this.#column === 0) {
      this.#o.write(line);
      this.#drawn = 'here';
    } else if (this.#column < this.#o.columns()) {
      this.#o.write(`${MAKE_ROOM}${SAVE}${DOWN}${line}${RESTORE}`);
      this.#drawn = 'below';
    }
    // Else the next character wraps, which no terminal remembers over a move of the cursor: the line waits for it.
  }

  /** The text that was written to the same terminal: it decides where the line can stand. */
  passed(text: string): void {
    const columns = Math.max(1, this.#o.columns());
    const lastLine = text.lastIndexOf('\n') + 1;
    let column = lastLine > 0 ? 0 : this.#column;
    for (const character of text.slice(lastLine)) {
      if (character === '\t') {
        column = Math.min(column + TAB_STOP - (column % TAB_STOP), columns - 1);
        continue;
      }
      const width = columnsOf(character);
      column = column + width > columns ? width : column + width;
    }
    this.#column = column;
  }
}
