/** docs/requirements.md against the tests that it names, by the script that does it for `npm run requirements`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const MAP = readFileSync('docs/requirements.md', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'requirements-'));
afterAll(() => rmSync(folder, { recursive: true }));

const check = (map: string): Promise<{ code: number; output: string }> => {
  const file = join(folder, 'map.md');
  writeFileSync(file, map);
  return new Promise((done) => {
    execFile(process.execPath, ['scripts/check-requirements.mjs', '--map', file], (error, output) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, output }),
    );
  });
};
const damaged = (...damages: [from: string | RegExp, to: string][]): string =>
  damages.reduce((map, [from, to]) => {
    const changed = map.replace(from, to);
    if (changed === map) throw new Error(`${String(from)} is not in the map`);
    return changed;
  }, MAP);

/** Each check reads all tests with the compiler. */
const LIMIT_MS = 60_000;

describe('the map of the requirements', () => {
  it(
    'names each of the 95 once, with tests that exist under that name',
    async () => {
      const { code, output } = await check(MAP);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^95 requirements, .* 0 wrong$/m) });
    },
    LIMIT_MS,
  );

  it(
    'turns red by a test that was renamed, a row or a file that was taken out, and a requirement without a test or missing',
    async () => {
      const { code, output } = await check(
        damaged(
          ['is one line of JSON`', 'is one line of YAML`'],
          ['m[effort=high,low]', 'm[effort=high,LOW]'],
          ['specLock.test.ts', 'specKey.test.ts'],
          [/(^91\. .+\n)(?: .+\n)+/m, '$1'],
          [/^95\. .+\n(?: .+\n)+/m, ''],
        ),
      );
      expect(code).toBe(1);
      const failures = output.split('\n').filter((line) => line.startsWith('FAILED'));
      expect(failures).toEqual([
        'FAILED 95 is in the map 0 times',
        'FAILED 3: framingWriter.test.ts has no > a message > is one line of YAML',
        'FAILED 62: sessionEffort.test.ts has no > a parameterised model identifier > m[effort=high,LOW]',
        'FAILED 91 has no test',
        'FAILED 93: there is no specKey.test.ts',
      ]);
    },
    LIMIT_MS,
  );
});
