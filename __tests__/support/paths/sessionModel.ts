/** The session chart and what an agent, a caller, a clock and a turn can do to one session. */
import type { AnyMachineSnapshot } from 'xstate';
import { sessionMachine } from '../../../machines/index.js';
import type { ChartEvent, Facts, Model, Reach } from './model.js';

const turnEnds = (leaves: 'usable' | 'wedged' | 'gone'): ChartEvent => ({
  type: 'xstate.done.actor.turn',
  output: { turn: 1, leaves },
});

const ALPHABET: readonly ChartEvent[] = [
  { type: 'agent.opened' },
  { type: 'agent.openError' },
  { type: 'clock.replayQuiet' },
  { type: 'agent.permission', request: 1 },
  { type: 'agent.permission', request: 2 },
  { type: 'agent.withdraw', request: 1 },
  { type: 'agent.withdraw', request: 2 },
  { type: 'user.decide', request: 1, option: 'o-0-allow_once' },
  { type: 'user.decide', request: 2, option: 'o-1-reject_once' },
  { type: 'user.dismiss', request: 1, cause: 'answer' },
  { type: 'user.dismiss', request: 2, cause: 'answer' },
  { type: 'agent.working' },
  { type: 'agent.idle' },
  { type: 'agent.sessionClosed' },
  { type: 'user.prompt', turn: 1 },
  { type: 'user.cancel' },
  { type: 'user.close', asks: true },
  { type: 'user.close', asks: false },
  { type: 'clock.bound', bound: 'absolute' },
  { type: 'transport.closed', reason: 'agent-exited' },
  { type: 'transport.closed', reason: 'closed' },
  turnEnds('usable'),
  turnEnds('wedged'),
  turnEnds('gone'),
  { type: 'xstate.error.actor.turn', error: new Error('a port threw') },
];

const isOpen = (at: AnyMachineSnapshot, { request }: ChartEvent): boolean =>
  at.status === 'active' && (at.context.questions as { request: number }[]).some((open) => open.request === request);

function reach(at: AnyMachineSnapshot, facts: Facts, event: ChartEvent): Reach {
  const over = at.status !== 'active';
  const prompting = !over && at.matches({ open: { turns: 'prompting' } });
  const opening = !over && at.hasTag('opening');
  const loss = at.context.loss !== undefined;
  // What ends a turn with its connection ends it in the same step.
  if (prompting && loss) return event.type === 'xstate.done.actor.turn' && leaves(event) === 'gone' ? 'told' : 'never';
  switch (event.type) {
    case 'agent.opened':
    case 'agent.openError':
      return !over && at.matches({ opening: 'asked' }) ? 'told' : 'moot';
    case 'agent.permission':
      if (isOpen(at, event) || facts[`asked`] === true) return 'never';
      // Until its answer has come a new session has no id that a question could be about.
      return over || (opening && !at.context.replays) ? 'moot' : 'told';
    case 'agent.withdraw':
    case 'user.decide':
    case 'user.dismiss':
      // Whoever was asked can be late with the word.
      if (isOpen(at, event)) return 'told';
      return facts['asked'] === true ? 'moot' : 'never';
    case 'agent.working':
    case 'agent.idle':
      if (facts['v1'] === true) return 'never';
      // A turn that runs hears of it instead.
      return over || prompting || (opening && !at.context.replays) ? 'moot' : 'told';
    case 'agent.sessionClosed':
      return !over && at.matches('closing') ? 'told' : 'moot';
    case 'user.prompt':
      if (opening || facts['held'] !== true) return 'never'; // nobody holds the session yet
      return over ? 'moot' : 'told';
    case 'user.cancel':
      if (!prompting) return 'never'; // there is no turn that could be asked to; the turn's own suite asks one that is over
      return at.hasTag('cancelling') ? 'moot' : 'told';
    case 'user.close':
      // A session can be loaded where sessions are served, and then v2 has a close for them as well.
      if (at.context.replays && event['asks'] === false && (!opening || facts['v2'] === true)) return 'never';
      if (opening) return 'told';
      if (facts['held'] !== true) return 'never';
      return over || at.hasTag('closing') ? 'moot' : 'told';
    case 'clock.replayQuiet':
      return !over && at.matches({ opening: 'quieting' }) ? 'told' : 'moot';
    case 'clock.bound':
      if (prompting) return facts['turn bound'] === true ? 'moot' : 'told';
      return !over && (opening || at.matches('closing')) ? 'told' : 'moot';
    case 'xstate.done.actor.turn':
      if (!prompting || leaves(event) === 'gone') return 'never';
      return leaves(event) === 'wedged' && !at.hasTag('cancelling') ? 'fault' : 'told';
    case 'xstate.error.actor.turn':
      // A turn whose caller was told asks nothing of a port any more.
      return prompting && facts['turn bound'] !== true ? 'fault' : 'never';
    default:
      return over ? 'moot' : 'told';
  }
}

const leaves = (event: ChartEvent): string => (event['output'] as { leaves: string }).leaves;

function learn(replays: boolean, facts: Facts, event: ChartEvent): Facts {
  switch (event.type) {
    case replays ? 'clock.replayQuiet' : 'agent.opened': {
      const { v2: _, ...rest } = facts;
      return { ...rest, held: true };
    }
    case 'user.close':
      return replays && event['asks'] === false ? { ...facts, v1: true } : facts;
    case 'agent.working':
    case 'agent.idle':
      return replays && facts['held'] !== true ? { ...facts, v2: true } : facts;
    case 'clock.bound':
      return { ...facts, 'turn bound': true };
    case 'xstate.done.actor.turn': {
      const { 'turn bound': _, ...rest } = facts;
      return rest;
    }
    default:
      return facts;
  }
}

/** `once`: a question is asked once, so that words which come too late can be told from its answer. */
const model = (name: string, replays: boolean, questions: 1 | 2, once: boolean): Model => ({
  name: `session, ${name}`,
  chart: sessionMachine,
  input: { session: 1, replays, cancelGraceMs: 15_000 },
  alphabet: ALPHABET.filter(({ request }) => request === undefined || Number(request) <= questions),
  reach,
  learn: (facts, event) =>
    once && event.type === 'agent.permission' ? { ...facts, asked: true } : learn(replays, facts, event),
});

export const sessionModels: readonly Model[] = [
  model('new, two questions', false, 2, false),
  model('new, late words', false, 1, true),
  model('loaded', true, 1, false),
];
