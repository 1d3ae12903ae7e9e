/**
 * `npm run simulate -- --seeds N --from S [--steps N]`: N worlds of the simulation (`__tests__/support/simulation`) against
 * dist; a failing one prints its seed and a script that was cut down (`--all`: goes on, and cuts none). `--replay FILE` plays
 * such a script again, `--bug NAME` breaks the library first. The worlds are those of the tests: their TypeScript is translated on the way, its types are
 * checked there.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, '__tests__/support/simulation');
const output = join(root, '.tmp', `simulate-${process.pid}`);

async function simulation() {
  mkdirSync(output, { recursive: true });
  try {
    for (const name of readdirSync(source)) {
      const { outputText } = ts.transpileModule(readFileSync(join(source, name), 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
      });
      writeFileSync(
        join(output, name.replace(/\.ts$/, '.mjs')),
        outputText
          .replaceAll(/(from '\.\/\w+)\.js'/g, "$1.mjs'")
          .replaceAll(
            /from '\.\.\/\.\.\/\.\.\/(src\/[\w/]+\.js)'/g,
            `from '${pathToFileURL(join(root, 'dist')).href}/$1'`,
          ),
      );
    }
    const load = (name) => import(pathToFileURL(join(output, `${name}.mjs`)).href);
    return { ...(await load('run')), ...(await load('shrink')), ...(await load('script')), ...(await load('bugs')) };
  } finally {
    rmSync(output, { recursive: true });
  }
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '100' },
    replay: { type: 'string' },
    bug: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const { runSeed, replay, shrink, printed, BUGS } = await simulation();

const strays = [];
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => strays.push(`${event}: ${error?.stack ?? error}`));
}

if (values.bug !== undefined) {
  const bug = BUGS.find(({ name }) => name === values.bug);
  if (bug === undefined) throw new Error(`--bug is one of ${BUGS.map(({ name }) => name).join(', ')}`);
  bug.apply();
}

const run = async (start) => {
  const report = await start();
  if (strays.length > 0) report.violation ??= strays.splice(0).join('\n');
  return report;
};

if (values.replay !== undefined) {
  const { violation, steps } = await run(() => replay(JSON.parse(readFileSync(values.replay, 'utf8'))));
  console.log(violation === undefined ? `clean, ${steps} steps` : `VIOLATION: ${violation}`);
  process.exitCode = violation === undefined ? 0 : 1;
} else {
  const [seeds, from, length] = [values.seeds, values.from, values.steps].map(Number);
  const began = performance.now();
  const outcomes = new Map();
  let steps = 0;
  let failed = 0;
  let ran = 0;
  for (let seed = from; seed < from + seeds && (failed === 0 || values.all); seed += 1) {
    const report = await run(() => runSeed(seed, length));
    steps += report.steps;
    ran += 1;
    for (const [outcome, times] of report.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times);
    if (report.violation === undefined) continue;
    failed += 1;
    console.log(`seed ${seed}: VIOLATION: ${report.violation}`);
    if (values.all) continue;
    const least = await shrink(report);
    console.log(`shrunk to ${least.script.actions.length} of ${report.script.actions.length} actions:`);
    console.log(printed(least.script));
  }
  const seconds = (performance.now() - began) / 1000;
  for (const [outcome, times] of [...outcomes].sort()) console.log(`${String(times).padStart(9)}  ${outcome}`);
  console.log(
    `${ran} seeds from ${from}: ${steps} steps in ${seconds.toFixed(1)} s, ${Math.round(steps / seconds)} steps/s`,
  );
  console.log(failed === 0 ? 'clean' : 'NOT clean');
  process.exitCode = failed === 0 ? 0 : 1;
}
