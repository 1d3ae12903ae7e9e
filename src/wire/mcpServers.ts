import { isObject, type JsonObject } from './values.js';

/** Declarations of MCP servers are the embedder's, in either version's words. Entries that are no object go out as they are. */

const isStdio = (entry: JsonObject): boolean => entry['type'] === undefined || entry['type'] === 'stdio';

const withList = (entry: JsonObject, name: string): JsonObject =>
  Array.isArray(entry[name]) ? entry : { ...entry, [name]: [] };

/** v1 has no word for stdio, and its decoders refuse the whole request where a list is left out. */
export function mcpServersV1(servers: readonly unknown[]): unknown[] {
  return servers.map((entry) => {
    if (!isObject(entry)) return entry;
    if (!isStdio(entry)) return withList(entry, 'headers');
    const stdio = Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'type'));
    return withList(withList(stdio, 'args'), 'env');
  });
}

/** v2 wants the type always. */
export function mcpServersV2(servers: readonly unknown[]): unknown[] {
  return servers.map((entry) => (isObject(entry) && entry['type'] === undefined ? { type: 'stdio', ...entry } : entry));
}
