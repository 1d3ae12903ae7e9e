/** The wire cases of `fixtures/cases`: what the library does is what their README and the settled semantics say. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as api from '../src/index.js';
import { readCase } from './support/cases/caseFile.js';
import { runCase } from './support/cases/caseRunner.js';
import { pool } from './support/cases/pool.js';
import { builtPackage } from './support/cli.js';

const folder = fileURLToPath(new URL('../fixtures/cases/', import.meta.url));
const launcher = `${folder}launch.mjs`;
const paths = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort((a, b) => parseInt(a) - parseInt(b))
  .map((name) => folder + name);

/** Times are judged: no more at once than the cases' README allows on a small machine. */
const AT_ONCE = 2;
const CASE_MS = 120_000;

describe('wire cases', () => {
  let results: Promise<string[]>[];
  beforeAll(async () => {
    const player = join(await builtPackage(), 'build/src/fake/caseAgent.js');
    results = pool(paths, AT_ONCE, (path) => runCase(path, { api, launcher, player }));
  }, CASE_MS);

  it.each(paths.map((path, i) => [basename(path, '.json'), readCase(path).title, i] as const))(
    '%s: %s',
    async (_name, _title, i) => {
      expect(await results[i]).toEqual([]);
    },
    CASE_MS,
  );
});
