/**
 * `npm run interop [-- NAME …]`: real agents from npm against a scripted model, through the public API. Prints one table and ends
 * with 1 if anything missed. An agent that cannot be installed is skipped, with the reason.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { startMockLlm } from './mock-llm.mjs';
import { Peer } from './peer.mjs';
import { recipes } from './recipes.mjs';
import { scenarios } from './scenarios.mjs';

const AGENTS_FOLDER = fileURLToPath(new URL('../.agents', import.meta.url));
const SCENARIO_MS = 120_000;
const NAME_WIDTH = 20;
const COLUMN_WIDTH = 15;
const COLUMNS_A_TABLE = 4;

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort(new Error(`ended by ${name}`)));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !recipes.some((recipe) => recipe.name === name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(', ')}. There are ${recipes.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

/** @returns why it missed, if it did, and what it noted */
async function attempt(scenario, makePeer) {
  const peer = makePeer();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over within ${SCENARIO_MS / 1000} s`)), SCENARIO_MS);
  });
  let missed;
  try {
    await Promise.race([scenario(peer), late]);
  } catch (error) {
    missed = error;
  }
  clearTimeout(timer);
  const living = await peer.end();
  if (living.length > 0) missed ??= new Error(`${living.length} processes outlived close()`);
  return { missed, notes: peer.notes };
}

async function runAll(title, makePeer) {
  const cells = {};
  const misses = [];
  const notes = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const first = await attempt(scenario, makePeer);
    const second = first.missed && !stop.signal.aborted ? await attempt(scenario, makePeer) : first;
    cells[name] = second.missed ? 'MISSED' : first.missed ? 'ok (2nd)' : 'ok';
    for (const { missed } of new Set([first, second])) {
      if (missed) misses.push(`${title}, ${name}: ${describe(missed)}`);
    }
    if (second.notes.length > 0) notes.push(`${title}, ${name}: ${second.notes.join(', ')}`);
    if (stop.signal.aborted) break;
  }
  return { title, cells, misses, notes };
}

function describe(error) {
  const kind = error.kind === undefined ? '' : `[${error.kind}${error.phase ? ` in ${error.phase}` : ''}] `;
  const where =
    error.stack
      ?.split('\n')
      .find((line) => line.includes('scenarios.mjs'))
      ?.trim() ?? '';
  return `${kind}${error.message} ${where}`;
}

function printTable(runs) {
  const line = (name, cells) =>
    console.log([name.padEnd(NAME_WIDTH), ...cells.map((c) => c.padEnd(COLUMN_WIDTH))].join('').trimEnd());
  for (let from = 0; from < runs.length; from += COLUMNS_A_TABLE) {
    const columns = runs.slice(from, from + COLUMNS_A_TABLE);
    console.log('');
    line(
      '',
      columns.map(({ title }) => title),
    );
    for (const name of Object.keys(scenarios))
      line(
        name,
        columns.map(({ cells }) => cells[name] ?? '-'),
      );
  }
  console.log('');
}

const llm = await startMockLlm();
const runs = [];
const skipped = [];
try {
  for (const recipe of recipes.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    mkdirSync(AGENTS_FOLDER, { recursive: true });
    const installed = await install(recipe, AGENTS_FOLDER, stop.signal);
    if (installed.skipped !== undefined) {
      skipped.push(`skipped ${recipe.name}: ${installed.skipped}`);
      continue;
    }
    for (const versions of recipe.versions) {
      if (stop.signal.aborted) break;
      const title = recipe.versions.length === 1 ? recipe.name : `${recipe.name} v${versions[0]}`;
      console.log(`${title}: ${recipe.package}, offering ${versions.join(', ')}`);
      runs.push(await runAll(title, () => new Peer(recipe, installed, versions, llm.port, stop.signal)));
    }
  }
} finally {
  await llm.close();
}
printTable(runs);
for (const line of [...skipped, ...runs.flatMap(({ misses, notes }) => [...misses, ...notes])]) console.log(line);
const missed = runs.some(({ cells }) => Object.values(cells).includes('MISSED'));
process.exitCode = missed || stop.signal.aborted ? 1 : 0;
