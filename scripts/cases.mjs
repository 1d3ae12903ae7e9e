/**
 * `npm run cases -- [DIR] [NAME-PART]`: runs every case file of a folder (default: fixtures/cases) against dist, one line
 * per case, and last `N passed, N failed`. The runner is that of the tests.
 */
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as api from '../dist/index.js';
import { fromTests } from './fromTests.mjs';

const AT_ONCE = 2;
const root = fileURLToPath(new URL('..', import.meta.url));

const [folder = join(root, 'fixtures/cases'), part = ''] = process.argv.slice(2);
// npm changes to the package's folder; the caller means his own.
const directory = resolve(process.env.INIT_CWD ?? '.', folder);
const { runCase, readCase, pool } = await fromTests('cases', ['caseRunner', 'caseFile', 'pool']);
const launcher = join(root, 'fixtures/cases/launch.mjs');
const player = join(root, 'build/src/fake/caseAgent.js');
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.json') && name.includes(part))
  .sort((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1));

const strays = [];
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => strays.push({ event, error }));

let failed = 0;
const timed = async (name) => {
  const began = performance.now();
  const problems = await runCase(join(directory, name), { api, launcher, player }).catch((error) => [
    `the run broke: ${error}`,
  ]);
  return { problems, seconds: ((performance.now() - began) / 1000).toFixed(1) };
};
const results = pool(names, AT_ONCE, timed);
for (const [i, name] of names.entries()) {
  const { problems, seconds } = await results[i];
  const { title } = readCase(join(directory, name));
  console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${basename(name, '.json')}: ${title} (${seconds} s)`);
  for (const problem of problems) console.log(`         ${problem}`);
  if (problems.length > 0) failed++;
}
for (const { event, error } of strays) console.log(`FAILED ${event}: ${error?.stack ?? error}`);
failed += strays.length;
console.log(`${names.length + strays.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && names.length > 0 ? 0 : 1;
