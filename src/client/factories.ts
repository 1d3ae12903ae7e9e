/** `policy`, `budget` and the ready-made handlers, as the embedding program calls them: what is illegal throws `invalid-argument`. */
import { confinedFs as fs } from '../handlers/confinedFs.js';
import { localTerminal as terminal } from '../handlers/localTerminal.js';
import { inspector as livePage, type Inspector, type InspectorOptions } from '../inspect/inspector.js';
import { Budget, type Bounds } from '../policy/budget.js';
import { policy as policies } from '../policy/policies.js';
import { BadArgument } from '../rpc/badArgument.js';
import { acpError } from './errors.js';

function refused(thrown: unknown): unknown {
  if (!(thrown instanceof BadArgument)) return thrown;
  const { argument, offered } = thrown;
  return acpError({ kind: 'invalid-argument', phase: 'request', argument, offered });
}

function checked<A extends unknown[], R>(make: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return make(...args);
    } catch (thrown) {
      throw refused(thrown);
    }
  };
}

/**
 * Who answers permission requests. `cancel` (the default) answers `cancelled`; `ask` asks your function; `byKind` and
 * `unattended` approve alone, and only what they name: by option kind, never by id, position or label.
 */
export const policy = {
  cancel: checked(policies.cancel),
  ask: checked(policies.ask),
  byKind: checked(policies.byKind),
  unattended: checked(policies.unattended),
};

/** Bounds in milliseconds that several calls and agents share, from the first use on. */
export const budget = checked((bounds: Bounds): Budget => new Budget(bounds));

/**
 * A ready-made `fs` handler for `connect({ handlers: { fs: confinedFs() } })`: text files inside of the session's roots by
 * their real paths, with size caps. See `ConfinedFsOptions`.
 */
export const confinedFs = checked(fs);

/**
 * A ready-made `terminal` handler: runs what the agent asks for on this machine, with your rights and no question asked. See
 * `LocalTerminalOptions`.
 */
export const localTerminal = checked(terminal);

/**
 * A live page of one connection, served on 127.0.0.1 alone: `const view = await inspector()`, then `connect({ recorder: view })`
 * and `view.url` in a browser. It shows ids, kinds and sizes; text only `withText`. Rejects with `invalid-argument`, or with
 * what listening throws (`EADDRINUSE` for a port that is taken).
 */
export async function inspector(options?: InspectorOptions): Promise<Inspector> {
  try {
    return await livePage(options);
  } catch (thrown) {
    throw refused(thrown);
  }
}
