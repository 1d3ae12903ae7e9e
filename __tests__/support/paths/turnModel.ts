/** The turn chart and what an agent, a caller and a clock can do to one turn. */
import { turnMachine } from '../../../machines/index.js';
import type { ChartEvent, Model } from './model.js';

const ANSWERS = ['agent.promptAccepted', 'agent.promptResult', 'agent.promptError'];

export const turnModel: Model = {
  name: 'turn',
  chart: turnMachine,
  input: { session: 1, turn: 1, cancelGraceMs: 15_000 },
  alphabet: [
    { type: 'agent.promptAccepted' },
    { type: 'agent.promptResult', stopReason: 'end_turn' },
    { type: 'agent.promptResult', stopReason: 'cancelled' },
    { type: 'agent.promptError', failure: 'agent-error' },
    { type: 'agent.promptError', failure: 'auth-required' },
    { type: 'agent.promptError', failure: 'protocol' },
    { type: 'agent.working' },
    { type: 'agent.idle', stopReason: undefined, failed: false },
    { type: 'agent.idle', stopReason: 'end_turn', failed: false },
    { type: 'agent.idle', stopReason: 'error', failed: true },
    { type: 'user.cancel' },
    { type: 'clock.bound', bound: 'absolute' },
    { type: 'clock.bound', bound: 'idle' },
    { type: 'transport.closed', reason: 'agent-exited' },
    { type: 'transport.closed', reason: 'io' },
    { type: 'transport.closed', reason: 'closed' },
  ],
  reach(at, facts, event) {
    if (at.status !== 'active') return 'moot';
    // One request has one answer: the second is a stray.
    if (facts['answered'] === true && ANSWERS.includes(event.type)) return 'moot';
    // The session asks its turn to stop once; a bound that fired is not watched any more.
    if (at.hasTag('cancelling') && event.type === 'user.cancel') return 'moot';
    if (at.hasTag('settled') && event.type === 'clock.bound') return 'moot';
    return 'told';
  },
  learn: (facts, event: ChartEvent) => (ANSWERS.includes(event.type) ? { ...facts, answered: true } : facts),
};
