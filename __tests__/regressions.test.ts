/** Bugs of this library that were found by something bigger, each as the smallest test that shows it. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { budget, connect } from '../src/index.js';
import { manualClock } from './support/manualClock.js';
import { ScriptedAgent } from './support/scriptedAgent.js';

const client = { name: 'test', version: '0' };

describe('found by the leak rounds', () => {
  it('a connect whose budget was spent before it began leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    const clock = manualClock();
    const spent = budget({ absoluteMs: 1_000 });
    const options = { client, clock, signal, budget: spent };
    const first = connect({ ...options, transport: new ScriptedAgent().transport });
    first.catch(() => {});
    await clock.run(1_000);
    await expect(first).rejects.toMatchObject({ kind: 'absolute' });
    await expect(connect({ ...options, transport: new ScriptedAgent().transport })).rejects.toMatchObject({
      kind: 'absolute',
      phase: 'spawn',
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
