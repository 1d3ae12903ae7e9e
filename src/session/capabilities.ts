import { isObject, type JsonObject } from '../wire/values.js';

export { CAPABILITY_OF_CALL, type GatedCall } from '../wire/capabilities.js';

const CAPABILITY_OF_TRANSPORT: ReadonlyMap<unknown, string> = new Map([
  [undefined, 'mcpCapabilities.stdio'],
  ['stdio', 'mcpCapabilities.stdio'],
  ['http', 'mcpCapabilities.http'],
  ['sse', 'mcpCapabilities.sse'],
  ['acp', 'mcpCapabilities.acp'],
]);

/**
 * Whether these can be declarations of MCP servers: objects, with a name each where their type is one that the protocol knows,
 * and no name twice, since agents tell servers apart by it.
 */
export function areServers(list: unknown): list is readonly JsonObject[] {
  if (!Array.isArray(list) || !list.every(isObject)) return false;
  const isNamed = (name: unknown): boolean => typeof name === 'string' && name !== '';
  const names = list.map(({ name }) => name).filter(isNamed);
  return (
    list.every(({ name, type }) => isNamed(name) || !CAPABILITY_OF_TRANSPORT.has(type)) &&
    new Set(names).size === names.length
  );
}

/** What the parameters of new, load, resume and fork need. MCP transports of a type unknown here are the caller's business. */
export function capabilitiesOfSession(params: {
  mcpServers: readonly unknown[];
  additionalDirectories?: readonly string[] | undefined;
}): string[] {
  const transports = params.mcpServers.map((server) =>
    isObject(server) ? CAPABILITY_OF_TRANSPORT.get(server['type']) : undefined,
  );
  const needed = new Set(transports.filter((path) => path !== undefined));
  if ((params.additionalDirectories?.length ?? 0) > 0) needed.add('sessionCapabilities.additionalDirectories');
  return [...needed];
}

const DRIVE = /^[A-Za-z]:[\\/]/;
const SHARE = /^\\\\[^\\/]+[\\/][^\\/]/;

/** Whether a path is absolute on some platform: the agent may run on another than this one. `C:x` hangs on a drive's cwd. */
export const absolutePath = (path: unknown): path is string =>
  typeof path === 'string' && (path.startsWith('/') || DRIVE.test(path) || SHARE.test(path));
