/** How to log in, as the agent told it: in its answer to `initialize`, else in the refusal that asks for it. */
import { readAuthMethods } from '../wire/authMethods.js';
import type { AuthMethod } from '../wire/normal.js';
import { isObject, own } from '../wire/values.js';
import type { Source } from './settings.js';

/** A login in a terminal is a person's, never sent; a type that could not be read might be one. */
const isSent = ({ type }: AuthMethod): boolean => type !== 'terminal' && type !== 'unknown';

export class Logins {
  #methods: readonly AuthMethod[] = [];

  constructor(readonly source: Source) {}

  get methods(): readonly AuthMethod[] {
    return this.#methods;
  }

  /** Ids of those that `authenticate` may name. */
  get sent(): string[] {
    return this.#methods.filter(isSent).map(({ id }) => id);
  }

  /** A login in a terminal is the agent's own program, as it was started here, and then some. */
  initialized(methods: readonly AuthMethod[]): readonly AuthMethod[] {
    const { source } = this;
    return (this.#methods = methods.map((method) => {
      if (!method.terminal || source.kind !== 'command') return method;
      const args = [...source.args, ...method.terminal.args];
      return { ...method, terminal: { ...method.terminal, command: source.command, args } };
    }));
  }

  /** `data` of a refusal by -32000: some agents tell the methods only there. */
  refused(data: unknown): readonly AuthMethod[] {
    const told = isObject(data) ? own(data, 'authMethods') : undefined;
    if (this.#methods.length === 0 && Array.isArray(told)) this.initialized(readAuthMethods(told));
    return this.#methods;
  }
}
