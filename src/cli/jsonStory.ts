/** `demo` for programs: one JSON object a line, with the milliseconds since the start in `at`. */
import { jsonLine } from './jsonLines.js';
import type { Output } from './output.js';
import { statesEntered, type Story } from './timeline.js';

export class JsonStory implements Story {
  readonly #output: Output;
  readonly #began = performance.now();

  constructor(output: Output) {
    this.#output = output;
  }

  readonly inspect = statesEntered((chart, state, cause) => {
    this.#event('state', { chart, state, ...(cause === '' ? {} : { cause }) });
  });

  line(who: string, what: string, note?: string): void {
    this.#event(who, { what, ...(note === undefined || note === '' ? {} : { note }) });
  }

  speech(who: string, text: string): void {
    this.#event('text', { who, text });
  }

  fact(name: string, value: string): void {
    this.#event('fact', { name, value });
  }

  text(): void {}

  #event(event: string, members: Record<string, unknown>): void {
    const at = Math.round(performance.now() - this.#began);
    void this.#output.text(jsonLine({ event, at, ...members }));
  }
}
