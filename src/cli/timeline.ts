/** `demo` on paper: what happened, when, and to which chart. At most 80 columns. */
import type { ConnectOptions } from '../index.js';
import type { Output } from './output.js';
import { oneLine } from './printable.js';

export type Inspect = Extract<NonNullable<ConnectOptions['inspect']>, (event: never) => unknown>;
type InspectionEvent = Parameters<Inspect>[0];

const COLUMNS = 80;
const TIME_COLUMNS = 8;
const WHO_COLUMNS = 12;
const WHAT_COLUMNS = 30;
const TEXT_COLUMNS = COLUMNS - TIME_COLUMNS - WHO_COLUMNS;

/** One path for each state that the chart is in; parallel regions are one each. */
function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value === 'string') return [above + value];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, below]) =>
    pathsOf(below, `${above}${name}.`),
  );
}

/** For `connect`: tells of each state that a chart enters, and of the event that led there. */
export function statesEntered(tell: (chart: string, path: string, cause: string) => void): Inspect {
  const last = new Map<string, readonly string[]>();
  return (event: InspectionEvent): void => {
    if (event.type !== '@xstate.snapshot' || !('value' in event.snapshot)) return;
    const { id, logic } = event.actorRef as unknown as { id: string; logic: { id: string } };
    const paths = pathsOf(event.snapshot.value);
    const before = last.get(id) ?? [];
    last.set(id, paths);
    const cause = event.event.type.startsWith('xstate.') ? '' : event.event.type;
    for (const path of paths) if (!before.includes(path)) tell(logic.id, path, cause);
  };
}

/** What `demo` tells. */
export interface Story {
  readonly inspect: Inspect;
  /** Something that is no state. */
  line(who: string, what: string, note?: string): void;
  /** A piece of what somebody says, as it streams; one that begins with a line feed begins a line. */
  speech(who: string, text: string): void;
  /** A line of the head or the foot. */
  fact(name: string, value: string): void;
  /** What only a person reads. */
  text(text: string): void;
}

export class Timeline implements Story {
  readonly #output: Output;
  readonly #began = performance.now();
  /** Who speaks in a line that is not ended. */
  #speaker: string | undefined;
  #column = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  readonly inspect = statesEntered((chart, path, cause) => this.#line(this.#output.colors.cyan, chart, path, cause));

  line(who: string, what: string, note = ''): void {
    this.#line(this.#output.colors.magenta, who, what, note);
  }

  speech(who: string, text: string): void {
    const { bold, magenta } = this.#output.colors;
    if (text.startsWith('\n')) this.#endSpeech();
    for (const piece of text.match(/\S+\s*/g) ?? []) {
      const begins = this.#speaker !== who;
      if (begins || this.#column + piece.trimEnd().length > COLUMNS) {
        this.#endSpeech();
        this.#say(
          begins ? `${this.#time()}${magenta(who.padEnd(WHO_COLUMNS))}` : ' '.repeat(TIME_COLUMNS + WHO_COLUMNS),
        );
        this.#speaker = who;
        this.#column = TIME_COLUMNS + WHO_COLUMNS;
      }
      this.#say(bold(piece.trim()) + ' ');
      this.#column += piece.trim().length + 1;
    }
  }

  fact(name: string, value: string): void {
    this.#endSpeech();
    this.#say(`${this.#output.colors.dim(name.padEnd(TIME_COLUMNS + 2))}${value}\n`);
  }

  text(text: string): void {
    this.#endSpeech();
    this.#say(`${text}\n`);
  }

  #line(color: (text: string) => string, who: string, what: string, note: string): void {
    const short = oneLine(what, note === '' ? TEXT_COLUMNS : WHAT_COLUMNS - 1);
    this.#endSpeech();
    const head = `${this.#time()}${color(who.padEnd(WHO_COLUMNS))}`;
    this.#say(`${head}${note === '' ? short : short.padEnd(WHAT_COLUMNS) + this.#output.colors.dim(note)}\n`);
  }

  #time(): string {
    const ms = Math.round(performance.now() - this.#began);
    return this.#output.colors.dim(`${String(ms).padStart(TIME_COLUMNS - 2)}  `);
  }

  #endSpeech(): void {
    if (this.#speaker !== undefined) this.#say('\n');
    this.#speaker = undefined;
  }

  #say(text: string): void {
    void this.#output.styled(text);
  }
}
