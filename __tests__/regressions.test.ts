/** Bugs of this library that were found by something bigger, each as the smallest test that shows it. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { FrameReader } from '../src/framing/frameReader.js';
import { budget, connect, policy } from '../src/index.js';
import { Pump } from '../src/rpc/pump.js';
import { manualClock, settle } from './support/manualClock.js';
import { memoryPipe } from './support/memoryPipe.js';
import { connected, INITIALIZED, opened, ScriptedAgent } from './support/scriptedAgent.js';

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

  it('last words that are in the pipe when a starved event loop rings the quiet timer are heard', async () => {
    const clock = manualClock();
    const pipe = memoryPipe(() => {});
    const heard: string[] = [];
    const pump = new Pump({
      reader: new FrameReader(pipe.readable, { maxFrameBytes: 1_000 }),
      clock,
      deliver: () => void heard.push('the last words'),
      onHold: () => {},
      onEnd: () => {},
    });
    pump.start();
    const drained = pump.drain(50, Infinity).then(() => heard.push('quiet'));
    // The timer comes first in a turn of the loop, the pipe after it: both were due long ago.
    clock.advance(50);
    pipe.push('{}\n');
    await settle();
    await clock.run(50);
    await drained;
    pump.stop();
    expect(heard).toEqual(['the last words', 'quiet']);
    expect(clock.pending()).toBe(0);
  });
});

const V1_ALL = {
  ...INITIALIZED[1],
  agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {}, list: {}, fork: {} } },
};

describe('found by the simulation', () => {
  it('a permission that ends with its turn is among the decisions of the turn’s result', async () => {
    const world = await connected({ permissions: policy.ask(() => new Promise(() => {})) });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(7, 's-1');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    const { permissions } = await turn.result;
    expect(permissions).toMatchObject([{ requestId: 7, outcome: 'cancelled', cause: 'closed' }]);
    await world.agent.close();
  });

  it('what came for an id while a new session was pending is not delivered after what a later resume of that id brought', async () => {
    const heard: string[] = [];
    const on = { update: (update: { kind: string; text?: string }) => void heard.push(update.text ?? update.kind) };
    const world = await connected({ on }, V1_ALL);
    const pending = world.agent.newSession({ cwd: '/work' });
    await settle();
    world.script.chunk('s-9', 'before');
    await settle();
    const resuming = world.agent.resumeSession('s-9', { cwd: '/work' });
    await settle();
    world.script.chunk('s-9', 'after');
    world.script.reply('session/resume', {});
    await resuming;
    world.script.reply('session/new', { sessionId: 's-1' });
    await pending;
    expect(heard).toEqual(['after']);
    expect(world.agent.stats.strayUpdates).toBe(1);
    await world.agent.close();
  });

  it('a resume that makes kept traffic stray in strict scope is refused, not forgotten', async () => {
    const world = await connected({ scope: 'strict' }, V1_ALL);
    const pending = world.agent.newSession({ cwd: '/work' });
    pending.catch(() => {});
    await settle();
    world.script.chunk('s-9', 'early');
    await settle();
    await expect(world.agent.resumeSession('s-9', { cwd: '/work' })).rejects.toMatchObject({
      kind: 'closed',
      reason: 'scope-mismatch',
    });
    await expect(pending).rejects.toMatchObject({ kind: 'scope-mismatch' });
    await world.agent.close();
  });

  describe('what is kept for the child of a session', () => {
    const announce = { sessionUpdate: 'subagent_update', sessionId: 'c-1', title: 'A helper' };
    const hearing = (): { on: object; heard: string[] } => {
      const heard: string[] = [];
      const on = {
        update: (update: { kind: string; text?: string }, { childId }: { childId?: string }) =>
          void heard.push(`${childId ?? 'parent'}: ${update.text ?? update.kind}`),
      };
      return { on, heard };
    };

    it('is delivered when its session is named, in the order in which it came, whatever else is still expected', async () => {
      const { on, heard } = hearing();
      const asked: unknown[] = [];
      const world = await connected({ on, permissions: policy.ask(({ childId }) => void asked.push(childId)) });
      const waiting = world.agent.newSession({ cwd: '/work' });
      waiting.catch(() => {});
      await settle();
      const pending = world.agent.newSession({ cwd: '/work' });
      await settle();
      world.script.update('s-1', announce);
      world.script.chunk('c-1', 'one');
      world.script.chunk('s-1', 'two');
      world.script.ask(7, 'c-1');
      world.script.reply('session/new', { sessionId: 's-1' });
      world.script.chunk('c-1', 'three');
      await pending;
      await settle();
      expect(heard).toEqual(['parent: info', 'c-1: one', 'parent: two', 'c-1: three']);
      expect(asked).toEqual(['c-1']);
      expect(world.script.answers(7)).toHaveLength(1);
      await world.agent.close();
      expect(world.agent.stats.strayUpdates).toBe(0);
    });

    it('is delivered when it is announced, before what comes for it then', async () => {
      const { on, heard } = hearing();
      const world = await connected({ on });
      await opened(world);
      const waiting = world.agent.newSession({ cwd: '/work' });
      await settle();
      world.script.chunk('c-1', 'one');
      world.script.update('s-1', announce);
      world.script.chunk('c-1', 'two');
      await settle();
      world.script.reply('session/new', { sessionId: 's-2' });
      await waiting;
      expect(heard).toEqual(['parent: info', 'c-1: one', 'c-1: two']);
      await world.agent.close();
    });
  });

  it('a permission of a session that nobody waited for any more is answered when its id is known, whatever else is expected', async () => {
    const world = await connected({}, V1_ALL);
    const leaving = new AbortController();
    const given = world.agent.newSession({ cwd: '/work', signal: leaving.signal });
    given.catch(() => {});
    await settle();
    const late = world.script.last('session/new').id;
    const waiting = world.agent.newSession({ cwd: '/work' });
    waiting.catch(() => {});
    await settle();
    world.script.ask(7, 's-1');
    leaving.abort();
    world.script.send({ id: late, result: { sessionId: 's-1' } });
    await settle();
    expect(world.script.answers(7)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(world.agent.decisions).toMatchObject([{ requestId: 7, sessionId: 's-1', cause: 'closed' }]);
    await world.agent.close();
  });

  it('a permission that is withdrawn while its session is not known yet is answered at once, and nobody is asked', async () => {
    const asked: unknown[] = [];
    const world = await connected({ permissions: policy.ask((request) => void asked.push(request)) });
    const opening = world.agent.newSession({ cwd: '/work' });
    await settle();
    world.script.ask(7, 's-1');
    world.script.send({ method: '$/cancel_request', params: { requestId: 7 } });
    await settle();
    expect(world.script.answers(7)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    await settle();
    expect(asked).toEqual([]);
    expect(world.script.answers(7)).toHaveLength(1);
    expect(world.agent.decisions).toMatchObject([{ requestId: 7, sessionId: 's-1', cause: 'withdrawn' }]);
    await world.agent.close();
  });

  it('that session/close is missing is learnt as well where a session is closed that nobody waited for any more', async () => {
    const world = await connected({}, V1_ALL);
    const leaving = new AbortController();
    const pending = world.agent.newSession({ cwd: '/work', signal: leaving.signal });
    pending.catch(() => {});
    await settle();
    leaving.abort();
    world.script.reply('session/new', { sessionId: 's-late' });
    await settle();
    world.script.refuse('session/close', -32_601);
    await settle();
    const session = await opened(world);
    await expect(session.close()).rejects.toMatchObject({ kind: 'capability-absent' });
    expect(world.script.requests('session/close')).toHaveLength(1);
    await world.agent.close();
  });

  describe('a session that ends before its caller has it', () => {
    const slow = (): { on: object; finish: () => void } => {
      let finish!: () => void;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      return { on: { update: () => finished }, finish };
    };

    it('is refused with the signal’s reason and closed at the agent, while what came before its answer is delivered', async () => {
      const { on, finish } = slow();
      const world = await connected({ on }, V1_ALL);
      const leaving = new AbortController();
      const pending = world.agent.newSession({ cwd: '/work', signal: leaving.signal });
      const outcome = pending.then(
        () => 'given',
        (reason: unknown) => reason,
      );
      await settle();
      world.script.chunk('s-1', 'early');
      world.script.reply('session/new', { sessionId: 's-1' });
      await settle();
      leaving.abort('changed my mind');
      await settle();
      expect(await outcome).toBe('changed my mind');
      expect(world.script.requests('session/close')).toMatchObject([{ params: { sessionId: 's-1' } }]);
      finish();
      await settle();
      world.script.reply('session/close', {});
      await settle();
      expect(world.agent.stats).toMatchObject({ strayResponses: 0 });
      await world.agent.close();
      expect(world.clock.pending()).toBe(0);
    });

    it('is refused as closed when the connection goes meanwhile', async () => {
      const { on, finish } = slow();
      const world = await connected({ on }, V1_ALL);
      const pending = world.agent.newSession({ cwd: '/work' });
      pending.catch(() => {});
      await settle();
      world.script.chunk('s-1', 'early');
      world.script.reply('session/new', { sessionId: 's-1' });
      await settle();
      const closing = world.agent.close();
      finish();
      await expect(pending).rejects.toMatchObject({ kind: 'closed' });
      await closing;
    });

    for (const how of ['signal', 'bound'] as const) {
      it(`is closed at the agent when a ${how} ends a load whose history is still waited for after the answer`, async () => {
        const world = await connected({ replayQuietMs: 1_500 }, V1_ALL);
        const leaving = new AbortController();
        const pending = world.agent.loadSession('s-1', {
          cwd: '/work',
          signal: leaving.signal,
          budget: { absoluteMs: 1_200 },
        });
        pending.catch(() => {});
        await settle();
        world.script.reply('session/load', {});
        await settle();
        expect(world.script.requests('session/close')).toEqual([]);
        if (how === 'signal') leaving.abort('changed my mind');
        else await world.clock.run(1_200);
        if (how === 'signal') await expect(pending).rejects.toBe('changed my mind');
        else await expect(pending).rejects.toMatchObject({ kind: 'absolute' });
        await settle();
        expect(world.script.requests('session/close')).toMatchObject([{ params: { sessionId: 's-1' } }]);
        world.script.chunk('s-1', 'late');
        await settle();
        expect(world.agent.stats.strayUpdates).toBe(0);
        await world.agent.close();
      });
    }
  });

  it('what waits for its session to be named is answered before a close takes the agent’s stdin away', async () => {
    const world = await connected({}, V1_ALL);
    const pending = world.agent.newSession({ cwd: '/work' });
    pending.catch(() => {});
    await settle();
    world.script.ask(7, 's-unknown');
    await settle();
    expect(world.script.answers(7)).toEqual([]);
    await world.agent.close();
    expect(world.script.answers(7)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    await expect(pending).rejects.toMatchObject({ kind: 'closed' });
  });

  it('what comes for an id that is not known when the connection is over is not kept: no timer is left', async () => {
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    const world = await connected({ on: { update: () => held } }, V1_ALL);
    const session = await opened(world);
    const pending = world.agent.newSession({ cwd: '/work' });
    pending.catch(() => {});
    await settle();
    world.script.chunk(session.id, 'held');
    world.script.ask(7, 's-unknown');
    await settle();
    const closing = world.agent.close();
    await settle();
    finish();
    await closing;
    await world.clock.run(0);
    expect(world.clock.pending()).toBe(0);
  });

  it('what an opening that is never answered keeps waiting is answered at the request limit, given up or not', async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const handlers = { elicitation: { form: never }, fs: { readTextFile: never } };
    const world = await connected({ requestLimitMs: 1_000, handlers }, V1_ALL);
    const leaving = new AbortController();
    const pending = world.agent.newSession({ cwd: '/work', signal: leaving.signal });
    pending.catch(() => {});
    await settle();
    leaving.abort();
    world.script.ask(7, 's-unknown');
    world.script.send({ id: 8, method: 'fs/read_text_file', params: { sessionId: 's-unknown', path: '/work/a' } });
    world.script.send({ id: 9, method: 'elicitation/create', params: { sessionId: 's-unknown', mode: 'form' } });
    await world.clock.run(999);
    expect([7, 8, 9].flatMap((id) => world.script.answers(id))).toEqual([]);
    await world.clock.run(1);
    expect(world.script.answers(7)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(world.script.answers(8)).toMatchObject([{ error: {} }]);
    expect(world.script.answers(9)).toMatchObject([{ result: { action: 'cancel' } }]);
    expect(world.agent.decisions).toMatchObject([{ requestId: 7, sessionId: 's-unknown', cause: 'bound' }]);
    world.script.reply('session/new', { sessionId: 's-unknown' });
    await settle();
    expect(world.script.answers(7)).toHaveLength(1);
    await world.agent.close();
    expect(world.clock.pending()).toBe(0);
  });

  it('an elicitation ends with the turn that it was asked in, as a permission does', async () => {
    const signals: AbortSignal[] = [];
    const form = (_params: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const world = await connected({ handlers: { elicitation: { form } } });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.send({ id: 7, method: 'elicitation/create', params: { sessionId: 's-1', mode: 'form' } });
    await settle();
    expect(world.script.answers(7)).toEqual([]);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(world.script.answers(7)).toMatchObject([{ result: { action: 'cancel' } }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await world.agent.close();
  });

  it('a close leaves no timer, although the agent does not read what waits for it', async () => {
    const world = await connected({ closeGraceMs: 100 });
    world.script.pipe.stall(true);
    world.script.leavesOnEof = false;
    const opening = world.agent.newSession({ cwd: '/work' });
    opening.catch(() => {});
    await settle();
    const closing = world.agent.close();
    await world.clock.run(100);
    await closing;
    await world.clock.run(0);
    expect(world.clock.pending()).toBe(0);
    await expect(opening).rejects.toMatchObject({ kind: 'closed' });
  });

  it('no chart is told anything after its end: not of a late close, nor of a login that is due after the connection', async () => {
    const warned: unknown[] = [];
    const { warn } = console;
    console.warn = (text: unknown) => void warned.push(text);
    try {
      const world = await connected({ requestLimitMs: 500 }, V1_ALL);
      const session = await opened(world);
      const closing = session.close();
      await world.clock.run(500);
      await expect(closing).rejects.toMatchObject({ kind: 'request-limit' });
      const ticket = world.agent.sendRequest('x/do');
      await settle();
      world.script.reply('session/close', {});
      world.script.refuse('x/do', -32_000);
      await settle();
      await world.agent.close();
      await expect(world.agent.awaitResponse(ticket)).rejects.toMatchObject({ kind: 'auth-required' });
    } finally {
      console.warn = warn;
    }
    expect(warned).toEqual([]);
  });
});
