/** What bounds `session.close()`: the bounds and the signal of the call, from the call on. */
import { describe, expect, it } from '@jest/globals';
import { settle } from './support/manualClock.js';
import { connected, opened, type World } from './support/scriptedAgent.js';

const CLOSES = {
  protocolVersion: 1,
  agentCapabilities: { sessionCapabilities: { close: {} } },
  authMethods: [],
};

async function prompting(): Promise<{ world: World; session: Awaited<ReturnType<typeof opened>> }> {
  const world = await connected({}, CLOSES);
  const session = await opened(world);
  void session.prompt('go').result.catch(() => {});
  await settle();
  return { world, session };
}

describe('closing a session', () => {
  it('is given up when the budget of the call is spent, also while its turn must end first', async () => {
    const { world, session } = await prompting();
    const closing = session.close({ budget: { absoluteMs: 1_000 } });
    const failed = expect(closing).rejects.toMatchObject({ kind: 'absolute', phase: 'close', sessionId: 's-1' });
    await world.clock.run(1_000);
    await failed;
  });

  it('goes on when it is given up: the agent is told once the turn is over', async () => {
    const { world, session } = await prompting();
    session.close({ budget: { absoluteMs: 1_000 } }).catch(() => {});
    await world.clock.run(1_000);
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    await settle();
    expect(world.script.requests('session/close')).toHaveLength(1);
    world.script.reply('session/close', {});
    await settle();
    expect(session.state).toBe('closed');
    expect(world.clock.pending()).toBe(0);
  });

  it('rejects with the reason of the signal', async () => {
    const { session } = await prompting();
    const controller = new AbortController();
    const closing = session.close({ signal: controller.signal });
    controller.abort(new Error('no time'));
    await expect(closing).rejects.toThrow('no time');
  });

  it('does nothing when the signal was aborted before', async () => {
    const { world, session } = await prompting();
    const written = world.script.received.length;
    await expect(session.close({ signal: AbortSignal.abort(new Error('no time')) })).rejects.toThrow('no time');
    await settle();
    expect(world.script.received).toHaveLength(written);
    expect(session.state).toBe('running');
  });
});
