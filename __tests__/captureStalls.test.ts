/** Every captured agent again, silent after each of its frames: nothing but time can end the waits, and it does. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { captureNames, loadCapture } from './support/captures/capture.js';
import { faultsOfBroken } from './support/captures/judge.js';
import { Variants } from './support/captures/variants.js';

/** Many replays a test; a machine that is busy with other things may take its time. */
jest.setTimeout(60_000);

/** Thousands of errors are made and nobody reads their stacks. */
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

it.each(captureNames())('%s ends every wait, typed and in time, whatever frame it falls silent after', async (name) => {
  const variants = new Variants(loadCapture(name));
  expect(await variants.wrongs(await variants.afterEachFrame('stall'), faultsOfBroken)).toEqual([]);
});
