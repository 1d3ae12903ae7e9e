/** Mutants of the process chart. */
import { row } from '../row.mjs';

const PROCESS = 'machines/process.ts';

export const processMutants = [
  row(PROCESS, 'the close grace is removed', `      after: { closeGrace: 'terminating' },\n`, ''),
  row(PROCESS, 'the grace after SIGTERM is removed', `      after: { termGrace: 'killing' },\n`, ''),
  row(PROCESS, 'what survives SIGKILL is waited for', `      after: { killGrace: 'exited' },\n`, ''),
  row(
    PROCESS,
    'SIGKILL comes first',
    `entry: { type: 'signalGroup', params: { signal: 'SIGTERM' } }`,
    `entry: { type: 'signalGroup', params: { signal: 'SIGKILL' } }`,
  ),
  row(
    PROCESS,
    'SIGTERM comes twice and SIGKILL never',
    `entry: { type: 'signalGroup', params: { signal: 'SIGKILL' } }`,
    `entry: { type: 'signalGroup', params: { signal: 'SIGTERM' } }`,
  ),
  row(
    PROCESS,
    'SIGTERM does not wait for the agent to leave',
    `        'user.close': 'stdinClosed',\n      },\n    },\n    stdinClosed`,
    `        'user.close': 'terminating',\n      },\n    },\n    stdinClosed`,
  ),
  row(PROCESS, 'stdin stays open', `      entry: 'closeInput',\n`, ''),
  row(
    PROCESS,
    'a grandchild is left alive',
    `          { target: 'terminating', actions: 'reportDeath' },`,
    `          { target: 'exited', actions: 'reportDeath' },`,
  ),
  row(
    PROCESS,
    'the death of the leader is not told',
    `          { target: 'terminating', actions: 'reportDeath' },`,
    `          { target: 'terminating' },`,
  ),
  row(
    PROCESS,
    'the end of the rest is not noticed',
    `      after: { termGrace: 'killing' },\n      on: {\n        'process.gone': 'exited',`,
    `      after: { termGrace: 'killing' },\n      on: {`,
  ),
];
