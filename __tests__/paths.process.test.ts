/** Every edge of the process chart on the real client, judged by the books of its agent and of the process itself. */
import { jest } from '@jest/globals';
import { processMachine } from '../machines/index.js';
import { Coverage } from './support/paths/coverage.js';
import { processModels } from './support/paths/processModel.js';

jest.unstable_mockModule('../src/process/agentProcess.js', () => import('./support/paths/fakeSpawn.js'));
const { ProcessDriver } = await import('./support/paths/processDriver.js');
const { suiteOf } = await import('./support/paths/suite.js');

const coverage = new Coverage(processMachine);

suiteOf({
  chart: 'process',
  models: processModels,
  coverage,
  driver: new ProcessDriver(coverage),
  faults: [],
  onlyByFaults: [],
});
