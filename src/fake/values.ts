/** The small language of case files: templates in what is sent, patterns in what is expected. See fixtures/cases/README.md. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../wire/values.js';

export interface Ids {
  current: unknown;
  labelled: ReadonlyMap<string, unknown>;
}

/** Each string of a value, replaced. */
function mapStrings(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapStrings(member, map)]));
}

/** Puts ids where they are asked for. */
export const filled = (value: unknown, { current, labelled }: Ids): unknown =>
  mapStrings(value, (text) => {
    if (text === '$id') return current;
    if (text === '$idString') return String(current);
    const label = /^\$id\((\w+)\)$/.exec(text)?.[1];
    if (label !== undefined) return labelled.get(label);
    return text.replace(/\$\{id(?::(\w+))?\}/g, (_, name?: string) =>
      String(name === undefined ? current : labelled.get(name)),
    );
  });

/** Puts the number of the repetition in. */
export const numbered = <T>(value: T, i: number): T =>
  mapStrings(value, (text) => text.replace(/\$i(?![a-z(])/g, String(i))) as T;

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['$string', (value: unknown) => typeof value === 'string'],
  ['$integer', (value: unknown) => Number.isInteger(value)],
  ['$object', isObject],
  ['$array', Array.isArray],
  ['$absolute', (value: unknown) => typeof value === 'string' && /^(\/|[A-Za-z]:\\|\\\\)/.test(value)],
]);

/** What the pattern names has to be there; more may be. */
export function matches(value: unknown, pattern: unknown): boolean {
  const type = TYPES.get(pattern);
  if (type) return type(value);
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length && pattern.every((one, i) => matches(value[i], one));
  }
  if (!isObject(pattern)) return value === pattern;
  return isObject(value) && Object.entries(pattern).every(([name, one]) => matches(value[name], one));
}

export const same = (one: unknown, two: unknown): boolean => isDeepStrictEqual(one, two);

/** Fills the string at `path` until the JSON of the value has exactly so many bytes. */
export function padded(value: unknown, pad: { path: string; frameBytes: number; char: string }): unknown {
  const names = pad.path.split('.');
  const last = names.pop() ?? '';
  let owner = value as Record<string, unknown>;
  for (const name of names) owner = owner[name] as Record<string, unknown>;
  owner[last] = '';
  owner[last] = pad.char.repeat(pad.frameBytes - Buffer.byteLength(JSON.stringify(value)));
  return value;
}
