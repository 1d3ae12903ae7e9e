/** `policy`, `budget` and the ready-made handlers, as the embedding program calls them: what is illegal throws `invalid-argument`. */
import { confinedFs as fs } from '../handlers/confinedFs.js';
import { localTerminal as terminal } from '../handlers/localTerminal.js';
import { Budget, type Bounds } from '../policy/budget.js';
import { policy as policies } from '../policy/policies.js';
import { refused } from './refused.js';

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
