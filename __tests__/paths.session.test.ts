/** Every edge of the session chart on the real client, judged by the books of its agent. */
import { expect, it } from '@jest/globals';
import { sessionMachine } from '../machines/index.js';
import { Coverage } from './support/paths/coverage.js';
import { pathsOf } from './support/paths/model.js';
import { SessionDriver } from './support/paths/sessionDriver.js';
import { sessionModels } from './support/paths/sessionModel.js';
import { suiteOf } from './support/paths/suite.js';
import { STATES } from './support/paths/walk.js';

const coverage = new Coverage(sessionMachine);

suiteOf({
  chart: 'session',
  models: sessionModels,
  coverage,
  driver: new SessionDriver(coverage, 'session'),
  faults: [
    '{open:{turns:{prompting:turning},permissions:deciding}} + xstate.done.actor.turn({"turn":1,"leaves":"wedged"})',
    '{open:{turns:{prompting:turning},permissions:deciding}} + xstate.error.actor.turn',
    '{open:{turns:{prompting:cancelling},permissions:refusing}} + xstate.error.actor.turn',
    '{open:{turns:{prompting:closeWanted},permissions:refusing}} + xstate.error.actor.turn',
  ],
  onlyByFaults: ['session.open.turns.prompting + xstate.error.actor.turn #0 -> session.wedged'],
});

// What the model of the connection assumes of its sessions.
const assumed = STATES ? it : it.skip;
assumed('a session is lost only when it was told that its connection is', () => {
  const lost = sessionModels
    .flatMap((model) => pathsOf(model))
    .filter(({ steps }) => steps.at(-1)!.legal && steps.at(-1)!.to.value === 'lost')
    .map(({ steps }) => steps.map(({ event }) => event.type));
  expect(lost.length).toBeGreaterThan(0);
  for (const types of lost) expect(types).toContain('transport.closed');
});
