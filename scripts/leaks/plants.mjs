/** One leak of each kind, made on purpose (`--plant`): a measure that cannot see one measures nothing. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { marked } from './measures.mjs';

const kept = [];

export const plants = {
  processes: () => spawn('sleep', ['30'], { env: marked('planted'), detached: true, stdio: 'ignore' }).unref(),
  resources: () => kept.push(setTimeout(() => {}, 30_000)),
  descriptors: () => openSync('/dev/null'),
  'process listeners': () => process.on('beforeExit', () => {}),
  'signal listeners': ({ signal }) => signal.addEventListener('abort', () => {}),
  timers: ({ clock }) => clock.setTimeout(() => {}, 30_000),
  'objects of ours': ({ watch }) => kept.push(watch({})),
  heap: () => kept.push(Array.from({ length: 16_384 }, () => ({}))),
};
