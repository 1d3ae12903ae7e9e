/** Every edge of the connection chart on the real client, judged by the books of its agent. */
import { jest } from '@jest/globals';
import { connectionMachine } from '../machines/index.js';
import { connectionModels } from './support/paths/connectionModel.js';
import { Coverage } from './support/paths/coverage.js';

jest.unstable_mockModule('../src/process/agentProcess.js', () => import('./support/paths/fakeSpawn.js'));
const { ConnectionDriver } = await import('./support/paths/connectionDriver.js');
const { suiteOf } = await import('./support/paths/suite.js');

const coverage = new Coverage(connectionMachine);

suiteOf({
  chart: 'connection',
  models: connectionModels,
  coverage,
  driver: new ConnectionDriver(coverage),
  faults: [
    // Nothing is read or written before the process runs.
    '{live:spawning} + transport.fatal(frame-too-large)',
    '{live:spawning} + transport.fatal(io)',
    // A process that is asked to leave reports no death.
    '{live:closing} + process.died(a port out of turn)',
    // A port of the process throws.
    '{live:spawning} + xstate.error.actor.process',
    '{live:initializing} + xstate.error.actor.process',
    '{live:{ready:open}} + xstate.error.actor.process',
    '{live:{ready:authRequired}} + xstate.error.actor.process',
    '{live:{ready:authenticating}} + xstate.error.actor.process',
    '{live:closing} + xstate.error.actor.process',
    // A port of a session throws.
    '{live:{ready:open}} + xstate.error.actor.session.1',
    '{live:{ready:open}} + xstate.error.actor.session.2',
    '{live:{ready:authRequired}} + xstate.error.actor.session.1',
    '{live:{ready:authenticating}} + xstate.error.actor.session.1',
  ],
  onlyByFaults: [
    'connection.live + xstate.error.actor.process #0 -> connection.closed',
    'connection.live.closing + process.died #0 -> stays',
    'connection.live.ready + xstate.error.actor.session.* #0 -> connection.live.closing',
  ],
});
