'use strict';

/**
 * The house as rules. Floors import downward only:
 *
 *   cli -> client -> join -> { session, policy, inspect, process, wire } -> rpc -> framing
 *
 * `machines/` stands on the ground beside `framing`. Imports of types count: a type is knowledge too.
 */

/**
 * Folder under src/ -> the folders under src/ that it may know; itself always. `index` is src/index.ts and src/inspector.ts. A folder that is
 * not listed can be imported by nobody.
 */
const MAY_KNOW = {
  framing: [],
  rpc: ['framing'],
  wire: ['rpc', 'framing'],
  session: ['wire', 'rpc', 'framing'],
  policy: ['wire', 'rpc', 'framing'],
  process: ['rpc', 'framing'],
  // The ready-made ones read files and start commands.
  handlers: ['process', 'rpc', 'framing'],
  // What is watched includes the decisions of the policy.
  inspect: ['policy', 'wire', 'rpc', 'framing'],
  // Recordings and scripts, played over real pipes.
  replay: ['inspect', 'process', 'wire', 'rpc', 'framing'],
  // Cases are played with nothing of the client but where processes are started.
  fake: ['process', 'wire', 'rpc', 'framing'],
  join: ['session', 'policy', 'inspect', 'handlers', 'process', 'wire', 'rpc', 'framing'],
  client: ['join', 'session', 'policy', 'inspect', 'handlers', 'process', 'wire', 'rpc', 'framing'],
  demo: ['rpc', 'framing'],
  index: ['client', 'join', 'session', 'policy', 'inspect', 'handlers', 'process', 'wire', 'rpc', 'framing'],
  cli: [
    'index',
    'replay',
    'fake',
    'demo',
    'client',
    'join',
    'session',
    'policy',
    'inspect',
    'handlers',
    'process',
    'wire',
    'rpc',
    'framing',
  ],
};

/** Folders under src/ that may know the charts. */
const KNOW_CHARTS = ['join', 'inspect', 'replay', 'cli'];

const ENTRIES = '^(src/index|src/inspector|src/cli/main|machines/index)\\.ts$';

const folder = (name) => (name === 'index' ? 'src/(index|inspector)\\.ts$' : `src/${name}/`);

const floors = Object.entries(MAY_KNOW).map(([name, below]) => ({
  name: `floor-${name}`,
  comment:
    below.length > 0
      ? `src/${name} may import from ${below.map((floor) => `src/${floor}`).join(', ')} only.`
      : `src/${name} is the lowest floor: it imports nothing else of src/.`,
  severity: 'error',
  from: { path: `^${folder(name)}` },
  to: { path: '^src/', pathNot: `^(${[name, ...below].map(folder).join('|')})` },
}));

module.exports = {
  forbidden: [
    ...floors,
    {
      name: 'no-cycles',
      comment: 'Two modules that know each other are one module.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'charts-are-pure',
      comment: 'A chart imports xstate and its sister charts, nothing else: not src/, not Node, not its types.',
      severity: 'error',
      from: { path: '^machines/' },
      to: { pathNot: '^(machines/|node_modules/xstate/)' },
    },
    {
      name: 'charts-are-known-to-the-join',
      comment: `Only ${KNOW_CHARTS.map((name) => `src/${name}`).join(', ')} may import machines/: the others ask tags through the join.`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${KNOW_CHARTS.join('|')})/` },
      to: { path: '^machines/' },
    },
    {
      name: 'processes-are-spawned-in-one-place',
      comment: 'node:child_process belongs to src/process, which ends what it starts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/process/' },
      to: { dependencyTypes: ['core'], path: '^(node:)?child_process$' },
    },
    {
      name: 'terminal-packages-in-the-cli',
      comment: 'commander and picocolors are for src/cli: embedders do not pay for them.',
      severity: 'error',
      from: { path: '^(src|machines)/', pathNot: '^src/cli/' },
      to: { path: '^node_modules/(commander|picocolors)/' },
    },
    {
      name: 'runtime-packages',
      comment: 'At run time the package needs xstate, valibot, commander, picocolors and Node, and nothing else.',
      severity: 'error',
      from: { path: '^(src|machines)/' },
      to: {
        dependencyTypesNot: ['core', 'npm-dev', 'unknown'],
        pathNot: ['^(src|machines)/', '^node_modules/(xstate|valibot|commander|picocolors)/'],
      },
    },
    {
      name: 'no-dev-packages',
      comment: 'What is shipped may not import a devDependency.',
      severity: 'error',
      from: { path: '^(src|machines)/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'resolvable',
      comment: 'This import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dead-modules',
      comment:
        'No entry of the package (src/index.ts, src/inspector.ts, src/cli/main.ts, machines/index.ts) reaches this module.',
      severity: 'error',
      from: { path: ENTRIES },
      to: { path: '^(src|machines)/', pathNot: ENTRIES, reachable: false },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
