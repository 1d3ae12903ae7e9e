import type { AuthMethod, TerminalLogin } from './normal.js';
import { AuthMethodSchema, eachOf } from './schemas.js';
import { isObject } from './values.js';

/** Of one method; an agent needs a handful. */
const MAX_ENTRIES = 64;

/** What a process can be handed: a NUL would cut it short. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

/** v1 has the environment as an object, v2 as a list of `{name, value}`: either is read in both. */
function envOf(value: unknown): Record<string, string> {
  const pairs: unknown[][] = Array.isArray(value)
    ? value.filter(isObject).map((entry) => [entry['name'], entry['value']])
    : Object.entries(isObject(value) ? value : {});
  const legal = (pair: unknown[]): boolean => pair.every(isText) && pair[0] !== '' && !String(pair[0]).includes('=');
  // From entries: a name such as `__proto__` becomes a member like any other.
  return Object.fromEntries(pairs.filter(legal).slice(0, MAX_ENTRIES) as [string, string][]);
}

/** What the agent's own program is started with for a login in a terminal. Entries that no process can be given drop out. */
function terminalOf(raw: unknown): TerminalLogin {
  const { args, env } = isObject(raw) ? raw : {};
  const list: readonly unknown[] = Array.isArray(args) ? args : [];
  return { args: list.filter(isText).slice(0, MAX_ENTRIES), env: envOf(env) };
}

export const readAuthMethods = (methods: readonly unknown[] | undefined): AuthMethod[] =>
  eachOf(AuthMethodSchema, methods, (method, raw): AuthMethod | undefined => {
    const id = method.methodId ?? method.id;
    if (id === undefined) return undefined;
    const { type, name = id } = method;
    return type === 'terminal' ? { id, type, name, terminal: terminalOf(raw), raw } : { id, type, name, raw };
  });
