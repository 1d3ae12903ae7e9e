/** The process chart and what an operating system, a caller and a clock can do to one process. */
import type { AnyMachineSnapshot } from 'xstate';
import { processMachine } from '../../../machines/index.js';
import type { ChartEvent, Facts, Model, Reach } from './model.js';

const ALPHABET: readonly ChartEvent[] = [
  { type: 'process.spawned' },
  { type: 'process.spawnFailed' },
  { type: 'process.exited', groupGone: true },
  { type: 'process.exited', groupGone: false },
  { type: 'process.gone' },
  { type: 'user.close' },
];

function reach(at: AnyMachineSnapshot, facts: Facts, event: ChartEvent): Reach {
  const over = at.status !== 'active';
  switch (event.type) {
    case 'process.spawned':
    case 'process.spawnFailed':
      // The system says once whether it started the command.
      return facts['started'] === true ? 'never' : over ? 'moot' : 'told';
    case 'process.exited':
      return facts['exited'] === true || facts['started'] !== true ? 'never' : over ? 'moot' : 'told';
    case 'process.gone':
      // The rest of a group is what its leader left behind.
      if (facts['rest left'] !== true) return 'never';
      return over ? 'moot' : 'told';
    case 'user.close':
      return over || facts['closing'] === true ? 'moot' : 'told';
    default:
      return 'told';
  }
}

function learn(facts: Facts, event: ChartEvent): Facts {
  switch (event.type) {
    case 'process.spawned':
      return { ...facts, started: true };
    case 'process.exited':
      return { ...facts, exited: true, closing: true, 'rest left': event['groupGone'] === false };
    case 'user.close':
      return { ...facts, closing: true };
    default:
      return facts;
  }
}

/** Streams are let go, which ends them, in one step with the end of the grace. */
const letGo = (at: AnyMachineSnapshot): boolean => at.status === 'active' && at.matches('terminating');

const STREAMS_NEVER = ['process.spawnFailed', 'process.gone'];

export const processModels: readonly Model[] = [
  {
    name: 'process, a command',
    chart: processMachine,
    input: { closeGraceMs: 3_000 },
    alphabet: ALPHABET,
    reach,
    learn,
  },
  {
    name: 'process, streams',
    chart: processMachine,
    input: { closeGraceMs: 3_000 },
    alphabet: ALPHABET.filter(({ type, groupGone }) => !STREAMS_NEVER.includes(type) && groupGone !== false),
    reach: (at, facts, event) => {
      // Streams that are let go have ended: there is nothing to be killed.
      const kills = event.type.startsWith('xstate.after.termGrace') || event.type.startsWith('xstate.after.killGrace');
      // They are there at once: nothing comes before.
      const waits = at.matches('spawning') && event.type !== 'process.spawned';
      if (letGo(at)) return event.type === 'process.exited' ? 'told' : 'never';
      return kills || waits ? 'never' : reach(at, facts, event);
    },
    learn,
  },
];
