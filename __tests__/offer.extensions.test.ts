/** What goes beyond the calls of the library: withdrawing a request, requests and notifications by hand. */
import { describe, expect, it } from '@jest/globals';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';

const SESSIONS = { loadSession: true, sessionCapabilities: { resume: {}, list: {}, fork: {}, delete: {}, close: {} } };
const RICH = {
  ...INITIALIZED[1],
  agentCapabilities: SESSIONS,
  authMethods: [{ id: 'key', name: 'Key' }],
};
const where = { cwd: '/work' };
type Call = (world: World, signal?: AbortSignal) => Promise<unknown>;
const first = async (world: World, signal?: AbortSignal): Promise<unknown> =>
  world.agent.listSessions({ signal })[Symbol.asyncIterator]().next();

// prettier-ignore
const WITHDRAWN: [string, Call][] = [
  ['session/new',    ({ agent }, signal) => agent.newSession({ ...where, signal })],
  ['session/load',   ({ agent }, signal) => agent.loadSession('old', { ...where, signal })],
  ['session/resume', ({ agent }, signal) => agent.resumeSession('old', { ...where, signal })],
  ['session/fork',   ({ agent }, signal) => agent.forkSession('old', { ...where, signal })],
  ['session/list',   first],
  ['authenticate',   ({ agent }, signal) => agent.authenticate('key', { signal })],
];
const withdrawals = ({ script }: World): unknown[] => script.requests('$/cancel_request').map(({ params }) => params);

describe('a request that is given up', () => {
  it.each(WITHDRAWN)('is withdrawn when its bound fires: %s', async (method, call) => {
    const world = await connected({ requestLimitMs: 1_000 }, RICH);
    const ended = failed(call(world));
    await world.clock.run(1_000);
    expect(await ended).toMatchObject({ kind: 'request-limit' });
    expect(withdrawals(world)).toEqual([{ requestId: world.script.last(method).id }]);
    // Its late answer is matched all the same.
    world.script.refuse(method, -32800);
    await settle();
    expect(world.agent.stats.strayResponses).toBe(0);
    expect(world.agent.state).toBe('ready');
  });

  it.each(WITHDRAWN)('is withdrawn once when its signal aborts: %s', async (method, call) => {
    const world = await connected({ requestLimitMs: 1_000 }, RICH);
    const controller = new AbortController();
    const ended = failed(call(world, controller.signal));
    await settle();
    controller.abort(new Error('mine'));
    expect(await ended).toMatchObject({ message: 'mine' });
    await world.clock.run(5_000);
    expect(withdrawals(world)).toEqual([{ requestId: world.script.last(method).id }]);
  });

  it('is not withdrawn where something may be half done: a delete, a close, a selection', async () => {
    const world = await connected({ requestLimitMs: 1_000 }, RICH);
    const session = await opened(world, 's-1', { modes: { currentModeId: 'a', availableModes: [{ id: 'a' }] } });
    const ended = [world.agent.deleteSession('old'), session.select({ mode: 'a' }), session.close()].map(failed);
    await world.clock.run(1_000);
    expect((await Promise.all(ended)).map(({ kind }) => kind)).toEqual(Array(3).fill('request-limit'));
    expect(withdrawals(world)).toEqual([]);
  });

  it('is not withdrawn when it was answered, nor when the connection is closing', async () => {
    const world = await connected({}, RICH);
    await opened(world);
    const opening = failed(world.agent.newSession(where));
    await settle();
    await world.agent.close();

    expect(await opening).toMatchObject({ kind: 'closed' });
    expect(withdrawals(world)).toEqual([]);
  });
});

const stateOf = (error: unknown): unknown => (error as { state?: unknown }).state;

describe('by hand', () => {
  it.each(Array.from({ length: 16 }, (_, i) => i))(
    'an answer is for the next wait where a signal ends one %i microtasks after it came',
    async (microtasks) => {
      const world = await connected();
      const ticket = world.agent.sendRequest('_x/y');
      const controller = new AbortController();
      const waiting = world.agent.awaitResponse(ticket, { signal: controller.signal }).catch(() => 'given up');
      await settle();
      world.script.reply('_x/y', 'the answer');
      for (let i = 0; i < microtasks; i++) await Promise.resolve();
      controller.abort('enough');
      const first = await waiting;
      await settle();
      const second = await world.agent.awaitResponse(ticket).catch(stateOf);
      expect([first, second]).toEqual(first === 'given up' ? ['given up', 'the answer'] : ['the answer', 'spent']);
      await world.agent.close();
    },
  );

  it('a signal that was aborted before leaves the answer to the next wait', async () => {
    const world = await connected();
    const ticket = world.agent.sendRequest('_x/y');
    await settle();
    world.script.reply('_x/y', 'the answer');
    await settle();
    await expect(world.agent.awaitResponse(ticket, { signal: AbortSignal.abort('late') })).rejects.toBe('late');
    expect(await world.agent.awaitResponse(ticket)).toBe('the answer');
    await world.agent.close();
  });

  it('a request is withdrawn by the id of its ticket, and its answer is still given', async () => {
    const world = await connected();
    const ticket = world.agent.sendRequest('_vendor/ask', { a: 1 });
    await world.agent.notify('$/cancel_request', { requestId: ticket.id });
    await settle();
    expect(withdrawals(world)).toEqual([{ requestId: world.script.last('_vendor/ask').id }]);
    world.script.reply('_vendor/ask', { partial: true });
    await expect(world.agent.awaitResponse(ticket)).resolves.toEqual({ partial: true });
  });

  it('requests, notifications and handlers of any method go both ways', async () => {
    const heard: unknown[] = [];
    const world = await connected({
      handlers: { requests: { 'craft/drain': (params) => ({ drained: params }) } },
      on: { notification: (notification) => void heard.push(notification) },
    });
    await world.agent.notify('_vendor/note', { b: 2 });
    world.script.send({ method: '_vendor/heard', params: { c: 3 } }, { id: 'x', method: 'craft/drain', params: [1] });
    await settle();
    expect(world.script.last('_vendor/note')).toEqual({ jsonrpc: '2.0', method: '_vendor/note', params: { b: 2 } });
    expect(heard).toEqual([{ method: '_vendor/heard', params: { c: 3 } }]);
    expect(world.script.answers('x')).toMatchObject([{ result: { drained: [1] } }]);
  });
});
