import { isObject } from '../wire/values.js';
import { absolutePath } from './capabilities.js';

/** Trusted declarations of MCP servers: launch configuration, the same for every new, load and resume. */

export const TOOLS_LIMIT_BYTES = 64 * 1024;
export const TOOLS_LIMIT_SERVERS = 8;
const LIMIT_ENTRIES = 64;
const LIMIT_ENTRY_BYTES = 4 * 1024;
const LIMIT_NAME_CHARS = 64;

/** A stdio MCP server, in the shape of v1. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** Stable, and all that is said: the declarations may hold credentials. */
export type ToolsError =
  | 'too-large'
  | 'not-json'
  | 'not-a-list'
  | 'too-many-servers'
  | 'not-an-object'
  | 'not-stdio'
  | 'unknown-member'
  | 'bad-name'
  | 'reserved-name'
  | 'duplicate-name'
  | 'command-not-absolute'
  | 'bad-args'
  | 'bad-env';

export type Tools =
  | { ok: true; servers: readonly ToolServer[] }
  /** `server`: position of the one at fault, from 0. */
  | { ok: false; code: ToolsError; server?: number };

/**
 * Names by which hosts and agents speak of themselves: a server of that name could pass for them in a transcript or a rule.
 * Compared without case and separators, so that `ACP_Turnstile` is refused too.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['acpturnstile', 'turnstile', 'acp'],
  ...['harness', 'host', 'client', 'agent', 'orchestrator'],
]);
const plain = (name: string): string => name.toLowerCase().replace(/[._-]/g, '');

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'command', 'args', 'env']);

/** What a process can be handed: bounded, and without the NUL that would cut it short. */
const fits = (text: unknown): text is string =>
  typeof text === 'string' && Buffer.byteLength(text) <= LIMIT_ENTRY_BYTES && !text.includes('\0');

function readArgs(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > LIMIT_ENTRIES) return undefined;
  const args: readonly unknown[] = value;
  return args.every(fits) ? [...args] : undefined;
}

function readEnv(value: unknown): ToolServer['env'] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > LIMIT_ENTRIES) return undefined;
  const env = new Map<string, string>();
  for (const entry of value as readonly unknown[]) {
    if (!isObject(entry)) return undefined;
    const { name, value: text } = entry;
    if (!fits(name) || !fits(text) || !fits(name + text)) return undefined;
    if (name === '' || name.includes('=') || env.has(name)) return undefined;
    env.set(name, text);
  }
  return [...env].map(([name, text]) => Object.freeze({ name, value: text }));
}

function readServer(entry: unknown, ownName: string, taken: ReadonlySet<string>): ToolServer | ToolsError {
  if (!isObject(entry)) return 'not-an-object';
  const { type, name, command } = entry;
  if ((type !== undefined && type !== 'stdio') || 'url' in entry) return 'not-stdio';
  if (!Object.keys(entry).every((member) => MEMBERS.has(member))) return 'unknown-member';
  if (typeof name !== 'string' || name.length > LIMIT_NAME_CHARS || !NAME.test(name)) return 'bad-name';
  if (RESERVED.has(plain(name)) || plain(name) === plain(ownName)) return 'reserved-name';
  if (taken.has(plain(name))) return 'duplicate-name';
  if (!fits(command) || !absolutePath(command)) return 'command-not-absolute';
  const args = readArgs(entry['args']);
  if (args === undefined) return 'bad-args';
  const env = readEnv(entry['env']);
  if (env === undefined) return 'bad-env';
  return Object.freeze({ name, command, args: Object.freeze(args), env: Object.freeze(env) });
}

/**
 * A list of at most eight declarations `{ name, command, args?, env? }` (`type` may be `stdio`): unique names of letters,
 * digits, `.`, `_` and `-`; an absolute executable path; at most 64 arguments and 64 environment entries `{ name, value }`, each of
 * at most 4 KiB.
 *
 * @param ownName the embedder's own name (`client.name`), reserved as well.
 */
export function checkTools(value: unknown, ownName = ''): Tools {
  if (!Array.isArray(value)) return { ok: false, code: 'not-a-list' };
  if (value.length > TOOLS_LIMIT_SERVERS) return { ok: false, code: 'too-many-servers' };
  const servers: ToolServer[] = [];
  const taken = new Set<string>();
  for (const [at, entry] of (value as readonly unknown[]).entries()) {
    const server = readServer(entry, ownName, taken);
    if (typeof server === 'string') return { ok: false, code: server, server: at };
    taken.add(plain(server.name));
    servers.push(server);
  }
  return { ok: true, servers: Object.freeze(servers) };
}

/** The same from the text of a file of at most 64 KiB. */
export function parseTools(text: string, ownName = ''): Tools {
  if (Buffer.byteLength(text) > TOOLS_LIMIT_BYTES) return { ok: false, code: 'too-large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'not-json' };
  }
  return checkTools(value, ownName);
}
