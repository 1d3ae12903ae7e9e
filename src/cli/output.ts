/** Where everything goes that the command line says: stdout for what was asked for, stderr for all the rest. */
import picocolors from 'picocolors';
import { printable } from './printable.js';
import { StatusLine } from './statusLine.js';

export type Colors = ReturnType<typeof picocolors.createColors>;
/** Node leaves `isTTY` out where there is no terminal, whatever its types say. */
type Terminal = Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>;

export interface OutputOptions {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
}

const DEFAULT_COLUMNS = 80;
const MOST_BEHIND = 1024 * 1024;

const isTerminal = (stream: Terminal): boolean => stream.isTTY === true;
const moves = (stream: Terminal, env: NodeJS.ProcessEnv): boolean => isTerminal(stream) && env['TERM'] !== 'dumb';
/** picocolors would also colour in CI and where an argument says so: here only terminals are coloured. */
const colorsFor = (stream: Terminal, env: NodeJS.ProcessEnv): Colors =>
  picocolors.createColors(moves(stream, env) && !env['NO_COLOR']);

export class Output {
  /** Told once when stdout can take no more: whoever read it has gone, or the disk is full. */
  onBroken: (error: NodeJS.ErrnoException) => void = () => {};
  /** Of stdout. */
  readonly colors: Colors;
  /** Of stderr. */
  readonly errColors: Colors;
  /** Whether `status` shows anything. */
  readonly hasStatus: boolean;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  readonly #status: StatusLine | undefined;
  /** Text and status line share a screen. */
  readonly #shared: boolean;
  readonly #waiting = new Set<() => void>();
  #midLine = false;
  #broken = false;
  #held = true;
  /** Text that came while a question stands on the screen that it would be written to. */
  #behind: string | undefined;

  constructor({ stdout, stderr, env }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.colors = colorsFor(stdout, env);
    this.errColors = colorsFor(stderr, env);
    this.hasStatus = moves(stderr, env);
    this.#shared = this.hasStatus && isTerminal(stdout);
    if (this.hasStatus) {
      this.#status = new StatusLine({
        write: (sequence) => void stderr.write(sequence),
        columns: () => stderr.columns || DEFAULT_COLUMNS,
        paint: (text) => this.errColors.dim(text),
      });
    }
    stdout.on('error', (error: NodeJS.ErrnoException) => this.#breaks(error));
    // Nobody is left to be told.
    stderr.on('error', () => {});
  }

  /** Columns of stdout, where tables go. */
  get columns(): number {
    return this.#stdout.columns || DEFAULT_COLUMNS;
  }

  /**
   * Foreign text to stdout as it is, but that a terminal is spared its control characters. A promise comes back while the
   * reader is behind.
   */
  text(text: string): Promise<void> | undefined {
    return this.styled(this.#stdout.isTTY ? printable(text) : text);
  }

  /** Text of our own, colours and all, to stdout. */
  styled(shown: string): Promise<void> | undefined {
    if (shown === '' || this.#broken) return undefined;
    if (this.#behind !== undefined && this.#behind.length < MOST_BEHIND) {
      this.#behind += shown;
      return undefined;
    }
    this.#midLine = !shown.endsWith('\n');
    if (this.#shared) this.#status?.erase();
    const accepted = this.#stdout.write(shown);
    if (this.#shared) {
      this.#status?.passed(shown);
      this.#status?.draw();
    }
    return accepted || !this.#held ? undefined : this.#drained();
  }

  /** Ends the line that stdout's text stands in, if it stands in one. */
  endLine(): void {
    if (this.#midLine) void this.text('\n');
  }

  /** Lines to stderr. */
  note(lines: string): void {
    this.#status?.erase();
    if (this.#shared && this.#midLine) {
      // On the screen alone: what stdout holds is not touched.
      this.#stderr.write('\n');
      this.#status?.passed('\n');
      this.#midLine = false;
    }
    this.#stderr.write(`${lines}\n`);
    this.#status?.draw();
  }

  /** A question without an end of line: the answer is typed behind it. */
  prompt(question: string): void {
    this.#stderr.write(question);
  }

  /** Until `endDialogue` there is no status line, and text for the same screen waits. */
  beginDialogue(): void {
    this.#status?.pause();
    if (this.#shared) this.#behind = '';
  }

  endDialogue(): void {
    const behind = this.#behind ?? '';
    this.#behind = undefined;
    void this.styled(behind);
    this.#status?.resume();
  }

  /** The live line of stderr; nothing where that is no terminal. */
  status(text: string | undefined): void {
    this.#status?.set(text);
  }

  /** From now on nobody waits for a slow reader: what comes is kept until it reads, or lost with it. */
  letGo(): void {
    this.#held = false;
    for (const go of [...this.#waiting]) go();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#stdout.removeListener('drain', go);
        this.#waiting.delete(go);
        resolve();
      };
      this.#waiting.add(go);
      this.#stdout.on('drain', go);
    });
  }

  #breaks(error: NodeJS.ErrnoException): void {
    if (this.#broken) return;
    this.#broken = true;
    this.letGo();
    this.onBroken(error);
  }
}
