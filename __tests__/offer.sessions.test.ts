/** Opening, finding and ending sessions: what is gated, what falls back, what every opening is given. */
import { describe, expect, it } from '@jest/globals';
import type { Agent, OpenOptions, Session } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const SESSIONS = { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} };
const FULL = { ...INITIALIZED[1], agentCapabilities: { loadSession: true, sessionCapabilities: SESSIONS } };
const where = { cwd: '/work' };
const methods = ({ script }: World): (string | undefined)[] => script.received.slice(1).map(({ method }) => method);

describe('openSession', () => {
  /** Answers each request as told: a number refuses, anything else is a result. */
  async function opening(
    world: World,
    options: Partial<OpenOptions>,
    answers: Record<string, unknown>,
  ): Promise<Session | Awaited<ReturnType<typeof failed>>> {
    world.script.onFrame = ({ method = '', id }) => {
      const answer = answers[method];
      if (typeof answer === 'number') world.script.send({ id, error: { code: answer, message: '' } });
      else if (answer !== undefined) world.script.send({ id, result: answer });
    };
    const session = world.agent.openSession({ ...where, ...options });
    void session.catch(() => {});
    await world.clock.run(500);
    return session.catch((error: unknown) => error as never);
  }

  it.each([-32601, -32602, -32603, -32002])(
    'falls back from resume to load after %i, and no further by itself',
    async (code) => {
      const world = await connected({}, FULL);
      expect(await opening(world, { id: 'old' }, { 'session/resume': code, 'session/load': {} })).toMatchObject({
        id: 'old',
        origin: 'load',
      });
      const other = await connected({}, FULL);
      const error = await opening(other, { id: 'old' }, { 'session/resume': code, 'session/load': code });
      expect(error).toMatchObject({ kind: 'agent-error', agentCode: code, sessionId: 'old' });
      expect(methods(other)).toEqual(['session/resume', 'session/load']);
    },
  );

  it.each([-32000, -32800, -32001, 1])('does not fall back after %i', async (code) => {
    const world = await connected({}, FULL);
    const error = await opening(world, { id: 'old', prefer: ['resume', 'load', 'new'] }, { 'session/resume': code });
    expect(error).toMatchObject({ kind: code === -32000 ? 'auth-required' : 'agent-error', sessionId: 'old' });
    expect(methods(world)).toEqual(['session/resume']);
  });

  it('does not fall back after a time-out, and the id is still the caller’s to try', async () => {
    const world = await connected({ requestLimitMs: 400 }, FULL);
    const error = await opening(world, { id: 'old', prefer: ['resume', 'load', 'new'] }, {});
    expect(error).toMatchObject({ kind: 'request-limit', sessionId: 'old' });
    expect(methods(world)).toEqual(['session/resume', '$/cancel_request']);
    expect(await opening(world, { id: 'old' }, { 'session/resume': {} })).toMatchObject({
      id: 'old',
      origin: 'resume',
    });
  });

  it('skips what is not advertised, or was found missing', async () => {
    const loads = await connected({}, { ...INITIALIZED[1], agentCapabilities: { loadSession: true } });
    expect(await opening(loads, { id: 'old' }, { 'session/load': {} })).toMatchObject({ origin: 'load' });
    const none = await connected({});
    expect(await opening(none, { id: 'old' }, {})).toMatchObject({
      kind: 'capability-absent',
      capability: 'loadSession',
    });
    const missing = await connected({}, FULL);
    await opening(missing, { id: 'a' }, { 'session/resume': -32601, 'session/load': {} });
    await opening(missing, { id: 'b' }, { 'session/load': {} });
    expect(methods(missing)).toEqual(['session/resume', 'session/load', 'session/load']);
  });

  it('makes a new session only if that is named', async () => {
    const world = await connected({}, FULL);
    const answers = { 'session/resume': -32002, 'session/load': -32002, 'session/new': { sessionId: 'n' } };
    expect(await opening(world, { id: 'old', prefer: ['resume', 'load', 'new'] }, answers)).toMatchObject({
      id: 'n',
      origin: 'new',
    });
    expect(await opening(world, { prefer: ['new'] }, { 'session/new': { sessionId: 'm' } })).toMatchObject({ id: 'm' });
  });

  it('spends one budget on all that it tries', async () => {
    const world = await connected({}, FULL);
    const session = failed(world.agent.openSession({ ...where, id: 'old', budget: { absoluteMs: 1_000 } }));
    await world.clock.run(900);
    world.script.refuse('session/resume', -32002);
    await world.clock.run(100);
    expect(await session).toMatchObject({ kind: 'absolute', budget: { elapsedMs: 1_000 } });
  });

  it('in version 2 tries one method twice, without and with a replay', async () => {
    const world = await connected({}, INITIALIZED[2]);
    await opening(world, { id: 'old' }, { 'session/resume': -32603 });
    expect(world.script.requests('session/resume').map(({ params }) => params?.['replayFrom'])).toEqual([
      undefined,
      { type: 'start' },
    ]);
  });
});

describe('a fork', () => {
  it('is a new session of its own, beside the one that it was made of', async () => {
    const world = await connected({}, FULL);
    const one = await opened(world);
    const forking = world.agent.forkSession('s-1', where);
    await settle();
    world.script.chunk('s-2', 'early');
    world.script.reply('session/fork', { sessionId: 's-2' });
    const two = await forking;
    expect(two).toMatchObject({ id: 's-2', origin: 'new', state: 'idle' });
    expect(world.script.last('session/fork').params).toMatchObject({ sessionId: 's-1', cwd: '/work', mcpServers: [] });
    expect(one.state).toBe('idle');
    expect(world.agent.stats.strayUpdates).toBe(0);
  });

  it('that hands out an id which is open is refused: whose traffic it is could not be told', async () => {
    const world = await connected({}, FULL);
    await opened(world);
    const forking = failed(world.agent.forkSession('s-1', where));
    await settle();
    world.script.reply('session/fork', { sessionId: 's-1' });
    expect(await forking).toMatchObject({ kind: 'scope-mismatch' });
  });
});

describe('a list of sessions', () => {
  const row = (n: number): object => ({ sessionId: `s-${n}`, cwd: '/work', title: `T${n}` });

  it('is fetched page by page as the loop goes on, by the agent’s own cursors', async () => {
    const world = await connected({}, FULL);
    const pages: [unknown, object][] = [
      [undefined, { sessions: [row(1), { cwd: '/no-id' }, row(2)], nextCursor: 'opaque ✓' }],
      ['opaque ✓', { sessions: [], nextCursor: 'b' }],
      ['b', { sessions: [row(3)] }],
    ];
    world.script.onFrame = ({ method, id, params }) => {
      if (method !== 'session/list') return;
      const page = pages.find(([cursor]) => cursor === params?.['cursor']);
      world.script.send({ id, result: page?.[1] });
    };
    const seen: string[] = [];
    for await (const { sessionId, title } of world.agent.listSessions({ cwd: '/work' })) {
      seen.push(`${sessionId} ${title ?? ''}`);
      if (seen.length === 2) expect(world.script.requests('session/list')).toHaveLength(1);
    }
    expect(seen).toEqual(['s-1 T1', 's-2 T2', 's-3 T3']);
    expect(world.script.requests('session/list').map(({ params }) => params)).toEqual([
      { cwd: '/work' },
      { cwd: '/work', cursor: 'opaque ✓' },
      { cwd: '/work', cursor: 'b' },
    ]);
  });

  it('ends where the agent names the page that it was, and where the loop is left', async () => {
    const world = await connected({}, FULL);
    world.script.onFrame = ({ method, id }) => {
      if (method === 'session/list') world.script.send({ id, result: { sessions: [row(1)], nextCursor: 'same' } });
    };
    let count = 0;
    for await (const _ of world.agent.listSessions()) count += 1;
    expect(count).toBe(2);
    for await (const _ of world.agent.listSessions()) break;
    expect(world.script.requests('session/list')).toHaveLength(3);
  });

  it('that cannot be read is a protocol failure; one that is not advertised is not asked for', async () => {
    const world = await connected({}, FULL);
    const first = failed(world.agent.listSessions()[Symbol.asyncIterator]().next());
    await settle();
    world.script.reply('session/list', 'x');
    expect(await first).toMatchObject({ kind: 'protocol', phase: 'session' });
    const none = await connected({});
    expect(await failed(none.agent.listSessions()[Symbol.asyncIterator]().next())).toMatchObject({
      kind: 'capability-absent',
      capability: 'sessionCapabilities.list',
    });
  });
});

describe('deleting', () => {
  it('is asked of the agent, and opens and closes nothing here', async () => {
    const world = await connected({}, FULL);
    const session = await opened(world);
    const deleting = world.agent.deleteSession('s-1');
    await settle();
    expect(world.script.last('session/delete').params).toEqual({ sessionId: 's-1' });
    world.script.reply('session/delete', null);
    await deleting;
    expect(session.state).toBe('idle');
  });
});

describe('every opening', () => {
  const tools = [{ name: 't', command: '/bin/t' }];
  const OPENINGS: [string, (agent: Agent, options: object) => Promise<Session>][] = [
    ['session/new', (agent, options) => agent.newSession({ ...where, ...options })],
    ['session/load', (agent, options) => agent.loadSession('old', { ...where, ...options })],
    ['session/resume', (agent, options) => agent.resumeSession('old', { ...where, ...options })],
    ['session/fork', (agent, options) => agent.forkSession('old', { ...where, ...options })],
  ];

  it.each(OPENINGS)(
    '%s gets the trusted tools, the same each time; initialize gets nothing of them',
    async (method, open) => {
      const world = await connected({ tools }, FULL);
      void open(world.agent, {}).catch(() => {});
      await settle();
      expect(world.script.last(method).params?.['mcpServers']).toEqual([
        { name: 't', command: '/bin/t', args: [], env: [] },
      ]);
      expect(JSON.stringify(world.script.last('initialize'))).not.toContain('/bin/t');
      expect(await failed(open(world.agent, { mcpServers: [] }))).toMatchObject({ argument: 'mcpServers' });
      await world.agent.close();
    },
  );

  it.each(OPENINGS)(
    '%s sends additional directories where they are advertised, else is refused',
    async (method, open) => {
      const additionalDirectories = ['/more', 'D:\\other'];
      const world = await connected({}, FULL);
      void open(world.agent, { additionalDirectories }).catch(() => {});
      await settle();
      expect(world.script.last(method).params).toMatchObject({ additionalDirectories });
      await world.agent.close();
      const { additionalDirectories: _, ...less } = SESSIONS;
      const poor = await connected(
        {},
        { ...INITIALIZED[1], agentCapabilities: { loadSession: true, sessionCapabilities: less } },
      );
      expect(await failed(open(poor.agent, { additionalDirectories }))).toMatchObject({
        kind: 'capability-absent',
        capability: 'sessionCapabilities.additionalDirectories',
      });
      expect(methods(poor)).toEqual([]);
    },
  );

  // prettier-ignore
  it.each([
    ['http',  { http: true },  { type: 'http', name: 'h', url: 'http://x' }],
    ['sse',   { sse: true },   { type: 'sse', name: 's', url: 'http://x' }],
  ])('takes %s servers in code where the agent takes them, else is refused', async (name, mcpCapabilities, server) => {
    const world = await connected({}, { ...INITIALIZED[1], agentCapabilities: { mcpCapabilities } });
    void world.agent.newSession({ ...where, mcpServers: [server] }).catch(() => {});
    await settle();
    expect(world.script.last('session/new').params).toMatchObject({ mcpServers: [{ ...server, headers: [] }] });
    await world.agent.close();
    const poor = await connected();
    expect(await failed(poor.agent.newSession({ ...where, mcpServers: [server] }))).toMatchObject({
      kind: 'capability-absent',
      capability: `mcpCapabilities.${name}`,
    });
    expect(methods(poor)).toEqual([]);
  });

  it('of v2 needs its marker even for stdio', async () => {
    const stdio = { name: 'x', command: '/bin/x' };
    const poor = await connected({}, INITIALIZED[2]);
    expect(await failed(poor.agent.newSession({ ...where, mcpServers: [stdio] }))).toMatchObject({
      capability: 'mcpCapabilities.stdio',
    });
    const rich = await connected({}, { ...INITIALIZED[2], capabilities: { session: { mcp: { stdio: {} } } } });
    void rich.agent.newSession({ ...where, mcpServers: [stdio] }).catch(() => {});
    await settle();
    expect(rich.script.last('session/new').params).toMatchObject({ mcpServers: [{ type: 'stdio', ...stdio }] });
    await rich.agent.close();
  });

  it('is busy for an id that is open', async () => {
    const world = await connected({}, FULL);
    await opened(world);
    expect(await failed(world.agent.loadSession('s-1', where))).toMatchObject({ kind: 'busy', sessionId: 's-1' });
  });
});

describe('content of a prompt', () => {
  const CONTENT = [
    ['image', { type: 'image', data: '', mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: '', mimeType: 'audio/wav' }],
    ['embeddedContext', { type: 'resource', resource: { uri: 'a:b', text: 'x' } }],
  ] as const;

  it.each(CONTENT)(
    '%s goes out where it is advertised, else is refused by the prompt and the capability',
    async (name, block) => {
      const rich = await connected(
        {},
        { ...INITIALIZED[1], agentCapabilities: { promptCapabilities: { [name]: true } } },
      );
      const session = await opened(rich);
      session.prompt([block]).result.catch(() => {});
      await settle();
      expect(rich.script.last('session/prompt').params).toMatchObject({ prompt: [block] });
      const poor = await connected();
      const other = await opened(poor);
      expect(await failed(other.prompt([block]).result)).toMatchObject({
        kind: 'capability-absent',
        capability: `promptCapabilities.${name}`,
        argument: 'prompt',
      });
      expect(poor.script.requests('session/prompt')).toEqual([]);
    },
  );

  it('prepared beforehand is a block of its own, as what the agent takes, and a command stays first', async () => {
    for (const [agentCapabilities, block] of [
      [
        { promptCapabilities: { embeddedContext: true } },
        { type: 'resource', resource: { uri: 'context:1', text: 'C' } },
      ],
      [{}, { type: 'text', text: 'C' }],
    ]) {
      const world = await connected({}, { ...INITIALIZED[1], agentCapabilities });
      const session = await opened(world);
      session.prompt('do it', { context: 'C' }).result.catch(() => {});
      await settle();
      expect(world.script.last('session/prompt').params?.['prompt']).toEqual([block, { type: 'text', text: 'do it' }]);
      world.script.reply('session/prompt', { stopReason: 'end_turn' });
      await settle();
      session.prompt('/init', { context: 'C' }).result.catch(() => {});
      await settle();
      expect(world.script.last('session/prompt').params?.['prompt']).toEqual([{ type: 'text', text: '/init' }, block]);
    }
  });
});
