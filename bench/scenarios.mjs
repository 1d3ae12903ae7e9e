/** What is measured: the work, the agent it is done with, the drivers that do it, and how often. */
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const fake = (...args) => ({ command: process.execPath, args: [pathOf('agent.mjs'), ...args.map(String)] });

const MIB = 1024 * 1024;

const module = (name) => ({ module: name });
const ALL = {
  raw: module('raw'),
  correlate: module('correlate'),
  'SDK handler': module('sdk'),
  'SDK session': module('sdkSession'),
  'ours, for await': module('ours'),
  'ours, on(update)': module('oursOn'),
  'ours, nobody listens': module('oursQuiet'),
};
const pick = (...names) => Object.fromEntries(names.map((name) => [name, ALL[name]]));
const OURS = { ours: {} };

/**
 * `reference`: the driver that the others are set against. `runs`: repetitions, drivers interleaved. Where a piece of work is small
 * it is done many times before it is measured, by all drivers alike: the compiler is done then, and the young generation of
 * the heap has its size, which it comes to by touching new memory.
 */
const FULL = {
  small: {
    title: '50,000 updates of 200 B in a turn',
    work: 'turn',
    agent: fake('--updates', 50_000, '--size', 200),
    drivers: ALL,
    reference: 'raw',
    settings: { frames: 50_000, warms: 4 },
    measures: ['cpuUs', 'wallMs', 'peakMB', 'pages'],
    runs: 5,
  },
  large: {
    title: '2,000 updates of 64 KB in a turn',
    work: 'turn',
    agent: fake('--updates', 2_000, '--size', 65_536),
    drivers: pick('raw', 'SDK handler', 'SDK session', 'ours, for await', 'ours, on(update)'),
    reference: 'raw',
    settings: { frames: 2_000 },
    measures: ['cpuUs', 'wallMs', 'peakMB', 'pages'],
    runs: 5,
  },
  line: {
    title: 'One line of 64 MB, cap raised to 128 MiB',
    work: 'turn',
    agent: fake('--line', 64 * MIB),
    drivers: pick('raw', 'SDK handler', 'SDK session', 'ours, for await'),
    reference: 'raw',
    settings: { frames: 1, maxFrameBytes: 128 * MIB },
    measures: ['wallMs', 'cpuUs', 'peakMB', 'pages'],
    runs: 5,
  },
  trips: {
    title: '10,000 requests, one after another',
    work: 'roundTrips',
    agent: fake(),
    drivers: pick('correlate', 'SDK handler', 'ours, for await'),
    reference: 'correlate',
    settings: { trips: 10_000 },
    measures: ['p50Us', 'cpuUs', 'p99Us'],
    runs: 5,
  },
  garbage: {
    title: '40,000 lines, every second one garbage',
    work: 'turn',
    agent: fake('--updates', 20_000, '--size', 200, '--garbage'),
    drivers: pick('correlate', 'SDK handler', 'SDK session', 'ours, for await', 'ours, on(update)'),
    reference: 'correlate',
    settings: { frames: 20_000 },
    measures: ['cpuUs', 'wallMs', 'peakMB'],
    runs: 5,
  },
  endless: {
    title: '1 GB without a newline, at the default cap',
    work: 'endless',
    agent: fake('--endless', 1024 * MIB),
    drivers: pick('correlate', 'SDK handler', 'ours, for await'),
    settings: {},
    measures: ['wallMs', 'peakMB', 'ended', 'childGone'],
    runs: 3,
  },
  slow: {
    title: 'A consumer of 1 update per ms; the agent streams 2 KB frames for 15 s',
    work: 'slow',
    agent: fake('--stream', 15_000, '--size', 2_048),
    drivers: pick('SDK session', 'ours, for await', 'ours, on(update)'),
    settings: { streamMs: 15_000 },
    measures: ['grownMB', 'taken', 'outcome', 'cancelMs', 'permissions', 'bound'],
    runs: 1,
    together: true,
  },
  fleet: {
    title: '100 open connections with a session each',
    work: 'fleet',
    agent: { command: '/bin/sh', args: [pathOf('fleetAgent.sh')] },
    drivers: pick('raw', 'correlate', 'SDK handler', 'ours, for await'),
    settings: { connections: 100 },
    measures: ['heapKB', 'openMs', 'peakMB'],
    runs: 3,
  },
  manyTurns: {
    title: '1,000 turns on one session',
    work: 'manyTurns',
    drivers: OURS,
    settings: { turns: 1_000 },
    measures: ['heapBytesPerTurn', 'timers', 'listeners'],
    runs: 3,
  },
  import: {
    title: 'Import of the package',
    work: 'import',
    drivers: {
      nothing: {},
      xstate: { specifier: 'xstate' },
      valibot: { specifier: 'valibot' },
      SDK: { specifier: '@agentclientprotocol/sdk' },
      ours: { specifier: new URL('../dist/index.js', import.meta.url).href, connects: true },
    },
    settings: {},
    measures: ['importMs', 'connectMs', 'peakMB'],
    runs: 9,
  },
  wholeTurn: {
    title: 'A whole turn with one permission, the agent in memory',
    work: 'wholeTurn',
    drivers: OURS,
    settings: { turns: 12_000 },
    measures: ['cpuUs'],
    runs: 5,
  },
  growth: {
    title: 'Cost as work grows',
    work: 'growth',
    drivers: OURS,
    settings: {
      counts: {
        updates: [1_000, 10_000, 100_000],
        pending: [1, 10, 100, 1_000],
        sessions: [1, 10, 50, 100, 200],
      },
    },
    measures: [],
    runs: 1,
  },
};

/** What a quick run changes: less work, fewer repetitions, and of the others only what the targets are set against. */
const QUICK = {
  small: {
    agent: fake('--updates', 20_000, '--size', 200),
    drivers: pick('raw', 'SDK handler', 'ours, for await', 'ours, on(update)', 'ours, nobody listens'),
    settings: { frames: 20_000, warms: 4 },
    runs: 3,
  },
  large: {
    agent: fake('--updates', 500, '--size', 65_536),
    drivers: pick('raw', 'SDK handler', 'ours, for await'),
    settings: { frames: 500 },
    runs: 2,
  },
  line: { drivers: pick('raw', 'ours, for await'), runs: 1 },
  trips: { drivers: pick('correlate', 'ours, for await'), settings: { trips: 3_000 }, runs: 2 },
  garbage: { drivers: pick('correlate', 'ours, for await'), runs: 2 },
  endless: { drivers: pick('ours, for await'), runs: 1 },
  slow: {
    title: 'A consumer of 1 update per ms; the agent streams 2 KB frames for 3 s',
    agent: fake('--stream', 3_000, '--size', 2_048),
    settings: { streamMs: 3_000 },
  },
  fleet: {
    title: '30 open connections with a session each',
    drivers: pick('ours, for await'),
    settings: { connections: 30 },
    runs: 1,
  },
  manyTurns: { title: '300 turns on one session', settings: { turns: 300 }, runs: 1 },
  import: { runs: 2 },
  wholeTurn: { settings: { turns: 1_000 }, runs: 1 },
  growth: {
    settings: { counts: { updates: [1_000, 10_000], pending: [1, 100], sessions: [1, 20] } },
  },
};

export const scenarioNames = Object.keys(FULL);

export function scenarioOf(name, quick) {
  const full = FULL[name];
  if (full === undefined) throw new Error(`No such scenario: ${name}. There are ${scenarioNames.join(', ')}.`);
  return quick ? { ...full, ...QUICK[name] } : full;
}
