/**
 * `npm run leaks -- [--rounds N] [--memory N]`: connect–turn–close rounds over real subprocesses that go wrong in every way
 * that we know, then everything that a caller can do, again and again on one connection in memory. Prints what was left
 * behind and exits with 1 if that is anything. `--only PART` takes the kinds of round with that in their name, `--filling N`
 * is how many rounds in memory go before the first measure, `--from FILE` runs another build than dist, `--plant` leaks on
 * purpose.
 */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { alive, census, collect, countingClock, growth, marked, sleep, watchList } from './leaks/measures.mjs';
import { memoryRounds } from './leaks/memoryRounds.mjs';
import { plants } from './leaks/plants.mjs';
import { rounds as kinds } from './leaks/subprocessRounds.mjs';

if (globalThis.gc === undefined) throw new Error('Run me with --expose-gc, or as `npm run leaks`.');

// Compiled code grows for hundreds of rounds, lies in the heap, and is nobody's leak.
for (const compiler of ['--no-opt', '--no-sparkplug']) setFlagsFromString(compiler);

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    memory: { type: 'string', default: '1000' },
    filling: { type: 'string', default: '520' },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: resolve(root, 'dist/index.js') },
    plant: { type: 'boolean', default: false },
  },
});
const acp = await import(pathToFileURL(resolve(values.from)).href);

/** Rounds at once: most of a round is waiting for a stage of closing to pass. */
const LANES = 6;
const WINDOWS = 10;
/** A connect that fails rejects at once; its process is ended behind it, in stages that take 2 s each. */
const ENDED_BEHIND_MS = 10_000;
/** After a close only Node's own pipes still have to say that they are closed: a few turns of the event loop. */
const JUST_CLOSED_TURNS = 20;
const HEAP_A_ROUND_BYTES = 1024;
/** What the engine may take while it still warms up, in all: a short run is judged by this. */
const WARMING_BYTES = 256 * 1024;
const RSS_BYTES = 64 * 1024 * 1024;

const longLived = new AbortController();
const { signal } = longLived;
setMaxListeners(0, signal); // as many rounds at once
const objects = watchList();
const watch = objects.add;
const trouble = [];
process.on('warning', ({ name, message }) => trouble.push(`${name}: ${message}`));
process.on('unhandledRejection', (error) => trouble.push(`an unhandled rejection: ${error}`));
process.on('uncaughtException', (error) => trouble.push(`an uncaught exception: ${error?.stack}`));

let serial = 0;
let clocks = [];

/** One round; what it left and what it was told go into the books of its kind. */
async function runRound(kind) {
  const mark = ++serial;
  const clock = countingClock();
  clocks.push(clock);
  let closes = false;
  const connect = async (options = {}) => {
    const agent = await acp.connect({
      command: process.execPath,
      args: [resolve(root, 'fixtures/agents/agent.mjs'), kind.behaviour],
      env: marked(mark),
      client: { name: 'leaks', version: '0' },
      closeGraceMs: 200,
      cancelGraceMs: 100,
      signal,
      clock,
      ...options,
    });
    closes = true;
    return watch(agent);
  };
  const began = performance.now();
  const told = await kind
    .run({ connect, watch, signal, policy: acp.policy, budget: acp.budget })
    .catch((error) => `a throw: ${error?.stack}`);
  const took = performance.now() - began;
  const look = () => alive(mark).length + clock.pending();
  if (closes) for (let i = 0; look() > 0 && i < JUST_CLOSED_TURNS; i++) await new Promise((done) => setImmediate(done));
  else for (let ms = 0; look() > 0 && ms < ENDED_BEHIND_MS; ms += 10) await sleep(10);
  if (told !== kind.expects) trouble.push(`${kind.name}: expected ${kind.expects}, was told ${told}`);
  kind.books.push({ took, left: look(), asTold: told === kind.expects });
  if (values.plant) for (const plant of Object.values(plants)) plant({ signal, clock, watch });
}

async function inLanes(jobs) {
  const queue = [...jobs];
  const lane = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runRound(job);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function memory() {
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

/** Collects, then reads: what is only not yet collected is no leak. */
async function measure(list) {
  await collect();
  const kept = list.alive();
  clocks = clocks.filter((clock) => clock.pending() > 0);
  return { ...census([signal]), timers: clocks.reduce((sum, clock) => sum + clock.pending(), 0), kept, ...memory() };
}

const MIB = 1024 * 1024;
const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
const cells = (widths, row) =>
  row.map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]))).join(' ');
const left = [];

function report(title, points, made) {
  const before = points[0];
  const after = points.at(-1);
  const widths = [30, 13, 13, 13];
  console.log(`\n${cells(widths, [title, 'before', 'after', 'allowed'])}`);
  const row = (name, was, is, allowed, ok) => {
    console.log(`${cells(widths, [name, was, is, allowed])}${ok ? '' : '  LEAK'}`);
    if (!ok) left.push(`${title}: ${name}`);
  };
  const count = (name, key, allowed) => row(name, before[key], after[key], allowed, after[key] <= allowed);
  count('processes', 'processes', 0);
  count('children, zombies too', 'children', 0);
  count('timers', 'timers', 0);
  count('resources', 'resources', before.resources);
  count('descriptors', 'descriptors', before.descriptors);
  count('process listeners', 'processListeners', before.processListeners);
  count('signal listeners', 'signalListeners', before.signalListeners);
  row('objects of ours', '', `${after.kept} of ${made}`, 0, after.kept === 0);
  const half = Math.floor(points.length / 2);
  const slopeOf = (some) => growth(some.map(({ at, heap }) => [at, heap]));
  // A leak grows from first to last; what grows in one half alone is the engine's own affair.
  const slope = Math.round(Math.min(slopeOf(points), slopeOf(points.slice(half))));
  row('heap', mib(before.heap), mib(after.heap), '', true);
  const allowed = Math.max(HEAP_A_ROUND_BYTES, Math.round(WARMING_BYTES / after.at));
  row('heap, bytes a round', '', slope, allowed, slope <= allowed);
  const settled = Math.max(...points.slice(0, half + 1).map(({ rss }) => rss));
  row('rss', mib(settled), mib(after.rss), mib(settled + RSS_BYTES), after.rss <= settled + RSS_BYTES);
}

async function overProcesses(count) {
  const chosen = kinds.filter(({ name }) => name.includes(values.only));
  for (const kind of chosen) kind.books = [];
  await inLanes(chosen);
  for (const kind of chosen) kind.books = [];
  const points = [{ at: 0, ...(await measure(objects)) }];
  const jobs = Array.from({ length: count }, (_, i) => chosen[i % chosen.length]);
  const size = Math.max(1, Math.ceil(count / WINDOWS));
  for (let from = 0; from < count; from += size) {
    await inLanes(jobs.slice(from, from + size));
    points.push({ at: Math.min(count, from + size), ...(await measure(objects)) });
  }
  const widths = [30, 7, 9, 10, 10, 8];
  console.log(cells(widths, ['over a real process', 'rounds', 'as told', 'median ms', 'slowest', 'left']));
  for (const { name, books } of chosen) {
    const times = books.map(({ took }) => Math.round(took)).sort((a, b) => a - b);
    const sum = books.reduce((total, book) => total + book.left, 0);
    const asTold = books.filter((book) => book.asTold).length;
    if (sum > 0) left.push(name);
    if (books.length === 0) continue;
    console.log(cells(widths, [name, books.length, asTold, times[times.length >> 1], times.at(-1), sum]));
  }
  report(`${count} rounds over processes`, points, objects.made());
}

async function inMemory(rounds) {
  const own = watchList();
  const clock = countingClock();
  clocks.push(clock);
  const points = [];
  const counts = await memoryRounds({
    acp,
    clock,
    signal,
    watch: own.add,
    filling: Number(values.filling),
    rounds,
    windows: WINDOWS,
    measure: async (at) => {
      if (values.plant && at > 0) for (const plant of Object.values(plants)) plant({ signal, clock, watch: own.add });
      points.push({ at, ...(await measure(own)) });
    },
  });
  const title = `${rounds} rounds in memory`;
  report(title, points, own.made());
  const after = await measure(own);
  if (after.timers > 0 || after.signalListeners > 0) left.push(`${title}: after close`);
  console.log(`\n${counts.turns} turns and ${counts.sessions} sessions on one connection`);
}

const began = performance.now();
if (Number(values.rounds) > 0) await overProcesses(Number(values.rounds));
if (Number(values.memory) > 0) await inMemory(Number(values.memory));
for (const line of new Set(trouble)) console.log(`  ${line}`);
left.push(...trouble);
console.log(
  `${left.length === 0 ? 'nothing left behind' : `LEFT BEHIND: ${left.length}`}, ${((performance.now() - began) / 1000).toFixed(0)} s`,
);
process.exitCode = left.length === 0 ? 0 : 1;
if (values.plant) process.exit();
