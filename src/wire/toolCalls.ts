import type { ToolLocation, ToolPatch } from './normal.js';
import { cancellableBy } from './terminals.js';
import { isObject, textOf } from './values.js';

/** What null says of a member of a tool call: v1 leaves it as it is, v2 clears it. */
export type Nulls = 'unchanged' | 'clear';

const CONTENT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** v1's own page on modes shows a bare content block where the schema wants it wrapped; agents followed it. */
const wrapped = (entry: unknown): unknown =>
  isObject(entry) && CONTENT_BLOCKS.has(entry['type']) ? { type: 'content', content: entry } : entry;

const contentOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) ? value.filter(isObject).map(wrapped) : undefined;

function locationsOf(value: unknown): ToolLocation[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const locations: ToolLocation[] = [];
  for (const entry of value as unknown[]) {
    if (!isObject(entry) || typeof entry['path'] !== 'string') continue;
    const line = entry['line'];
    locations.push(Number.isInteger(line) ? { path: entry['path'], line: line as number } : { path: entry['path'] });
  }
  return locations;
}

function member<T>(value: unknown, nulls: Nulls, read: (value: unknown) => T | undefined): T | null | undefined {
  if (value === null) return nulls === 'clear' ? null : undefined;
  return value === undefined ? undefined : read(value);
}

const asIs = (value: unknown): unknown => value;

/**
 * A tool call or a change of one, from an update or a permission request. A member of the wrong type is left out alone;
 * `undefined` where there is no usable `toolCallId`.
 */
export function readToolPatch(value: unknown, nulls: Nulls): ToolPatch | undefined {
  if (!isObject(value) || typeof value['toolCallId'] !== 'string') return undefined;
  const patch: ToolPatch = { toolCallId: value['toolCallId'] };
  const title = member(value['title'], nulls, textOf);
  if (title !== undefined) patch.title = title;
  const kind = member(value['kind'], nulls, textOf);
  if (kind !== undefined) patch.kind = kind;
  const status = member(value['status'], nulls, textOf);
  if (status !== undefined) patch.status = status;
  const content = member(value['content'], nulls, contentOf);
  if (content !== undefined) patch.content = content;
  const locations = member(value['locations'], nulls, locationsOf);
  if (locations !== undefined) patch.locations = locations;
  const rawInput = member(value['rawInput'], nulls, asIs);
  if (rawInput !== undefined) patch.rawInput = rawInput;
  const rawOutput = member(value['rawOutput'], nulls, asIs);
  if (rawOutput !== undefined) patch.rawOutput = rawOutput;
  // v1 has no such word: what it might mean there nobody promised.
  const cancellable = nulls === 'clear' ? cancellableBy(value['capabilities']) : undefined;
  if (cancellable !== undefined) patch.cancellable = cancellable;
  return patch;
}

/** `tool_call_content_chunk`: one entry more for the content of a tool call. */
export function readContentChunk(value: unknown): ToolPatch | undefined {
  if (!isObject(value) || typeof value['toolCallId'] !== 'string') return undefined;
  const patch: ToolPatch = { toolCallId: value['toolCallId'] };
  const entry = wrapped(value['content']);
  if (isObject(entry)) patch.appendContent = [entry];
  return patch;
}
