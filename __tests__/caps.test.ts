/** What an agent can make us keep is bounded. */
import { describe, expect, it } from '@jest/globals';
import { policy } from '../src/index.js';
import { MOST_SERVED } from '../src/join/inbound.js';
import { MOST_QUESTIONS } from '../src/join/questions.js';
import { settle } from './support/manualClock.js';
import { connected, opened } from './support/scriptedAgent.js';

/** A flood is read in several turns of the event loop. */
async function allRead(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await settle();
}

describe('requests that an agent keeps open', () => {
  it('are bounded: a question too many is answered cancelled at once, and asked of nobody', async () => {
    let asked = 0;
    const world = await connected({
      permissions: policy.ask(() => {
        asked += 1;
        return new Promise(() => {});
      }),
    });
    const session = await opened(world);
    session.prompt('go');
    await settle();
    for (let id = 1; id <= MOST_QUESTIONS + 1; id += 1) world.script.ask(id, 's-1');
    await allRead();
    expect(asked).toBe(MOST_QUESTIONS);
    expect(world.script.answers(MOST_QUESTIONS + 1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(world.agent.decisions).toMatchObject([{ requestId: MOST_QUESTIONS + 1, cause: 'bound' }]);
  });

  it('are bounded where a handler serves them: one too many is refused', async () => {
    const world = await connected({ handlers: { requests: { _wait: () => new Promise(() => {}) } } });
    for (let id = 1; id <= MOST_SERVED + 1; id += 1) world.script.send({ id, method: '_wait' });
    await allRead();
    expect(world.script.answers(MOST_SERVED)).toHaveLength(0);
    expect(world.script.answers(MOST_SERVED + 1)).toMatchObject([{ error: { code: -32603 } }]);
  });
});
