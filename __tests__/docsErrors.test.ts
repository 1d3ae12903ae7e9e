/** docs/errors.md tells of every kind of error, and of no other. */
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');

it('The page on errors has a section for each kind of the closed set', () => {
  const union = /export type ErrorKind =([^;]*);/.exec(read('src/join/failure.ts'))?.[1] ?? '';
  const kinds = [...union.matchAll(/'([a-z-]+)'/g)].map(([, kind]) => kind).sort();
  const sections = [...read('docs/errors.md').matchAll(/^## `([a-z-]+)`$/gm)].map(([, kind]) => kind).sort();
  expect(kinds).toHaveLength(19);
  expect(sections).toEqual(kinds);
});
