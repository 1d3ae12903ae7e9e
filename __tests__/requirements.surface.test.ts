/** The part of the public surface that no rule of the semantics speaks of in particular, over a pipe in memory. */
import { describe, expect, it } from '@jest/globals';
import type { AcpError, Agent, SessionInfo } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const failed = (promise: Promise<unknown>): Promise<AcpError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as AcpError,
  );
const RICH = {
  ...INITIALIZED[1],
  agentCapabilities: {
    loadSession: true,
    sessionCapabilities: { list: {}, resume: {}, close: {}, fork: {} },
    auth: { logout: {} },
  },
};
const rich = (): Promise<World> => connected({}, RICH);
/** Methods that the agent was asked for after the handshake. */
const asked = ({ script }: World): (string | undefined)[] => script.received.slice(1).map(({ method }) => method);

describe('an agent over a transport', () => {
  it('has no process: no pid, and nothing on stderr', async () => {
    const { agent } = await connected();
    expect(agent.pid).toBeUndefined();
    expect(agent.stderr.tail()).toBe('');
  });

  it('is logged out where it advertises that', async () => {
    const world = await rich();
    const out = world.agent.logout();
    await settle();
    world.script.reply('logout', {});
    await out;
    const poor = await connected();
    expect(await failed(poor.agent.logout())).toMatchObject({
      kind: 'capability-absent',
      capability: 'auth.logout',
      phase: 'authenticate',
    });
    expect(asked(poor)).toEqual([]);
  });

  it('forks a session into a new one, which it names', async () => {
    const world = await rich();
    const forking = world.agent.forkSession('old', { cwd: '/work' });
    await settle();
    expect(world.script.last('session/fork').params).toEqual({ sessionId: 'old', cwd: '/work', mcpServers: [] });
    world.script.reply('session/fork', { sessionId: 'copy' });
    expect(await forking).toMatchObject({ id: 'copy', origin: 'new', state: 'idle' });
    const poor = await connected();
    expect(await failed(poor.agent.forkSession('old', { cwd: '/work' }))).toMatchObject({
      kind: 'capability-absent',
      capability: 'sessionCapabilities.fork',
    });
  });
});

describe('a list of sessions', () => {
  const all = async (pages: AsyncIterable<SessionInfo>): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { sessionId } of pages) ids.push(sessionId);
    return ids;
  };

  it('goes on as long as the agent names another page, and fetches each when the loop comes to it', async () => {
    const world = await rich();
    const pages = world.agent.listSessions({ cwd: '/work' })[Symbol.asyncIterator]();
    expect(asked(world)).toEqual([]);
    const first = pages.next();
    await settle();
    expect(world.script.last('session/list').params).toEqual({ cwd: '/work' });
    world.script.reply('session/list', { sessions: [{ sessionId: 'a', cwd: '/work', title: 'T' }], nextCursor: 'c-2' });
    expect(await first).toEqual({ done: false, value: { sessionId: 'a', cwd: '/work', title: 'T' } });
    expect(world.script.requests('session/list')).toHaveLength(1);
    const second = pages.next();
    await settle();
    expect(world.script.last('session/list').params).toEqual({ cwd: '/work', cursor: 'c-2' });
    world.script.reply('session/list', { sessions: [] });
    expect(await second).toEqual({ done: true, value: undefined });
  });

  it('ends where an agent names the same page again', async () => {
    const world = await rich();
    world.script.onFrame = ({ id, method }) => {
      if (method !== 'session/list') return;
      world.script.send({ id, result: { sessions: [{ sessionId: 'a', cwd: '/' }], nextCursor: 'again' } });
    };
    expect(await all(world.agent.listSessions())).toEqual(['a', 'a']);
    expect(world.script.requests('session/list')).toHaveLength(2);
  });

  it('is refused, on its first step, where the agent has none', async () => {
    const world = await connected();
    expect(await failed(all(world.agent.listSessions()))).toMatchObject({
      kind: 'capability-absent',
      capability: 'sessionCapabilities.list',
    });
    expect(asked(world)).toEqual([]);
  });
});

describe('openSession', () => {
  const opens = async (world: World, options: Parameters<Agent['openSession']>[0], codes: Record<string, number>) => {
    world.script.onFrame = ({ id, method }) => {
      if (id === undefined || method === undefined) return;
      const code = codes[method];
      if (code === undefined) world.script.send({ id, result: { sessionId: options.id ?? 'made' } });
      else world.script.send({ id, error: { code, message: 'no' } });
    };
    const opening = world.agent.openSession({ cwd: '/work', ...options });
    opening.catch(() => {});
    await settle();
    await world.clock.run(100);
    return opening;
  };

  it('resumes where it can', async () => {
    const world = await rich();
    expect(await opens(world, { id: 'old' }, {})).toMatchObject({ id: 'old', origin: 'resume' });
    expect(asked(world)).toEqual(['session/resume']);
  });

  it.each([-32601, -32602, -32603, -32002])('loads where resuming is refused by %i', async (code) => {
    const world = await rich();
    const session = await opens(world, { id: 'old' }, { 'session/resume': code });
    expect(session).toMatchObject({ id: 'old', origin: 'load' });
    expect(asked(world)).toEqual(['session/resume', 'session/load']);
  });

  it('does not ask for what is not advertised, and makes a new session only where that was named', async () => {
    const world = await connected();
    expect(await failed(opens(world, { id: 'old' }, {}))).toMatchObject({ kind: 'capability-absent' });
    expect(asked(world)).toEqual([]);
    const session = await opens(world, { id: 'old', prefer: ['resume', 'load', 'new'] }, {});
    expect(session).toMatchObject({ origin: 'new' });
    expect(asked(world)).toEqual(['session/new']);
  });

  it('goes no further after a login that is due', async () => {
    const world = await rich();
    expect(await failed(opens(world, { id: 'old' }, { 'session/resume': -32000 }))).toMatchObject({
      kind: 'auth-required',
    });
    expect(asked(world)).toEqual(['session/resume']);
  });

  it('goes no further after a bound that fired', async () => {
    const world = await rich();
    const opening = failed(world.agent.openSession({ id: 'old', cwd: '/work', budget: { absoluteMs: 1_000 } }));
    await world.clock.run(1_000);
    expect(await opening).toMatchObject({ kind: 'absolute' });
    expect(asked(world)).not.toContain('session/load');
  });

  it('without an id and without the word `new` is a mistake of ours', async () => {
    const world = await rich();
    expect(await failed(world.agent.openSession({ cwd: '/work' }))).toMatchObject({
      kind: 'invalid-argument',
      argument: 'id',
    });
    expect(asked(world)).toEqual([]);
  });
});

describe('a session', () => {
  it('holds the turn that runs, and none after its end', async () => {
    const world = await connected();
    const session = await opened(world);
    expect(session.turn).toBeUndefined();
    const turn = session.prompt('go');
    expect(session.turn).toBe(turn);
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    expect(session.turn).toBeUndefined();
  });

  it('shows its chart to read: snapshots, and no way to send', async () => {
    const world = await connected();
    const session = await opened(world);
    const states: unknown[] = [];
    const subscription = session.actor.subscribe((snapshot) => {
      states.push((snapshot as { tags?: Set<string> }).tags?.has('busy'));
      if (states.length === 1) throw new Error('mine');
    });
    expect(session.actor).not.toHaveProperty('send');
    expect(session.actor.getSnapshot()).toMatchObject({ status: 'active' });
    const turn = session.prompt('go');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(states[0]).toBe(true);
    expect(states.at(-1)).toBe(false);
    expect(world.agent.stats.listenerErrors).toBe(1);
    subscription.unsubscribe();
    const seen = states.length;
    session.prompt('again');
    expect(states).toHaveLength(seen);
  });
});

describe('what a session offers', () => {
  const option = (id: string, category: string, values: string[]): object => ({
    id,
    name: id,
    category,
    type: 'select',
    currentValue: values[0],
    options: values.map((value) => ({ value, name: value })),
  });
  const OPTIONS = {
    configOptions: [
      option('mode', 'mode', ['ask', 'code']),
      option('effort', 'thought_level', ['low', 'High']),
      option('model', 'model', ['small', 'large']),
    ],
  };

  it('is selected as model, effort, mode, in the agent’s spelling; what the agent then says is given back', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', OPTIONS);
    const sent: unknown[] = [];
    world.script.onFrame = ({ id, method, params }) => {
      if (method !== 'session/set_config_option') return;
      sent.push([params?.['configId'], params?.['value']]);
      // It takes the model, and answers with another effort than was asked for.
      const configOptions = [option('effort', 'thought_level', ['low', 'High']), option('model', 'model', ['large'])];
      world.script.send({ id, result: { configOptions: [...configOptions, option('mode', 'mode', ['code', 'ask'])] } });
    };
    const selected = await session.select({ mode: 'code', model: 'large', effort: 'high' });
    expect(sent).toEqual([
      ['model', 'large'],
      ['effort', 'High'],
      ['mode', 'code'],
    ]);
    expect(selected).toEqual({ model: 'large', effort: 'low', mode: 'code' });
    expect(session.options.models).toMatchObject({ current: 'large' });
  });

  it('is not selected past the first failure, and a value that is not advertised is never sent', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', OPTIONS);
    const before = world.script.received.length;
    expect(await failed(session.select({ model: 'Large', mode: 'code' }))).toMatchObject({
      kind: 'invalid-argument',
      argument: 'model',
      offered: ['small', 'large'],
    });
    expect(world.script.received).toHaveLength(before);
  });

  it('is set by its id, exactly, with the value in effect as the answer', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', OPTIONS);
    expect(await failed(session.setConfigOption('effort', 'high'))).toMatchObject({
      kind: 'invalid-argument',
      argument: 'value',
      offered: ['low', 'High'],
    });
    const setting = session.setConfigOption('effort', 'High');
    await settle();
    expect(world.script.last('session/set_config_option').params).toEqual({
      sessionId: 's-1',
      configId: 'effort',
      value: 'High',
    });
    world.script.reply('session/set_config_option', {});
    expect(await setting).toBe('High');
  });
});
