/**
 * `npm run simulate -- --seeds N --from S [--steps N]`: N worlds of the simulation (`__tests__/support/simulation`) against
 * build; a failing one prints its seed and a script that was cut down (`--all`: goes on, and cuts none). `--replay FILE` plays
 * such a script again, `--bug NAME` breaks the library first. The worlds are those
 * of the tests.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fromTests } from './fromTests.mjs';

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
const { runSeed, replay, shrink, printed, BUGS } = await fromTests('simulation', ['run', 'shrink', 'script', 'bugs']);

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
