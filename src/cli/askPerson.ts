/**
 * Puts the agent's questions to the person at the terminal, one at a time. Nothing but a number typed after the question was
 * shown answers it: what was typed ahead is thrown away, and anything else asks again or cancels.
 */
import type { AskFn, PermissionRequest } from '../index.js';
import { bounded } from './jsonLines.js';
import type { Output } from './output.js';
import { oneLine, widthOf } from './printable.js';

const OPTIONS_SHOWN = 20;
const PATHS_SHOWN = 3;
const LONGEST = 400;
const LONGEST_NAME = 40;
const LONGEST_KIND = 20;

function described({ title, toolCall, options }: PermissionRequest, output: Output): string {
  const { bold, dim } = output.errColors;
  const { kind, locations = [], rawInput } = toolCall ?? {};
  const names = options.map(({ name }) => oneLine(name, LONGEST_NAME));
  const width = Math.max(0, ...names.map(widthOf));
  return [
    `${bold('The agent asks:')} ${oneLine(title, LONGEST)}${kind === undefined ? '' : dim(` (${oneLine(kind, LONGEST_KIND)})`)}`,
    ...locations.slice(0, PATHS_SHOWN).map(({ path }) => `  in ${oneLine(path, LONGEST)}`),
    ...(rawInput === undefined ? [] : [`  with ${oneLine(JSON.stringify(bounded(rawInput).copy), LONGEST)}`]),
    ...names.map((name, index) => {
      const gap = ' '.repeat(width - widthOf(name));
      return `  ${bold(String(index + 1).padStart(2))}  ${name}${gap}  ${dim(oneLine(options[index]?.kind ?? '', LONGEST_KIND))}`;
    }),
  ].join('\n');
}

export class Person {
  readonly #input: NodeJS.ReadStream;
  readonly #output: Output;
  #last: Promise<unknown> = Promise.resolve();
  #onLine: ((line: string | undefined) => void) | undefined;
  #ended = false;

  constructor(input: NodeJS.ReadStream, output: Output) {
    this.#input = input;
    this.#output = output;
    input.setEncoding('utf8');
    // Read all the time, so that what was typed before a question is gone when it is asked.
    input.on('data', this.#typed);
    input.on('end', this.#over);
    input.on('error', this.#over);
  }

  readonly ask: AskFn = (request, { signal }) => {
    const answer = this.#last.then(() => (signal.aborted ? null : this.#put(request, signal)));
    this.#last = answer;
    return answer;
  };

  /** Lets go of the terminal. */
  dispose(): void {
    this.#input.removeListener('data', this.#typed);
    this.#input.removeListener('end', this.#over);
    this.#input.pause();
    this.#input.unref();
    this.#onLine?.(undefined);
  }

  readonly #typed = (text: string | Buffer): void => this.#onLine?.(String(text).trim());
  readonly #over = (): void => {
    this.#ended = true;
    this.#onLine?.(undefined);
  };

  async #put(request: PermissionRequest, signal: AbortSignal): Promise<string | null> {
    const options = request.options.slice(0, OPTIONS_SHOWN);
    if (options.length === 0) return null;
    const output = this.#output;
    output.beginDialogue();
    try {
      output.note(described({ ...request, options }, output));
      for (;;) {
        output.prompt(`Choose 1-${options.length}, or press Enter for none of them: `);
        const line = await this.#line(signal);
        if (signal.aborted) output.note('\nIt is no longer asked.');
        else if (line === undefined) output.note('\nNobody answers.');
        if (signal.aborted || line === undefined || line === '') return null;
        const chosen = /^\d+$/.test(line) ? options[Number(line) - 1] : undefined;
        if (chosen) return chosen.optionId;
      }
    } finally {
      output.endDialogue();
    }
  }

  #line(signal: AbortSignal): Promise<string | undefined> {
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const done = (line: string | undefined): void => {
        this.#onLine = undefined;
        signal.removeEventListener('abort', aborted);
        resolve(line);
      };
      const aborted = (): void => done(undefined);
      signal.addEventListener('abort', aborted, { once: true });
      this.#onLine = done;
    });
  }
}
