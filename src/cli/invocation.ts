import type { Output } from './output.js';

/** One call of the command line. */
export interface Invocation {
  /** What stands after `--`. Undefined: there is no `--`. */
  readonly agent: readonly string[] | undefined;
  readonly output: Output;
  /** Set by the command that ran. */
  exitCode: number;
}
