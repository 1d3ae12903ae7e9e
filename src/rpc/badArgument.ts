/**
 * The embedding program handed in something illegal, and nothing was done. Any floor may throw it out of a call of the
 * embedder's, never out of the read path; the public floor turns it into `invalid-argument`.
 */
export class BadArgument extends Error {
  override readonly name = 'BadArgument';
  /** Dotted from the option inwards: `budget.idleMs`. */
  readonly argument: string;
  readonly #offered: readonly string[] | undefined;

  constructor(argument: string, offered?: readonly string[]) {
    super(`invalid argument: ${argument}`);
    this.argument = argument;
    this.#offered = offered;
  }

  /** The legal values, where there is a list of them. Not enumerable: they may be the agent's words. */
  get offered(): readonly string[] | undefined {
    return this.#offered;
  }
}
