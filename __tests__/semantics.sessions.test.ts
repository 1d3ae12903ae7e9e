/** Rules 16 to 21 and 25 of the settled semantics: sessions, scopes, negotiation, calls by hand. */
import { describe, expect, it } from '@jest/globals';
import { connect, policy, type AcpError, type Where } from '../src/index.js';
import { manualClock, settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, ScriptedAgent } from './support/scriptedAgent.js';

const failed = (promise: Promise<unknown>): Promise<AcpError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as AcpError,
  );
const client = { name: 'test', version: '0' };
const LOADS = {
  ...INITIALIZED[1],
  agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } },
};

describe('traffic before the id is known', () => {
  it('is delivered once, in order, before newSession settles', async () => {
    const seen: string[] = [];
    const world = await connected({
      scope: 'strict',
      on: { update: (update, where) => void seen.push(`${update.kind} ${where.sessionId} ${where.phase}`) },
    });
    const opening = world.agent.newSession({ cwd: '/work' });
    await settle();
    world.script.chunk('s-1', 'banner');
    world.script.update('s-1', {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'plan', description: '' }],
    });
    await settle();
    expect(seen).toEqual([]);
    world.script.reply('session/new', { sessionId: 's-1' });
    const session = await opening;
    expect(seen).toEqual(['text s-1 between', 'commands s-1 between']);
    expect(session.commands).toEqual(['plan']);
  });

  it('asks the policy when the session is there', async () => {
    const world = await connected({ permissions: policy.unattended({ select: 'allow_once' }) });
    const opening = world.agent.newSession({ cwd: '/work' });
    await settle();
    world.script.ask(1, 's-1');
    await settle();
    expect(world.script.answers(1)).toHaveLength(0);
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    await settle();
    expect(world.script.answers(1)).toMatchObject([{ result: { outcome: { optionId: 'o-0-allow_once' } } }]);
  });

  it('is nobody’s when the answer names another id', async () => {
    const world = await connected();
    const opening = world.agent.newSession({ cwd: '/work' });
    await settle();
    world.script.chunk('other', 'x');
    world.script.ask(1, 'other');
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    await settle();
    expect(world.agent.stats.strayUpdates).toBe(1);
    expect(world.script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(world.agent.decisions).toMatchObject([{ cause: 'scope' }]);
  });
});

describe('loading', () => {
  it('tags everything before its answer, and what comes soon after it, as replay', async () => {
    const seen: Where['phase'][] = [];
    const world = await connected({ on: { update: (_update, where) => void seen.push(where.phase) } }, LOADS);
    const loading = world.agent.loadSession('old', { cwd: '/work' });
    await settle();
    expect(world.script.last('session/load').params).toEqual({ sessionId: 'old', cwd: '/work', mcpServers: [] });
    world.script.chunk('old', 'before');
    world.script.reply('session/load', null);
    await world.clock.run(60);
    world.script.chunk('old', 'after');
    await world.clock.run(99);
    let settled = false;
    void loading.then(() => (settled = true));
    await settle();
    expect(settled).toBe(false);
    await world.clock.run(1);
    const session = await loading;
    expect(seen).toEqual(['replay', 'replay']);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('old', 'new');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'new' });
    expect(world.script.requests('session/prompt')).toHaveLength(1);
  });

  it('is over 2 s after the answer, however talkative the agent', async () => {
    const world = await connected({}, LOADS);
    const loading = world.agent.loadSession('old', { cwd: '/work' });
    await settle();
    world.script.reply('session/load', {});
    for (let i = 0; i < 40; i += 1) {
      await world.clock.run(50);
      world.script.chunk('old', 'x');
      await settle();
    }
    await expect(loading).resolves.toMatchObject({ id: 'old' });
  });

  it('that fails leaves the id unknown, and the connection healthy', async () => {
    const world = await connected({}, LOADS);
    const loading = failed(world.agent.loadSession('old', { cwd: '/work' }));
    await settle();
    world.script.refuse('session/load', -32002);
    expect(await loading).toMatchObject({ kind: 'agent-error', agentCode: -32002 });
    world.script.chunk('old', 'x');
    await settle();
    expect(world.agent.stats.strayUpdates).toBe(1);
    await expect(opened(world)).resolves.toMatchObject({ id: 's-1' });
  });

  it('that a bound ended is not opened by its late answer, which is closed at the agent', async () => {
    const world = await connected({ requestLimitMs: 1_000 }, LOADS);
    const loading = failed(world.agent.loadSession('old', { cwd: '/work' }));
    await world.clock.run(1_000);
    expect(await loading).toMatchObject({ kind: 'request-limit' });
    world.script.reply('session/load', {});
    await settle();
    expect(world.script.last('session/close').params).toEqual({ sessionId: 'old' });
    expect(world.agent.stats.strayResponses).toBe(0);
  });

  it('rejects with the reason of its signal, and forgets the session that comes late', async () => {
    const world = await connected({ scope: 'strict' });
    const controller = new AbortController();
    const opening = failed(world.agent.newSession({ cwd: '/work', signal: controller.signal }));
    await settle();
    controller.abort(new Error('mine'));
    expect(await opening).toMatchObject({ message: 'mine' });
    world.script.chunk('s-1', 'early');
    world.script.reply('session/new', { sessionId: 's-1' });
    world.script.chunk('s-1', 'late');
    await settle();
    expect(world.agent.state).toBe('ready');
    expect(world.agent.stats).toMatchObject({ strayUpdates: 0, closedUpdates: 2, strayResponses: 0 });
  });

  it('is session/resume with replay in v2', async () => {
    const world = await connected({}, INITIALIZED[2]);
    const loading = world.agent.loadSession('old', { cwd: '/work' });
    await settle();
    expect(world.script.last('session/resume').params).toMatchObject({
      sessionId: 'old',
      replayFrom: { type: 'start' },
    });
    world.script.state('old', 'running');
    world.script.state('old', 'idle', 'end_turn');
    world.script.reply('session/resume', {});
    await world.clock.run(100);
    expect((await loading).state).toBe('idle');
  });

  it('of a session that the agent says is at work leaves it in the background', async () => {
    const world = await connected({}, INITIALIZED[2]);
    const resuming = world.agent.resumeSession('old', { cwd: '/work' });
    await settle();
    world.script.state('old', 'running');
    world.script.reply('session/resume', {});
    const session = await resuming;
    expect(session.state).toBe('background');
  });
});

describe('scope', () => {
  it('route drops and counts what is of unknown sessions, and answers their permissions cancelled', async () => {
    const world = await connected({ permissions: policy.unattended({ select: 'allow_once' }) });
    await opened(world);
    world.script.chunk('never', 'x');
    world.script.ask(1, 'never');
    await settle();
    expect(world.agent.stats.strayUpdates).toBe(1);
    expect(world.script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(world.agent.state).toBe('ready');
  });

  it('strict takes an unknown id for a scope-mismatch, fatal for the connection, and approves nothing', async () => {
    const world = await connected({ scope: 'strict', permissions: policy.unattended({ select: 'allow_once' }) });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 'never');
    await expect(turn.result).rejects.toMatchObject({ kind: 'scope-mismatch' });
    expect(world.script.answers(1).filter((frame) => JSON.stringify(frame).includes('selected'))).toEqual([]);
  });

  it('accept takes all traffic for that of the only open session; with several it is route', async () => {
    const world = await connected({ scope: 'accept' });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('whatever', 'a');
    world.script.send({
      method: 'session/update',
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'b' } } },
    });
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'ab' });
    await opened(world, 's-2');
    world.script.chunk('whatever', 'c');
    await settle();
    expect(world.agent.stats.strayUpdates).toBe(1);
  });

  it.each(['route', 'strict'] as const)('%s ignores closed sessions and refuses their permissions', async (scope) => {
    const world = await connected({ scope }, LOADS);
    const session = await opened(world);
    const closing = session.close();
    await settle();
    world.script.reply('session/close', {});
    await closing;
    expect(session.state).toBe('closed');
    world.script.chunk('s-1', 'late');
    world.script.ask(1, 's-1');
    await settle();
    expect(world.agent.stats).toMatchObject({ strayUpdates: 0, closedUpdates: 1 });
    expect(world.script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    await expect(session.prompt('x').result).rejects.toMatchObject({ kind: 'closed' });
    // Handed out again, the id is live again.
    await expect(opened(world, 's-1')).resolves.toMatchObject({ id: 's-1', state: 'idle' });
  });

  it('keeps sessions apart', async () => {
    const world = await connected();
    const one = await opened(world, 's-1');
    const two = await opened(world, 's-2');
    const first = one.prompt('one');
    const second = two.prompt('two');
    await settle();
    world.script.chunk('s-2', 'B');
    world.script.chunk('s-1', 'A');
    const [promptOne, promptTwo] = world.script.requests('session/prompt');
    world.script.send(
      { id: promptTwo?.id, result: { stopReason: 'end_turn' } },
      { id: promptOne?.id, result: { stopReason: 'refusal' } },
    );
    await expect(first.result).resolves.toMatchObject({ text: 'A', outcome: 'refused' });
    await expect(second.result).resolves.toMatchObject({ text: 'B', outcome: 'completed' });
  });
});

describe('negotiation', () => {
  const offers = async (
    answer: (script: ScriptedAgent, n: number) => void,
    options: object = {},
  ): Promise<{
    script: ScriptedAgent;
    connecting: ReturnType<typeof connect>;
    clock: ReturnType<typeof manualClock>;
  }> => {
    const script = new ScriptedAgent();
    let n = 0;
    script.onFrame = (frame) => {
      if (frame.method === 'initialize') answer(script, (n += 1));
    };
    const clock = manualClock();
    const connecting = connect({ client, clock, transport: script.transport, ...options });
    connecting.catch(() => {});
    await settle();
    return { script, connecting, clock };
  };

  it('offers 2 in a body that both versions read', async () => {
    const { script, connecting } = await offers((agent) => agent.reply('initialize', INITIALIZED[1]));
    expect((await connecting).info.protocolVersion).toBe(1);
    expect(script.last('initialize').params).toEqual({
      protocolVersion: 2,
      info: client,
      capabilities: {},
      clientInfo: client,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
  });

  it.each([-32600, -32602, -32603])('offers 1 once more after a refusal by %i', async (code) => {
    const { script, connecting } = await offers((agent, n) =>
      n === 1 ? agent.refuse('initialize', code) : agent.reply('initialize', INITIALIZED[1]),
    );
    expect((await connecting).info.protocolVersion).toBe(1);
    expect(script.requests('initialize').map(({ params }) => params?.['protocolVersion'])).toEqual([2, 1]);
    expect(script.last('initialize').params).not.toHaveProperty('info');
  });

  it('makes no third offer', async () => {
    const { script, connecting } = await offers((agent) => agent.refuse('initialize', -32602));
    expect(await failed(connecting)).toMatchObject({ kind: 'agent-error', agentCode: -32602, phase: 'initialize' });
    expect(script.requests('initialize')).toHaveLength(2);
  });

  it('takes the best common version that -32022 names', async () => {
    const { script, connecting } = await offers((agent, n) =>
      n === 1
        ? agent.refuse('initialize', -32022, { requested: 2, supported: [0, 1] })
        : agent.reply('initialize', INITIALIZED[1]),
    );
    expect((await connecting).info.protocolVersion).toBe(1);
    expect(script.requests('initialize')).toHaveLength(2);
    const none = await offers((agent) => agent.refuse('initialize', -32022, { supported: [7] }));
    expect(await failed(none.connecting)).toMatchObject({ kind: 'version-unsupported' });
  });

  it('tells an echo by its members, and asks once more for 1', async () => {
    const { script, connecting } = await offers((agent) =>
      agent.reply('initialize', {
        protocolVersion: 2,
        agentCapabilities: { loadSession: true },
        agentInfo: { name: 'e', version: '1' },
      }),
    );
    const agent = await connecting;
    expect(agent.info).toMatchObject({ name: 'e', protocolVersion: 1 });
    expect(agent.advertises('loadSession')).toBe(true);
    expect(script.requests('initialize')).toHaveLength(2);
  });

  it.each([[3], ['1'], [true], [1.5], [0], [undefined]])(
    'refuses an answer of %p, and sends nothing more',
    async (version) => {
      const { script, connecting, clock } = await offers((agent) =>
        agent.reply('initialize', { protocolVersion: version, agentCapabilities: {} }),
      );
      expect(await failed(connecting)).toMatchObject({ kind: 'version-unsupported' });
      await clock.run(10_000);
      expect(script.received).toHaveLength(1);
      expect(script.stdinEnded).toBe(true);
    },
  );

  it('offers 1 alone with fs handlers, unless the caller names 2', async () => {
    const handlers = { fs: { readTextFile: () => Promise.resolve({ content: '' }) } };
    const one = await offers((agent) => agent.reply('initialize', INITIALIZED[1]), { handlers });
    await one.connecting;
    expect(one.script.last('initialize').params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
    });
    const two = await offers((agent) => agent.reply('initialize', INITIALIZED[2]), {
      handlers,
      protocolVersions: [2, 1],
    });
    expect((await two.connecting).info.protocolVersion).toBe(2);
  });
});

describe('capabilities', () => {
  it('refuse a call locally and name what is absent', async () => {
    const world = await connected();
    const session = await opened(world);
    const before = world.script.received.length;
    expect(await failed(world.agent.loadSession('x', { cwd: '/work' }))).toMatchObject({
      kind: 'capability-absent',
      capability: 'loadSession',
    });
    expect(await failed(world.agent.deleteSession('x'))).toMatchObject({ capability: 'sessionCapabilities.delete' });
    expect(await failed(session.close())).toMatchObject({ capability: 'sessionCapabilities.close' });
    expect(await failed(session.prompt([{ type: 'image', data: '', mimeType: 'image/png' }]).result)).toMatchObject({
      kind: 'capability-absent',
      capability: 'promptCapabilities.image',
    });
    expect(world.script.received).toHaveLength(before);
    expect(session.state).toBe('idle');
  });

  it('remember a method that was advertised and is missing', async () => {
    const world = await connected({}, LOADS);
    const first = failed(world.agent.resumeSession('x', { cwd: '/work' }));
    await settle();
    world.script.refuse('session/resume', -32601);
    expect(await first).toMatchObject({ kind: 'agent-error', agentCode: -32601 });
    expect(await failed(world.agent.resumeSession('x', { cwd: '/work' }))).toMatchObject({ kind: 'capability-absent' });
    expect(world.script.requests('session/resume')).toHaveLength(1);
  });

  it('decide whether a disposed session is closed or forgotten', async () => {
    const poor = await connected();
    await (await opened(poor))[Symbol.asyncDispose]();
    expect(poor.script.requests('session/close')).toHaveLength(0);
    const rich = await connected({}, LOADS);
    const disposing = (await opened(rich))[Symbol.asyncDispose]();
    await settle();
    rich.script.refuse('session/close', -32002);
    await disposing;
    expect(rich.script.requests('session/close')).toHaveLength(1);
  });
});

describe('authentication', () => {
  const METHODS = {
    ...INITIALIZED[1],
    authMethods: [
      { id: 'key', name: 'Key' },
      { id: 'tty', name: 'T', type: 'terminal' },
    ],
  };

  it('is asked for by -32000 alone, and carries the methods', async () => {
    const world = await connected({}, METHODS);
    const opening = failed(world.agent.newSession({ cwd: '/work' }));
    await settle();
    world.script.refuse('session/new', -32000);
    const error = await opening;
    expect(error).toMatchObject({ kind: 'auth-required' });
    expect(error.kind === 'auth-required' && error.authMethods.map(({ id }) => id)).toEqual(['key', 'tty']);
    expect(JSON.stringify(error)).not.toContain('tty');
  });

  it('refuses a method that is not offered, and one that a terminal must run', async () => {
    const world = await connected({}, METHODS);
    for (const id of ['other', 'tty']) {
      expect(await failed(world.agent.authenticate(id))).toMatchObject({
        kind: 'invalid-argument',
        argument: 'methodId',
      });
    }
    expect(world.script.requests('authenticate')).toHaveLength(0);
  });

  it('is one at a time; newSession stays legal meanwhile', async () => {
    const world = await connected({}, METHODS);
    const login = world.agent.authenticate('key');
    await settle();
    expect(await failed(world.agent.authenticate('key'))).toMatchObject({ kind: 'busy' });
    await opened(world);
    world.script.reply('authenticate', null);
    await login;
    expect(world.script.requests('authenticate')).toHaveLength(1);
  });
});

describe('by hand', () => {
  it.each(['initialize', 'session/prompt', 'session/cancel'])(
    '%s is refused: it would pass the charts by',
    async (method) => {
      const world = await connected();
      expect(() => world.agent.sendRequest(method)).toThrow(expect.objectContaining({ kind: 'invalid-argument' }));
      expect(await failed(world.agent.notify(method))).toMatchObject({ kind: 'invalid-argument', argument: 'method' });
      expect(world.script.received).toHaveLength(1);
    },
  );

  it('gives the answer once, and keeps the id of a wait that was given up', async () => {
    const world = await connected({ requestLimitMs: 1_000 });
    const ticket = world.agent.sendRequest('_vendor/ask', { a: 1 });
    const waiting = failed(world.agent.awaitResponse(ticket));
    await world.clock.run(1_000);
    expect(await waiting).toMatchObject({ kind: 'request-limit', phase: 'request' });
    world.script.reply('_vendor/ask', { b: 2 });
    await settle();
    await expect(world.agent.awaitResponse(ticket)).resolves.toEqual({ b: 2 });
    expect(await failed(world.agent.awaitResponse(ticket))).toMatchObject({
      kind: 'illegal-transition',
      state: 'spent',
    });
    expect(world.agent.stats.strayResponses).toBe(0);
  });

  it('with trusted tools, a call may not bring its own', async () => {
    const tools = [{ name: 't', command: '/bin/t', args: [], env: [] }];
    const world = await connected({ tools });
    expect(await failed(world.agent.newSession({ cwd: '/work', mcpServers: [] }))).toMatchObject({
      argument: 'mcpServers',
    });
    await opened(world);
    expect(world.script.last('session/new').params).toMatchObject({ mcpServers: [{ name: 't', command: '/bin/t' }] });
  });
});

describe('a call by hand on a wire that breaks', () => {
  it('rejects when the loss is known, not when the process is gone', async () => {
    const world = await connected();
    world.script.leavesOnEof = false;
    world.script.pipe.breakWrites();
    const ticket = world.agent.sendRequest('_vendor/ask');
    const waiting = failed(world.agent.awaitResponse(ticket));
    await world.clock.run(100);
    expect(await waiting).toMatchObject({ kind: 'io', phase: 'request' });
    expect(world.agent.state).toBe('closing');
    expect(await failed(world.agent.notify('_vendor/note'))).toMatchObject({ kind: 'closed', reason: 'io' });
  });
});
