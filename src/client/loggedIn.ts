import type { CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import { badBound, budgetOf } from '../policy/budget.js';
import { AcpError } from './errors.js';

/** Bounds become one budget, for what one call of the embedder's asks of the agent one after the other. */
export function oneBudget<O extends CallOptions>(options: O): O {
  const { budget } = options;
  return budget === undefined || badBound(budget) !== undefined ? options : { ...options, budget: budgetOf(budget) };
}

/** Makes the call; where the agent wants a login first and the embedding program said how, once more after it. */
export async function loggedIn<T, O extends CallOptions>(
  hub: Hub,
  options: O | undefined,
  call: (options: O | undefined) => Promise<T>,
): Promise<T> {
  if (!hub.login.wanted) return call(options);
  // The refused call, the login and the second try share it.
  const bounds = options && oneBudget(options);
  try {
    return await call(bounds);
  } catch (refused) {
    const wantsLogin = refused instanceof AcpError && refused.kind === 'auth-required';
    if (!wantsLogin || !(await hub.login.attempt(bounds))) throw refused;
    return call(bounds);
  }
}
