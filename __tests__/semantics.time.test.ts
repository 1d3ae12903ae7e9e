/** Rules 8 to 11 of the settled semantics: what bounds a wait, and what stops its clocks. */
import { describe, expect, it } from '@jest/globals';
import { budget, connect, policy, type AcpError } from '../src/index.js';
import { manualClock, settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, ScriptedAgent, type World } from './support/scriptedAgent.js';

const failed = (promise: Promise<unknown>): Promise<AcpError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as AcpError,
  );

const client = { name: 'test', version: '0' };

describe('connect', () => {
  it('fails by the request limit, named so, when it has no budget', async () => {
    const clock = manualClock();
    const script = new ScriptedAgent();
    const error = failed(connect({ client, clock, transport: script.transport, requestLimitMs: 5_000 }));
    await clock.run(5_000);
    expect(await error).toMatchObject({
      kind: 'request-limit',
      phase: 'initialize',
      budget: { bound: 'request-limit' },
    });
  });

  it('fails as idle on a silent agent, and garbage does not reset the idle clock', async () => {
    const clock = manualClock();
    const script = new ScriptedAgent();
    const error = failed(connect({ client, clock, transport: script.transport, budget: { idleMs: 1_000 } }));
    await clock.run(900);
    script.raw('noise\n');
    await clock.run(100);
    expect(await error).toMatchObject({ kind: 'idle', stats: { skippedFrames: 1, framesIn: 0 } });
  });

  it('is kept alive by any valid frame, until the absolute bound', async () => {
    const clock = manualClock();
    const script = new ScriptedAgent();
    const bounds = { idleMs: 1_000, absoluteMs: 2_500 };
    const error = failed(connect({ client, clock, transport: script.transport, budget: bounds }));
    for (let i = 0; i < 3; i += 1) {
      await clock.run(800);
      script.send({ method: '_vendor/note' });
      await settle();
    }
    await clock.run(100);
    expect(await error).toMatchObject({ kind: 'absolute', budget: { elapsedMs: 2_500, sinceLastFrameMs: 100 } });
  });

  it('rejects with the reason of its signal, and closes', async () => {
    const clock = manualClock();
    const script = new ScriptedAgent();
    const controller = new AbortController();
    const error = failed(connect({ client, clock, transport: script.transport, signal: controller.signal }));
    await settle();
    controller.abort(new Error('mine'));
    expect(await error).toMatchObject({ message: 'mine' });
    await clock.run(10_000);
    expect(script.stdinEnded).toBe(true);
    expect(clock.pending()).toBe(0);
  });
});

describe('a budget', () => {
  it('is shared by what it spans: its absolute clock runs from the first use, over connections', async () => {
    const shared = budget({ absoluteMs: 3_000 });
    const world = await connected({ budget: shared });
    await world.clock.run(2_000);
    const opening = failed(world.agent.newSession({ cwd: '/work', budget: shared }));
    await world.clock.run(1_000);
    expect(await opening).toMatchObject({ kind: 'absolute', budget: { elapsedMs: 3_000 } });
    const before = world.script.received.length;
    expect(await failed(world.agent.newSession({ cwd: '/work', budget: shared }))).toMatchObject({
      kind: 'absolute',
      budget: { bound: 'absolute' },
    });
    expect(world.script.received).toHaveLength(before);
  });

  it('of zero is raised to a floor that leaves room for an immediate answer', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: 0, absoluteMs: 0 } });
    await world.clock.run(50);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
  });

  it('of Infinity is none: no timer is armed for it', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: Infinity, absoluteMs: Infinity } });
    await settle();
    expect(world.clock.pending()).toBe(0);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
  });

  it('that is shared runs on while its turn waits in the queue', async () => {
    const world = await connected();
    const session = await opened(world);
    const shared = budget({ absoluteMs: 1_000 });
    session.prompt('first');
    const queued = session.prompt('second', { queue: true, budget: shared });
    await world.clock.run(1_000);
    expect(await failed(queued.result)).toMatchObject({ kind: 'absolute' });
    expect(await queued.sent).toBe(false);
  });

  it('that is plain starts when its queued prompt is written', async () => {
    const world = await connected();
    const session = await opened(world);
    session.prompt('first');
    const queued = session.prompt('second', { queue: true, budget: { absoluteMs: 1_000 } });
    await world.clock.run(5_000);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await settle();
    await world.clock.run(999);
    expect(session.state).toBe('running');
    await world.clock.run(1);
    expect(await failed(queued.result)).toMatchObject({ kind: 'absolute', budget: { elapsedMs: 1_000 } });
  });
});

describe('the idle clock of a turn', () => {
  const bounds = { budget: { idleMs: 1_000, absoluteMs: 20_000 } };

  it('stands still while the agent is owed an answer, and goes on from where it was', async () => {
    let decide: (id: string | null) => void = () => {};
    const world = await connected({ permissions: policy.ask(() => new Promise((resolve) => (decide = resolve))) });
    const session = await opened(world);
    const turn = session.prompt('go', bounds);
    await world.clock.run(500);
    world.script.ask(1, 's-1');
    await world.clock.run(10_000);
    expect(session.state).toBe('awaiting-permission');
    decide('o-0-allow_once');
    await world.clock.run(999);
    expect(session.state).toBe('running');
    await world.clock.run(1);
    expect(await failed(turn.result)).toMatchObject({ kind: 'idle' });
  });

  it('leaves the absolute clock running while a permission waits, and then answers it cancelled', async () => {
    const world = await connected({ permissions: policy.ask(() => new Promise(() => {})) });
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: 1_000, absoluteMs: 3_000 } });
    await settle();
    world.script.ask(1, 's-1');
    await world.clock.run(3_000);
    expect(await failed(turn.result)).toMatchObject({ kind: 'absolute', turn: { permissions: [{ cause: 'bound' }] } });
    expect(world.script.answers(1)).toHaveLength(1);
    const methods = world.script.received.map(({ method, id }) => method ?? id);
    expect(methods.indexOf('session/cancel')).toBeLessThan(methods.indexOf(1));
  });

  it('stands still while a handler of ours is at work for that session', async () => {
    let finish: () => void = () => {};
    const world = await connected({
      handlers: { fs: { readTextFile: () => new Promise((resolve) => (finish = () => resolve({ content: 'x' }))) } },
    });
    const session = await opened(world);
    const turn = session.prompt('go', bounds);
    await settle();
    world.script.send({ id: 9, method: 'fs/read_text_file', params: { sessionId: 's-1', path: '/work/a' } });
    await world.clock.run(5_000);
    finish();
    await settle();
    expect(world.script.answers(9)).toMatchObject([{ result: { content: 'x' } }]);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
  });

  it('stands still while a slow listener holds the pipe', async () => {
    let finish: () => void = () => {};
    const world = await connected({ on: { update: () => new Promise((resolve) => (finish = resolve)) } });
    const session = await opened(world);
    const turn = session.prompt('go', bounds);
    await settle();
    world.script.chunk('s-1', 'a');
    await world.clock.run(5_000);
    expect(session.state).toBe('running');
    finish();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'a' });
  });
});

describe('calls without a budget', () => {
  it('have the request limit', async () => {
    const world = await connected({ requestLimitMs: 2_000 });
    const opening = failed(world.agent.newSession({ cwd: '/work' }));
    await world.clock.run(2_000);
    expect(await opening).toMatchObject({ kind: 'request-limit', phase: 'session' });
  });

  it('count it from the last frame where a history is replayed', async () => {
    const world = await connected(
      { requestLimitMs: 2_000 },
      { ...INITIALIZED[1], agentCapabilities: { loadSession: true } },
    );
    const loading = world.agent.loadSession('old', { cwd: '/work' });
    await settle();
    for (let i = 0; i < 4; i += 1) {
      await world.clock.run(1_500);
      world.script.chunk('old', 'history');
      await settle();
    }
    world.script.reply('session/load', null);
    await world.clock.run(100);
    await expect(loading).resolves.toMatchObject({ id: 'old', origin: 'load' });
  });

  it('bound a question outside of a turn by the request limit, unless the policy has a limit of its own', async () => {
    const asks = async (timeoutMs?: number): Promise<World> => {
      const world = await connected({
        requestLimitMs: 2_000,
        permissions: policy.ask(
          () => new Promise(() => {}),
          timeoutMs === undefined ? {} : { timeoutMs, onTimeout: 'reject_once' },
        ),
      });
      await opened(world);
      world.script.ask(1, 's-1');
      await settle();
      return world;
    };
    const limited = await asks();
    await limited.clock.run(2_000);
    expect(limited.script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(limited.agent.decisions).toMatchObject([{ cause: 'bound' }]);
    const own = await asks(500);
    await own.clock.run(500);
    expect(own.script.answers(1)).toMatchObject([{ result: { outcome: { optionId: 'o-1-reject_once' } } }]);
    expect(own.agent.decisions).toMatchObject([{ cause: 'timeout' }]);
  });
});

describe('writing', () => {
  it('is bounded: a write that the agent does not take ends the connection as write-timeout', async () => {
    const world = await connected({ writeTimeoutMs: 1_000 });
    const session = await opened(world);
    world.script.pipe.stall(true);
    const turn = session.prompt('go');
    await world.clock.run(1_000);
    expect(await failed(turn.result)).toMatchObject({ kind: 'write-timeout' });
    expect(world.agent.closeReason).toBe('write-timeout');
    world.script.pipe.stall(false);
  });
});

describe('a connection that ends', () => {
  it('fails what waits as agent-exited, after everything that was written before was delivered', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'x');
    world.script.pipe.end();
    expect(await failed(turn.result)).toMatchObject({ kind: 'agent-exited', turn: { text: 'x' } });
    expect(await failed(world.agent.newSession({ cwd: '/work' }))).toMatchObject({
      kind: 'closed',
      reason: 'agent-exited',
      cause: expect.objectContaining({ kind: 'agent-exited' }),
    });
    expect(world.clock.pending()).toBe(0);
  });

  it('delivers an update that came before a response before the response settles', async () => {
    const order: string[] = [];
    const world = await connected({ on: { update: () => Promise.resolve().then(() => void order.push('update')) } });
    const session = await opened(world);
    const turn = session.prompt('go');
    void turn.result.then(() => order.push('result'));
    await settle();
    world.script.chunk('s-1', 'x');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(order).toEqual(['update', 'result']);
  });
});
