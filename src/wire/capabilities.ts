import type { AgentFacts } from './normal.js';
import { isObject, own, type JsonObject } from './values.js';

/** Deeper than any path of either version; a bound for paths that callers make up. */
const MAX_PATH_SEGMENTS = 8;

/** Calls that an agent need not serve, and the capability that says that it does, as v1's dotted path. */
export const CAPABILITY_OF_CALL = {
  'session/load': 'loadSession',
  'session/resume': 'sessionCapabilities.resume',
  'session/list': 'sessionCapabilities.list',
  'session/close': 'sessionCapabilities.close',
  'session/delete': 'sessionCapabilities.delete',
  'session/fork': 'sessionCapabilities.fork',
  logout: 'auth.logout',
} as const;
export type GatedCall = keyof typeof CAPABILITY_OF_CALL;

/** The leaf rule: a boolean is its own value, an object is a marker, and null, absent, string, number and array are a no. */
export const isAdvertised = (leaf: unknown): boolean => leaf === true || isObject(leaf);

function walk(capabilities: JsonObject, segments: readonly string[]): boolean {
  if (segments.length > MAX_PATH_SEGMENTS) return false;
  let at: unknown = capabilities;
  for (const segment of segments) {
    if (!isObject(at)) return false;
    at = own(at, segment);
  }
  return isAdvertised(at);
}

/** Every v1 agent must serve stdio MCP servers, and v1 has no word for it; v2 has the marker `session.mcp.stdio`. */
const STDIO = 'mcpCapabilities.stdio';

export function advertisesV1(capabilities: JsonObject, path: string): boolean {
  return path === STDIO || walk(capabilities, path.split('.'));
}

/** What every v2 agent with `session` serves: no marker says so. `load` is `session/resume` with replay. */
const V2_BASELINE: ReadonlySet<string> = new Set([
  'loadSession',
  'sessionCapabilities.list',
  'sessionCapabilities.resume',
  'sessionCapabilities.close',
]);
const V2_HOME: ReadonlyMap<string, readonly string[]> = new Map([
  ['promptCapabilities', ['session', 'prompt']],
  ['mcpCapabilities', ['session', 'mcp']],
  ['sessionCapabilities', ['session']],
]);

/** Takes v1's paths; any other is walked as it is. */
export function advertisesV2(capabilities: JsonObject, path: string): boolean {
  if (V2_BASELINE.has(path)) return isObject(own(capabilities, 'session'));
  if (path === 'auth.logout') return isObject(own(capabilities, 'auth'));
  const [head = '', ...rest] = path.split('.');
  return walk(capabilities, [...(V2_HOME.get(head) ?? [head]), ...rest]);
}

/** Whether the agent serves a logout. v1 has a marker for it; in v2 it comes with having authentication methods at all. */
export function advertisesLogout(facts: AgentFacts): boolean {
  return facts.version === 1 ? advertisesV1(facts.capabilities, 'auth.logout') : facts.authMethods.length > 0;
}

/** What the library knows of a capability object: which paths hold leaves of ours, and which hold paths. */
interface Modelled {
  leaves: ReadonlySet<string>;
  containers: ReadonlySet<string>;
}
const under = (parent: string, ...names: string[]): string[] => names.map((name) => `${parent}.${name}`);
const V1_MODELLED: Modelled = {
  containers: new Set(['promptCapabilities', 'mcpCapabilities', 'sessionCapabilities', 'auth']),
  leaves: new Set([
    'loadSession',
    ...under('promptCapabilities', 'image', 'audio', 'embeddedContext'),
    ...under('mcpCapabilities', 'http', 'sse', 'acp'),
    ...under('sessionCapabilities', 'list', 'resume', 'close', 'delete', 'fork', 'additionalDirectories'),
    'auth.logout',
  ]),
};
const V2_MODELLED: Modelled = {
  containers: new Set(['session', 'session.prompt', 'session.mcp', 'auth']),
  leaves: new Set([
    ...under('session.prompt', 'image', 'audio', 'embeddedContext'),
    ...under('session.mcp', 'stdio', 'http', 'acp'),
    ...under('session', 'delete', 'fork', 'additionalDirectories'),
  ]),
};

const MAX_NARROWER = 64;
const MAX_NARROWER_SEGMENTS = 4;
const MAX_MEMBERS_VISITED = 4096;
const MAX_NAME_CHARS = 64;

/** An object whose members are capabilities themselves (v1 denies one by `false`, v2 by `null`) says nothing of its own. */
const holdsCapabilities = (value: JsonObject): boolean =>
  Object.entries(value).some(
    ([name, member]) => name !== '_meta' && (typeof member === 'boolean' || member === null || isObject(member)),
  );

function unmodelled(capabilities: JsonObject, modelled: Modelled): string[] {
  const found: string[] = [];
  let visited = 0;
  const visit = (value: JsonObject, parent: string, segments: number): void => {
    for (const name of Object.keys(value)) {
      visited += 1;
      if (found.length === MAX_NARROWER || visited > MAX_MEMBERS_VISITED) return;
      if (name === '_meta' || name.length > MAX_NAME_CHARS) continue;
      const path = parent === '' ? name : `${parent}.${name}`;
      const member = value[name];
      if (modelled.leaves.has(path) || !isAdvertised(member)) continue;
      const contained = modelled.containers.has(path);
      if (isObject(member) && (contained || (segments < MAX_NARROWER_SEGMENTS && holdsCapabilities(member)))) {
        visit(member, path, segments + 1);
      } else if (!contained) {
        found.push(path);
      }
    }
  };
  visit(capabilities, '', 1);
  return found;
}

export const narrowerV1 = (capabilities: JsonObject): string[] => unmodelled(capabilities, V1_MODELLED);
export const narrowerV2 = (capabilities: JsonObject): string[] => unmodelled(capabilities, V2_MODELLED);
