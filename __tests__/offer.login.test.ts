/** Logging in: asked for by -32000 alone, done once, and never with a credential of ours. */
import { describe, expect, it, jest } from '@jest/globals';
import { connect, type AcpError, type Agent, type ConnectOptions, type Session } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, ScriptedAgent, type World } from './support/scriptedAgent.js';

const authMethods = [
  { id: 'key', name: 'Key' },
  { id: 'tty', name: 'Terminal', type: 'terminal', args: ['login', '--now'], env: { MODE: 'tty' } },
  { id: 'odd', name: 'Odd', type: 7 },
];
const capabilities = { loadSession: true, sessionCapabilities: { resume: {}, list: {}, fork: {}, delete: {} } };
const LOGIN = { ...INITIALIZED[1], authMethods, agentCapabilities: capabilities };
const where = { cwd: '/work' };
const SESSION = { modes: { currentModeId: 'a', availableModes: [{ id: 'a' }, { id: 'b' }] } };
const CONFIG = { configOptions: [{ id: 'fast', type: 'boolean', currentValue: false }] };

const loggingIn = (options: Partial<ConnectOptions> = {}): Promise<World> =>
  connected({ authenticate: 'key', ...options }, LOGIN);
const methods = ({ script }: World): (string | undefined)[] => script.received.slice(1).map(({ method }) => method);

/** Refuses the newest request of the method, logs in, and lets it pass the second time. */
async function throughLogin(world: World, method: string, result: unknown): Promise<void> {
  await settle();
  world.script.refuse(method, -32000);
  await settle();
  world.script.reply('authenticate', {});
  await settle();
  world.script.reply(method, result);
}

// prettier-ignore
const CALLS: [string, unknown, (agent: Agent, session: Session) => Promise<unknown>][] = [
  ['session/new',               { sessionId: 's-2' }, (agent) => agent.newSession(where)],
  ['session/resume',            {},                   (agent) => agent.resumeSession('old', where)],
  ['session/fork',              { sessionId: 's-2' }, (agent) => agent.forkSession('old', where)],
  ['session/list',              { sessions: [] },     (agent) => agent.listSessions()[Symbol.asyncIterator]().next()],
  ['session/delete',            {},                   (agent) => agent.deleteSession('old')],
  ['session/set_mode',          {},                   (_agent, session) => session.select({ mode: 'b' })],
  ['session/set_config_option', {},                   (_agent, session) => session.setConfigOption('fast', true)],
  ['session/prompt',            { stopReason: 'end_turn' }, (_agent, session) => session.prompt('go').result],
];

describe('a call that is refused by -32000', () => {
  it.each(CALLS)('is sent once more after the login, and then done: %s', async (method, result, call) => {
    const world = await loggingIn();
    const session = await opened(world, 's-1', { ...SESSION, ...CONFIG });
    const done = call(world.agent, session);
    await throughLogin(world, method, result);
    await done;
    expect(methods(world)).toEqual(['session/new', method, 'authenticate', method]);
    const [first, second] = world.script.requests(method).slice(-2);
    expect(second?.params).toEqual(first?.params);
    expect(second?.id).not.toBe(first?.id);
    expect(world.script.last('authenticate').params).toEqual({ methodId: 'key' });
    expect(world.clock.pending()).toBe(0);
  });

  it.each(CALLS)(
    'is auth-required when it is refused again, with no second login: %s',
    async (method, _result, call) => {
      const world = await loggingIn();
      const session = await opened(world, 's-1', { ...SESSION, ...CONFIG });
      const again = failed(call(world.agent, session));
      await settle();
      world.script.refuse(method, -32000);
      await settle();
      world.script.reply('authenticate', {});
      await settle();
      world.script.refuse(method, -32000);
      const refused = await again;
      expect(refused).toMatchObject({ kind: 'auth-required' });
      expect(idsOf(refused)).toEqual(['key', 'tty', 'odd']);
      expect(JSON.stringify(refused)).not.toContain('Terminal');
      expect(world.script.requests('authenticate')).toHaveLength(1);
    },
  );

  it.each(CALLS)('is auth-required at once where nobody said how to log in: %s', async (method, _result, call) => {
    const world = await connected({}, LOGIN);
    const session = await opened(world, 's-1', { ...SESSION, ...CONFIG });
    const error = failed(call(world.agent, session));
    await settle();
    world.script.refuse(method, -32000);
    expect(await error).toMatchObject({ kind: 'auth-required' });
    expect(world.script.requests('authenticate')).toEqual([]);
  });

  it('is logged in for in the words of version 2', async () => {
    const v2 = { ...INITIALIZED[2], authMethods: [{ methodId: 'key', type: 'agent', name: 'Key' }] };
    const world = await connected({ authenticate: 'key' }, v2);
    const opening = world.agent.newSession(where);
    await settle();
    world.script.refuse('session/new', -32000);
    await settle();
    world.script.reply('auth/login', {});
    await settle();
    world.script.reply('session/new', { sessionId: 's-1' });
    expect((await opening).id).toBe('s-1');
    expect(world.script.last('auth/login').params).toEqual({ methodId: 'key' });
  });
});

const idsOf = (error: AcpError): string[] | undefined =>
  error.kind === 'auth-required' ? error.authMethods.map(({ id }) => id) : undefined;

async function refusedNew(world: World): Promise<AcpError> {
  const error = failed(world.agent.newSession(where));
  await settle();
  world.script.refuse('session/new', -32000);
  await settle();
  return error;
}

describe('who chooses the method', () => {
  it('is a function that is given all of them, and may take its time', async () => {
    const seen: unknown[] = [];
    let choose: (id: string) => void = () => {};
    const world = await loggingIn({
      authenticate: (offered, { signal }) => {
        seen.push(
          offered.map(({ id }) => id),
          signal.aborted,
        );
        return new Promise((resolve) => (choose = resolve));
      },
    });
    const opening = world.agent.newSession(where);
    await settle();
    world.script.refuse('session/new', -32000);
    await world.clock.run(300_000);
    expect(seen).toEqual([['key', 'tty', 'odd'], false]);
    choose('key');
    await settle();
    world.script.reply('authenticate', null);
    await settle();
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
  });

  it.each([[null], [undefined]])('may choose none (%p): the call stays refused', async (choice) => {
    const world = await loggingIn({ authenticate: () => choice });
    expect(await refusedNew(world)).toMatchObject({ kind: 'auth-required' });
    expect(methods(world)).toEqual(['session/new']);
  });

  it.each(['nonsense', 'tty', 'odd'])('cannot choose what is not offered to be sent: %s', async (methodId) => {
    const world = await loggingIn({ authenticate: methodId });
    const error = await refusedNew(world);
    expect(error).toMatchObject({ kind: 'invalid-argument', argument: 'authenticate', offered: ['key'] });
    expect(methods(world)).toEqual(['session/new']);
  });

  it('that throws is told so by the call', async () => {
    const world = await loggingIn({
      authenticate: () => {
        throw new Error('mine');
      },
    });
    expect(await refusedNew(world)).toMatchObject({ message: 'mine' });
  });

  it('is asked once for all calls that are refused meanwhile', async () => {
    const choose = jest.fn(() => 'key');
    const world = await loggingIn({ authenticate: choose });
    const opening = [world.agent.newSession(where), world.agent.newSession(where)];
    await settle();
    for (const { id } of world.script.requests('session/new')) {
      world.script.send({ id, error: { code: -32000, message: '' } });
    }
    await settle();
    world.script.reply('authenticate', {});
    await settle();
    const again = world.script.requests('session/new').slice(2);
    again.forEach(({ id }, i) => world.script.send({ id, result: { sessionId: `s-${i}` } }));
    expect((await Promise.all(opening)).map(({ id }) => id)).toEqual(['s-0', 's-1']);
    expect(choose).toHaveBeenCalledTimes(1);
  });

  it('is not asked while a login by hand is under way: that one is waited for', async () => {
    const choose = jest.fn(() => 'key');
    const world = await loggingIn({ authenticate: choose });
    const login = world.agent.authenticate('key');
    const opening = world.agent.newSession(where);
    await settle();
    world.script.refuse('session/new', -32000);
    await settle();
    world.script.reply('authenticate', {});
    await login;
    await settle();
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    expect(choose).not.toHaveBeenCalled();
  });
});

describe('a login that does not come about', () => {
  it('is told by the agent’s refusal, in its own phase', async () => {
    const world = await loggingIn();
    const error = failed(world.agent.newSession(where));
    await settle();
    world.script.refuse('session/new', -32000);
    await settle();
    world.script.refuse('authenticate', -32603);
    expect(await error).toMatchObject({ kind: 'agent-error', phase: 'authenticate', agentCode: -32603 });
  });

  it.each(['choosing', 'authenticating'])('ends by its limit while %s', async (at) => {
    let aborted: AbortSignal | undefined;
    const world = await loggingIn({
      loginLimitMs: 5_000,
      authenticate: (_methods, { signal }) => {
        aborted = signal;
        return at === 'choosing' ? new Promise<string>(() => {}) : 'key';
      },
    });
    const error = failed(world.agent.newSession(where));
    await settle();
    world.script.refuse('session/new', -32000);
    await world.clock.run(5_000);
    expect(await error).toMatchObject({ kind: 'absolute', phase: 'authenticate', budget: { absoluteMs: 5_000 } });
    expect(aborted?.aborted).toBe(true);
    expect(world.clock.pending()).toBe(0);
  });

  it('ends by the budget of the call, which spans all three, or by its signal; the login itself goes on', async () => {
    const world = await loggingIn();
    const controller = new AbortController();
    const byBudget = failed(world.agent.newSession({ ...where, budget: { absoluteMs: 1_000 } }));
    const bySignal = failed(world.agent.newSession({ ...where, signal: controller.signal }));
    await world.clock.run(600);
    for (const { id } of world.script.requests('session/new')) {
      world.script.send({ id, error: { code: -32000, message: '' } });
    }
    await settle();
    controller.abort(new Error('mine'));
    await world.clock.run(400);
    expect(await byBudget).toMatchObject({ kind: 'absolute', phase: 'authenticate' });
    expect(await bySignal).toMatchObject({ message: 'mine' });
    await expect(failed(world.agent.authenticate('key'))).resolves.toMatchObject({ kind: 'busy' });
  });

  it('ends with the connection', async () => {
    const world = await loggingIn({ authenticate: () => new Promise<string>(() => {}) });
    const error = failed(world.agent.newSession(where));
    await settle();
    world.script.refuse('session/new', -32000);
    await settle();
    await world.agent.close();
    expect(await error).toMatchObject({ kind: 'closed' });
    expect(world.clock.pending()).toBe(0);
  });
});

describe('a turn that waits for a login', () => {
  async function waiting(options: Partial<ConnectOptions> = {}): Promise<World & { session: Session }> {
    const world = await loggingIn(options);
    const session = await opened(world);
    return { ...world, session };
  }

  it('is cancelled without it, and the session is free again', async () => {
    const { script, session } = await waiting();
    const turn = session.prompt('go');
    await settle();
    script.refuse('session/prompt', -32000);
    await settle();
    expect(session.state).toBe('running');
    await turn.cancel();
    await expect(turn.result).resolves.toMatchObject({ outcome: 'cancelled' });
    expect(session.state).toBe('idle');
    script.reply('authenticate', {});
    await settle();
    expect(script.requests('session/prompt')).toHaveLength(1);
  });

  it('is ended by its bounds, but not by silence while we owe the login', async () => {
    const { script, session, clock, agent } = await waiting();
    const turn = session.prompt('go', { budget: { idleMs: 1_000, absoluteMs: 9_000 } });
    const error = failed(turn.result);
    await settle();
    script.refuse('session/prompt', -32000);
    await clock.run(8_000);
    expect(session.state).toBe('running');
    await clock.run(1_000);
    expect(await error).toMatchObject({ kind: 'absolute', phase: 'turn' });
    expect(session.state).toBe('idle');
    expect(agent.state).toBe('ready');
  });

  it('has the failure of the login as the cause of its own', async () => {
    const { script, session } = await waiting();
    const error = failed(session.prompt('go').result);
    await settle();
    script.refuse('session/prompt', -32000);
    await settle();
    script.refuse('authenticate', -32603);
    const refused = await error;
    expect(refused).toMatchObject({ kind: 'auth-required', phase: 'turn' });
    expect(refused.cause).toMatchObject({ kind: 'agent-error', phase: 'authenticate' });
  });
});

describe('a login in a terminal', () => {
  it('is never sent: the error says what a person runs, and its words are not enumerable', async () => {
    const world = await connected({}, LOGIN);
    const error = await failed(world.agent.authenticate('tty'));
    expect(error).toMatchObject({ kind: 'invalid-argument', argument: 'methodId', offered: ['key'] });
    const terminal = { args: ['login', '--now'], env: { MODE: 'tty' } };
    expect(error).toHaveProperty('authMethods.1', {
      id: 'tty',
      type: 'terminal',
      name: 'Terminal',
      terminal,
      raw: authMethods[1],
    });
    expect(JSON.stringify(error)).not.toContain('login');
    expect(methods(world)).toEqual([]);
  });

  it('is the program that was started, its arguments, and those of the method', async () => {
    const answer = { jsonrpc: '2.0', id: 1, result: { protocolVersion: 1, agentCapabilities: {}, authMethods } };
    const script = `process.stdin.once('data', () => console.log(${JSON.stringify(JSON.stringify(answer))}))`;
    const agent = await connect({
      command: process.execPath,
      args: ['-e', script],
      client: { name: 'test', version: '0' },
      protocolVersions: [1],
    });
    const { terminal } = agent.info.authMethods[1]!;
    await agent.close();
    expect(terminal).toEqual({
      command: process.execPath,
      args: ['-e', script, 'login', '--now'],
      env: { MODE: 'tty' },
    });
  });
});

describe('methods that only the refusal tells', () => {
  const data = { authMethods: [{ id: 'late', name: 'Late' }] };

  it('are those of the error and of the choice, and may be sent', async () => {
    const seen: unknown[] = [];
    const authenticate = (methods: readonly { id: string }[]): string | undefined => {
      seen.push(...methods);
      return methods[0]?.id;
    };
    const world = await connected({ authenticate });
    const opening = failed(world.agent.newSession(where));
    await settle();
    world.script.refuse('session/new', -32000, data);
    await settle();
    expect(world.script.last('authenticate').params).toEqual({ methodId: 'late' });
    world.script.reply('authenticate', {});
    await settle();
    world.script.refuse('session/new', -32000);
    expect(idsOf(await opening)).toEqual(['late']);
    expect(seen).toMatchObject([{ id: 'late', type: 'agent', name: 'Late' }]);
  });

  it('are those of a connect that was refused', async () => {
    const script = new ScriptedAgent();
    script.onFrame = ({ id }) => script.send({ id, error: { code: -32000, message: '', data } });
    const error = await failed(connect({ client: { name: 'test', version: '0' }, transport: script.transport }));
    expect(error).toMatchObject({ kind: 'auth-required', phase: 'initialize' });
    expect(idsOf(error)).toEqual(['late']);
  });
});

describe('logging out', () => {
  it('is gated by v1’s marker, and by methods of authentication in v2; a method that is missing is remembered', async () => {
    const none = await connected({}, LOGIN);
    expect(await failed(none.agent.logout())).toMatchObject({ kind: 'capability-absent', capability: 'auth.logout' });
    const one = await connected({}, { ...LOGIN, agentCapabilities: { auth: { logout: {} } } });
    const out = one.agent.logout();
    await settle();
    one.script.reply('logout', {});
    await out;
    const two = await connected(
      {},
      { ...INITIALIZED[2], authMethods: [{ methodId: 'key', type: 'agent', name: 'K' }] },
    );
    const missing = failed(two.agent.logout());
    await settle();
    two.script.refuse('auth/logout', -32601);
    expect(await missing).toMatchObject({ kind: 'agent-error', agentCode: -32601 });
    expect(await failed(two.agent.logout())).toMatchObject({ kind: 'capability-absent', capability: 'auth.logout' });
  });
});
