import { BadArgument } from '../rpc/badArgument.js';
import { acpError } from './errors.js';

/** What a floor below refused, as the embedding program is told. */
export function refused(thrown: unknown): unknown {
  if (!(thrown instanceof BadArgument)) return thrown;
  const { argument, offered } = thrown;
  return acpError({ kind: 'invalid-argument', phase: 'request', argument, offered });
}
