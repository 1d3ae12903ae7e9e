/** Every edge of the turn chart on the real client, judged by the books of its agent. */
import { describe, expect, it } from '@jest/globals';
import { turnMachine } from '../machines/index.js';
import { Coverage } from './support/paths/coverage.js';
import { pathsOf } from './support/paths/model.js';
import { SessionDriver } from './support/paths/sessionDriver.js';
import { suiteOf } from './support/paths/suite.js';
import { turnModel } from './support/paths/turnModel.js';
import { STATES } from './support/paths/walk.js';

const coverage = new Coverage(turnMachine);

suiteOf({
  chart: 'turn',
  models: [turnModel],
  coverage,
  driver: new SessionDriver(coverage, 'turn'),
  faults: [],
  onlyByFaults: [],
});

// What the model of the session assumes of its turns.
const assumed = STATES ? describe : describe.skip;
assumed('a turn', () => {
  const ends = (state: string): string[][] =>
    pathsOf(turnModel)
      .filter(({ steps }) => steps.at(-1)!.legal && steps.at(-1)!.to.value === state)
      .map(({ steps }) => steps.map(({ event }) => event.type));

  it('is gone only when it was told that its connection is', () => {
    expect(new Set(ends('gone').map((types) => types.at(-1)))).toEqual(new Set(['transport.closed']));
  });

  it('is wedged only by its grace, after it was told to stop', () => {
    for (const types of ends('wedged')) {
      expect(types.at(-1)).toBe('xstate.after.cancelGrace.turn.stopping');
      expect(types.some((type) => type === 'user.cancel' || type === 'clock.bound')).toBe(true);
    }
  });
});
