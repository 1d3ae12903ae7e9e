import type { Terminal, TerminalPatch } from '../wire/normal.js';
import { appended, isTruncated, NO_OUTPUT, textOf, type OutputTail } from './outputTail.js';

/** Of one session; beyond it the terminals are forgotten that were heard of longest ago. */
const TERMINALS_LIMIT = 64;
/** What a word of the agent's may hold that is kept with each terminal. */
const WORD_CHARS = 4_096;

interface Entry {
  command: string | undefined;
  cwd: string | undefined;
  exitStatus: Terminal['exitStatus'];
  cancellable: boolean;
  output: OutputTail;
}
const NOTHING: Entry = {
  command: undefined,
  cwd: undefined,
  exitStatus: undefined,
  cancellable: false,
  output: NO_OUTPUT,
};

const patched = <T>(before: T, change: T | null | undefined, cleared: T): T =>
  change === undefined ? before : (change ?? cleared);
const word = (text: string | null | undefined): string | null | undefined => text?.slice(0, WORD_CHARS) ?? text;

function merged(before: Entry, patch: TerminalPatch): Entry {
  const replaced = patch.output === undefined ? before.output : NO_OUTPUT;
  const output = patch.output ? appended(replaced, patch.output) : replaced;
  return {
    command: patched(before.command, word(patch.command), undefined),
    cwd: patched(before.cwd, word(patch.cwd), undefined),
    exitStatus: patched(before.exitStatus, patch.exitStatus, undefined),
    cancellable: patched(before.cancellable, patch.cancellable, false),
    output: patch.appendOutput ? appended(output, patch.appendOutput) : output,
  };
}

function snapshot(terminalId: string, { command, cwd, exitStatus, cancellable, output }: Entry): Terminal {
  let text: string | undefined;
  return {
    terminalId,
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    // Decoded for who looks: most pieces are not looked at one by one.
    get output() {
      return (text ??= textOf(output));
    },
    truncated: isTruncated(output),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(cancellable ? { cancellable } : {}),
  };
}

/** The agent's own terminals in one session (v2 `terminal_update`, `terminal_output_chunk`), merged patch by patch. */
export class TerminalStore {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly limit = TERMINALS_LIMIT) {}

  apply(patch: TerminalPatch): { terminal: Terminal; first: boolean } {
    const { terminalId } = patch;
    const before = this.#entries.get(terminalId);
    const entry = merged(before ?? NOTHING, patch);
    // The newest is last, so that the first is the one to forget.
    this.#entries.delete(terminalId);
    this.#entries.set(terminalId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.limit && oldest !== undefined) this.#entries.delete(oldest);
    return { terminal: snapshot(terminalId, entry), first: before === undefined };
  }

  get(terminalId: string): Terminal | undefined {
    const entry = this.#entries.get(terminalId);
    return entry && snapshot(terminalId, entry);
  }
}
