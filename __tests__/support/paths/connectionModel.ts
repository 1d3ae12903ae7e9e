/** The connection chart and what an agent, a caller, a clock, a process and sessions can do to one connection. */
import type { AnyMachineSnapshot } from 'xstate';
import { connectionMachine } from '../../../machines/index.js';
import type { ChartEvent, Facts, Model, Reach } from './model.js';

const sessionEnds = (slot: number, leaves: 'usable' | 'wedged'): ChartEvent => ({
  type: `xstate.done.actor.session.${slot}`,
  output: { session: slot, leaves },
  actorId: `session.${slot}`,
});
const sessionBreaks = (slot: number): ChartEvent => ({
  type: `xstate.error.actor.session.${slot}`,
  error: new Error('a port threw'),
  actorId: `session.${slot}`,
});
const processEnds = (leaves: 'exited' | 'neverSpawned'): ChartEvent => ({
  type: 'xstate.done.actor.process',
  output: { leaves },
});

const HANDSHAKE: readonly ChartEvent[] = [
  { type: 'agent.initialized' },
  { type: 'agent.offerRefused', reason: 'agent-error' },
  { type: 'agent.offerRefused', reason: 'version-unsupported' },
  { type: 'agent.versionUnsupported', speaks: [1] },
  { type: 'agent.versionUnsupported', speaks: [] },
  { type: 'agent.initializeError', reason: 'agent-error' },
  { type: 'agent.initializeError', reason: 'auth-required' },
  { type: 'agent.initializeError', reason: 'protocol' },
];
const HANDSHAKE_AGAIN = HANDSHAKE.slice(0, 2);
const ANYTIME: readonly ChartEvent[] = [
  { type: 'process.running' },
  { type: 'process.died' },
  { type: 'process.died', by: 'a port out of turn' },
  { type: 'agent.authRequired' },
  { type: 'agent.authenticated' },
  { type: 'agent.authError' },
  { type: 'user.authenticate' },
  { type: 'user.close' },
  { type: 'clock.bound', bound: 'absolute' },
  { type: 'transport.fatal', reason: 'io' },
  { type: 'transport.fatal', reason: 'frame-too-large' },
  processEnds('exited'),
  processEnds('neverSpawned'),
  { type: 'xstate.error.actor.process', error: new Error('a port threw') },
  { type: 'user.openSession', session: 1, replays: false },
];
const perSlot = (slot: number): readonly ChartEvent[] => [
  sessionEnds(slot, 'usable'),
  sessionEnds(slot, 'wedged'),
  sessionBreaks(slot),
];

const leaves = (event: ChartEvent): string => (event['output'] as { leaves: string }).leaves;

const reach =
  (source: 'command' | 'streams', mostSessions: number) =>
  (at: AnyMachineSnapshot, facts: Facts, event: ChartEvent): Reach => {
    const { type } = event;
    if (source === 'streams' && type === 'process.died') return 'never'; // somebody else's streams have no process
    // A process that is asked to leave reports no death.
    if (event['by'] !== undefined) return at.status === 'active' && at.matches({ live: 'closing' }) ? 'fault' : 'never';
    if (at.status !== 'active') {
      if (HANDSHAKE.includes(event) && !HANDSHAKE_AGAIN.includes(event)) return 'never';
      const byHolder = type === 'user.authenticate' || type === 'user.openSession';
      const nobody = type.startsWith('xstate.') || type === 'process.died' || (byHolder && facts['held'] !== true);
      return nobody ? 'never' : 'moot';
    }
    // Streams are there at once: nothing comes before.
    if (source === 'streams' && at.matches({ live: 'spawning' }))
      return event.type === 'process.running' ? 'told' : 'never';
    const state = (['spawning', 'initializing', 'ready', 'closing'] as const).find((name) =>
      at.matches({ live: name }),
    )!;
    const authenticating = at.matches({ live: { ready: 'authenticating' } });
    const slots = at.context.slots as readonly number[];
    if (event.type.startsWith('xstate.done.actor.session.') || event.type.startsWith('xstate.error.actor.session.')) {
      // Sessions that are told of the end of the connection are gone with it, in the same step.
      if (state !== 'ready' || !slots.some((slot) => event.type.endsWith(`.session.${slot}`))) return 'never';
      return event.type.startsWith('xstate.done') ? 'told' : 'fault';
    }
    if (HANDSHAKE.some(({ type }) => type === event.type)) {
      if (state === 'spawning' || (facts['died'] === true && state === 'initializing')) return 'never';
      // An offer of 1 that is echoed is accepted.
      if (event['reason'] === 'version-unsupported' && at.context.offer === 1) return 'never';
      if (state === 'initializing') return 'told';
      return HANDSHAKE_AGAIN.includes(event) ? 'moot' : 'never'; // all are one stray answer more
    }
    switch (event.type) {
      case 'process.running':
        if (source === 'streams') return 'never';
        return state === 'spawning' ? 'told' : 'moot';
      case 'process.died':
        // A process that was never there cannot die, and none dies twice.
        if (state === 'spawning' || facts['died'] === true) return 'never';
        return state === 'closing' ? 'moot' : 'told';
      case 'agent.authRequired':
        if (state === 'spawning' || state === 'initializing') return 'never'; // no other call is legal yet
        return state === 'ready' ? 'told' : 'moot';
      case 'agent.authenticated':
      case 'agent.authError':
        return authenticating ? 'told' : 'moot';
      case 'user.authenticate':
      case 'user.openSession':
        if (state === 'spawning' || state === 'initializing') return 'never'; // nobody holds the agent yet
        if (facts['held'] !== true) return 'never';
        if (state === 'closing') return 'moot';
        if (event.type === 'user.authenticate') return authenticating ? 'moot' : 'told';
        return slots.length < mostSessions ? 'told' : 'never';
      case 'clock.bound':
        return state === 'spawning' || state === 'initializing' || authenticating ? 'told' : 'moot';
      case 'transport.fatal':
        if (facts['died'] === true || facts['wire over'] === true) return 'never';
        if (state === 'closing') return facts['ran'] === true ? 'moot' : 'never';
        return state === 'spawning' ? 'fault' : 'told'; // nothing is read or written before the process runs
      case 'xstate.done.actor.process':
        if (source === 'streams' && leaves(event) === 'neverSpawned') return 'never';
        if (leaves(event) === 'neverSpawned') return facts['ran'] === true ? 'never' : 'told';
        return facts['ran'] === true ? 'told' : 'never'; // what was never started cannot exit
      case 'xstate.error.actor.process':
        return source === 'streams' || facts['died'] === true ? 'never' : 'fault';
      default:
        return 'told';
    }
  };

function learn(facts: Facts, event: ChartEvent): Facts {
  switch (event.type) {
    case 'process.running':
      return { ran: true };
    case 'process.died':
      return { ...facts, died: true };
    case 'agent.initialized':
      return { ...facts, held: true };
    case 'transport.fatal':
      return { ...facts, 'wire over': true };
    case 'xstate.done.actor.process':
      return {};
    default:
      return facts;
  }
}

const model = (
  name: string,
  source: 'command' | 'streams',
  versions: readonly number[],
  alphabet: readonly ChartEvent[],
  mostSessions: number,
): Model => ({
  name: `connection, ${name}`,
  chart: connectionMachine,
  input: { versions, canStartAgain: source === 'command', closeGraceMs: 3_000, cancelGraceMs: 200 },
  alphabet,
  reach: reach(source, mostSessions),
  learn,
});

const only = (...types: string[]): ChartEvent[] =>
  [...HANDSHAKE.slice(0, 1), ...ANYTIME].filter(({ type }) => types.includes(type));

export const connectionModels: readonly Model[] = [
  model('a command', 'command', [2, 1], [...HANDSHAKE, ...ANYTIME, ...perSlot(1)], 1),
  model('a command, one version', 'command', [1], [...HANDSHAKE, ...ANYTIME], 0),
  model('streams', 'streams', [2, 1], [...HANDSHAKE, ...ANYTIME, ...perSlot(1)], 1),
  model(
    'two sessions',
    'command',
    [1],
    [...only('process.running', 'agent.initialized', 'user.openSession', 'user.close'), ...perSlot(1), ...perSlot(2)],
    2,
  ),
];
