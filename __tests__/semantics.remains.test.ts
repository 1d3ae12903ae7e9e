/** What is left of what failed or went: each of these was once a mutant of the charts that no test saw. */
import { describe, expect, it } from '@jest/globals';
import type { AnyActorRef, InspectionEvent } from 'xstate';
import { connect, type ConnectOptions } from '../src/index.js';
import { manualClock, settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, ScriptedAgent } from './support/scriptedAgent.js';

const CLOSES = {
  ...INITIALIZED[1],
  agentCapabilities: { sessionCapabilities: { close: {} } },
  authMethods: [{ id: 'key', name: 'Key' }],
};

interface Shown {
  status: string;
  value?: unknown;
  context?: { slots?: unknown };
}

interface Seen {
  inspect: NonNullable<ConnectOptions['inspect']>;
  /** Ids of the actors that live, but for the root's. */
  alive(): string[];
  /** What the root remembers of its sessions. */
  slots(): unknown;
  /** Where the root stands. */
  root(): unknown;
}

function watched(): Seen {
  const last = new Map<string, Shown>();
  const root = (): Shown | undefined => [...last.values()].find(({ context }) => context?.slots);
  return {
    inspect: (event: InspectionEvent) => {
      if (event.type !== '@xstate.snapshot') return;
      last.set((event.actorRef as AnyActorRef).id, event.snapshot);
    },
    alive: () => [...last].filter(([id, { status }]) => id !== 'connection' && status === 'active').map(([id]) => id),
    slots: () => root()?.context?.slots,
    root: () => root()?.value,
  };
}

describe('a session', () => {
  it('that could not be opened is no actor any more', async () => {
    const { inspect, alive, slots } = watched();
    const world = await connected({ inspect });
    const opening = world.agent.newSession({ cwd: '/work' });
    opening.catch(() => {});
    await settle();
    expect(alive()).toContain('session.1');
    world.script.refuse('session/new', -32_603);
    await expect(opening).rejects.toMatchObject({ kind: 'agent-error' });
    expect(alive().filter((id) => id.startsWith('session'))).toEqual([]);
    expect(slots()).toEqual([]);
    await world.agent.close();
  });

  it('that was closed gives its place to the next', async () => {
    const { inspect, slots } = watched();
    const world = await connected({ inspect }, CLOSES);
    for (const id of ['s-1', 's-2', 's-3']) {
      const session = await opened(world, id);
      expect(slots()).toEqual([1]);
      const closing = session.close();
      await settle();
      world.script.reply('session/close', {});
      await closing;
      expect(slots()).toEqual([]);
    }
    await world.agent.close();
  });

  it('that is given up in a turn, at an agent that cannot close sessions, is cancelled there and forgotten', async () => {
    const world = await connected();
    const session = await opened(world);
    session.prompt('go').result.catch(() => {});
    await settle();
    const disposing = session[Symbol.asyncDispose]();
    await settle();
    expect(world.script.requests('session/cancel')).toHaveLength(1);
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    await disposing;
    expect(session.state).toBe('closed');
    expect(world.script.requests('session/close')).toEqual([]);
    await world.agent.close();
  });
});

describe('a connection', () => {
  it('is one that wants a login after a login that failed', async () => {
    const { inspect, root } = watched();
    const world = await connected({ inspect }, CLOSES);
    const opening = world.agent.newSession({ cwd: '/work' });
    opening.catch(() => {});
    await settle();
    world.script.refuse('session/new', -32_000);
    await expect(opening).rejects.toMatchObject({ kind: 'auth-required' });
    expect(root()).toEqual({ live: { ready: 'authRequired' } });
    const login = world.agent.authenticate('key');
    login.catch(() => {});
    await settle();
    world.script.refuse('authenticate', -32_603);
    await expect(login).rejects.toMatchObject({ kind: 'agent-error', phase: 'authenticate' });
    expect(root()).toEqual({ live: { ready: 'authRequired' } });
    await world.agent.close();
  });

  it('has no timer left of a login that went well, nor of one that failed', async () => {
    const world = await connected({}, CLOSES);
    const login = async (answer: () => void): Promise<void> => {
      const waiting = world.agent.authenticate('key');
      waiting.catch(() => {});
      await settle();
      expect(world.clock.pending()).toBe(1);
      answer();
      await waiting.catch(() => {});
      expect(world.clock.pending()).toBe(0);
    };
    await login(() => world.script.refuse('authenticate', -32_603));
    await login(() => world.script.reply('authenticate', {}));
    await world.agent.close();
  });

  it('is not offered a third version, although the agent names one that was offered before', async () => {
    const script = new ScriptedAgent();
    let offers = 0;
    script.onFrame = ({ method }) => {
      if (method !== 'initialize') return;
      offers += 1;
      if (offers === 1) script.refuse('initialize', -32_602);
      else if (offers < 9) script.refuse('initialize', -32_022, { supported: [2] });
    };
    const connecting = connect({
      client: { name: 'test', version: '0' },
      clock: manualClock(),
      transport: script.transport,
    });
    await expect(connecting).rejects.toMatchObject({ kind: 'version-unsupported' });
    expect(offers).toBe(2);
  });
});
