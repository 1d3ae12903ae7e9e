/**
 * `npm run bench [-- --quick] [-- --only NAME,…]`: measures, and prints what came out. A full run writes it to results.md,
 * and the table of targets and the plot into docs/performance.md. With `--only` or `--quick` nothing is written.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { bars } from './plot.mjs';
import { report, targetTable } from './report.mjs';
import { Results } from './results.mjs';
import { scenarioNames, scenarioOf } from './scenarios.mjs';

const LIMIT_MS = 60_000;
const MOST_ERROR_CHARS = 300;
/** Around what a run writes into the page. */
const MARK = '<!-- written by npm run bench -->';

const quick = process.argv.includes('--quick');
const onlyAt = process.argv.indexOf('--only');
const names = onlyAt < 0 ? scenarioNames : process.argv[onlyAt + 1].split(',');

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const versionOf = (name) => JSON.parse(readFileSync(here(`../node_modules/${name}/package.json`), 'utf8')).version;

function measure(scenario, driver) {
  const args = ['--expose-gc', here('measure.mjs'), scenario, driver, ...(quick ? ['quick'] : [])];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (errors = (errors + text).slice(0, MOST_ERROR_CHARS)));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(output));
      } catch {
        console.error(`\n${scenario}, ${driver}: ${errors || `ended with ${code}`}`);
        resolve({ failed: 'failed' });
      }
    });
  });
}

async function runAll(results) {
  for (const name of names) {
    const { drivers, runs, together } = scenarioOf(name, quick);
    const list = Object.keys(drivers);
    const began = performance.now();
    for (let run = 0; run < runs; run += 1) {
      // Whoever comes first, or after a heavy one, must not always be the same.
      const order = list.map((_, at) => list[(at + run) % list.length]);
      const one = async (driver) => results.add(name, driver, await measure(name, driver));
      if (together) await Promise.all(order.map(one));
      else for (const driver of order) await one(driver);
    }
    console.error(`${name.padEnd(10)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}

const results = new Results();
const loads = [os.loadavg()[0]];
await runAll(results);
loads.push(os.loadavg()[0]);
const versions = [
  `Node ${process.versions.node}`,
  `acp-turnstile ${JSON.parse(readFileSync(here('../package.json'), 'utf8')).version}`,
  ...['@agentclientprotocol/sdk', 'xstate', 'valibot'].map((name) => `${name} ${versionOf(name)}`),
];
const text = report(results, { quick, versions, loads });
console.log(text);
if (onlyAt < 0 && !quick) {
  writeFileSync(here('results.md'), text);
  const list = Object.keys(scenarioOf('small', quick).drivers).map((name) => ({
    name,
    value: results.of('small', name, 'cpuUs') ?? 0,
    ours: name.startsWith('ours'),
  }));
  writeFileSync(here('../docs/performance.svg'), bars('CPU of an update of 200 B', 'µs', list));
  const page = here('../docs/performance.md');
  const measured = `${MARK}\n\n${targetTable(results)}\n\n${MARK}`;
  const written = readFileSync(page, 'utf8').replace(new RegExp(`${MARK}[^]*${MARK}`), () => measured);
  writeFileSync(page, await format(written, { ...(await resolveConfig(page)), parser: 'markdown' }));
}
