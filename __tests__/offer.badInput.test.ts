/** What the embedding program gets wrong is told at once, by the name of the argument, and nothing was sent. */
import { describe, expect, it } from '@jest/globals';
import { AcpError, budget, connect, policy, type Agent, type ConnectOptions, type Session } from '../src/index.js';
import { failed } from './support/failed.js';
import { connected, INITIALIZED, opened, ScriptedAgent } from './support/scriptedAgent.js';

const fn = (): void => {};
const FULL = {
  ...INITIALIZED[1],
  authMethods: [{ id: 'key', name: 'Key' }],
  agentCapabilities: {
    loadSession: true,
    mcpCapabilities: { http: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
  },
};
const SESSION = { configOptions: [{ id: 'model', type: 'select', currentValue: 'a', options: [{ value: 'a' }] }] };
const server = { name: 'x', command: '/bin/x', args: [], env: [] };
const where = { cwd: '/work' };

type Call = (agent: Agent, session: Session) => Promise<unknown>;
const first = async (list: AsyncIterable<unknown>): Promise<unknown> => list[Symbol.asyncIterator]().next();

// prettier-ignore
const CALLS: [string, string, Call][] = [
  ['a relative cwd',                      'cwd',                   (a) => a.newSession({ cwd: 'work' })],
  ['a relative cwd for a load',           'cwd',                   (a) => a.loadSession('s', { cwd: './work' })],
  ['a cwd of a drive without a root',     'cwd',                   (a) => a.resumeSession('s', { cwd: 'C:work' })],
  ['a cwd that is no text',               'cwd',                   (a) => a.forkSession('s', { cwd: 7 as never })],
  ['a relative cwd for a list',           'cwd',                   (a) => first(a.listSessions({ cwd: 'work' }))],
  ['a relative directory',                'additionalDirectories', (a) => a.newSession({ ...where, additionalDirectories: ['/a', 'b'] })],
  ['directories that are no list',        'additionalDirectories', (a) => a.newSession({ ...where, additionalDirectories: '/a' as never })],
  ['servers that are no list',            'mcpServers',            (a) => a.newSession({ ...where, mcpServers: {} as never })],
  ['a server that is no object',          'mcpServers',            (a) => a.newSession({ ...where, mcpServers: ['x'] })],
  ['a server without a name',             'mcpServers',            (a) => a.newSession({ ...where, mcpServers: [{ command: '/bin/x' }] })],
  ['two servers of one name',             'mcpServers',            (a) => a.newSession({ ...where, mcpServers: [server, { type: 'http', name: 'x', url: '' }] })],
  ['an empty session id',                 'id',                    (a) => a.loadSession('', where)],
  ['a session id that is no text',        'id',                    (a) => a.resumeSession(7 as never, where)],
  ['no session id to delete',             'id',                    (a) => a.deleteSession(undefined as never)],
  ['options that are no object',          'options',               (a) => a.newSession('/work' as never)],
  ['nothing to open',                     'id',                    (a) => a.openSession({ ...where })],
  ['a way that is none',                  'prefer',                (a) => a.openSession({ id: 's', prefer: ['fork' as never] })],
  ['no way at all',                       'prefer',                (a) => a.openSession({ id: 's', prefer: [] })],
  ['a method that is not offered',        'methodId',              (a) => a.authenticate('password')],
  ['a negative bound',                    'budget.idleMs',         (a) => a.newSession({ ...where, budget: { idleMs: -1 } })],
  ['a bound that is no number',           'budget.absoluteMs',     (a) => a.authenticate('key', { budget: { absoluteMs: '5' as never } })],
  ['a budget that is none',               'budget',                (a) => a.deleteSession('s', { budget: 5 as never })],
  ['a signal that is none',               'signal',                (a) => a.newSession({ ...where, signal: {} as never })],
  ['an empty prompt',                     'prompt',                (_, s) => s.prompt('').result],
  ['a prompt of no blocks',               'prompt',                (_, s) => s.prompt([]).result],
  ['a block that is none',                'prompt',                (_, s) => s.prompt([{ text: 'x' }]).result],
  ['a block that is not advertised',      'prompt',                (_, s) => s.prompt([{ type: 'image', data: '', mimeType: 'image/png' }]).result],
  ['context that is none',                'context',               (_, s) => s.prompt('x', { context: 7 }).result],
  ['a bound of a turn',                   'budget.absoluteMs',     (_, s) => s.prompt('x', { budget: { absoluteMs: Number.NaN } }).result],
  ['a model that is not offered',         'model',                 (_, s) => s.select({ model: 'b' })],
  ['a selection that is none',            'select',                (_, s) => s.select('a' as never)],
  ['an option that is not there',         'id',                    (_, s) => s.setConfigOption('speed', 'x')],
  ['a value that is not offered',         'value',                 (_, s) => s.setConfigOption('model', 'b')],
  ['a tool call that is not known',       'toolCallId',            (_, s) => s.cancelToolCall('t')],
  ['a method that the library owns',      'method',                async (a) => a.sendRequest('session/prompt', {})],
  ['no method',                           'method',                (a) => a.notify('')],
  ['params without a JSON form',          'params',                async (a) => a.sendRequest('_x', { big: 1n })],
  ['a ticket that is none',               'ticket',                (a) => a.awaitResponse({ id: 1 })],
  ['an event that is none',               'name',                  async (a) => a.on('updates' as never, fn as never)],
  ['a listener that is none',             'fn',                    async (a) => a.on('update', 'fn' as never)],
];

describe('a call with bad input', () => {
  it.each(CALLS)('is refused by name, and nothing is sent: %s (%s)', async (_name, argument, call) => {
    const { agent, script, clock } = await connected({}, FULL);
    const session = await opened({ agent, script, clock }, 's-1', SESSION);
    const sent = script.received.length;
    const error = await failed(call(agent, session));
    expect(error).toBeInstanceOf(AcpError);
    expect(error).toMatchObject({ argument });
    expect(['invalid-argument', 'capability-absent']).toContain(error.kind);
    expect(script.received).toHaveLength(sent);
    expect([agent.state, session.state, clock.pending()]).toEqual(['ready', 'idle', 0]);
  });

  it('names what would be legal, and does not enumerate it, for it is the agent’s', async () => {
    const { agent, script, clock } = await connected({}, FULL);
    const session = await opened({ agent, script, clock }, 's-1', SESSION);
    const error = await failed(session.select({ model: 'b' }));
    expect(error).toMatchObject({ kind: 'invalid-argument', argument: 'model', offered: ['a'] });
    expect(Object.keys(error)).not.toContain('offered');
  });
});

describe('connect with bad input', () => {
  const handlers = (given: object): Partial<ConnectOptions> => ({ handlers: given });
  // prettier-ignore
  it.each<[string, object]>([
    ['client',                        { client: undefined }],
    ['client.name',                   { client: { version: '1' } }],
    ['client.version',                { client: { name: 'x', version: '' } }],
    ['client.title',                  { client: { name: 'x', version: '1', title: 7 } }],
    ['transport.readable',            { transport: { writable: {} } }],
    ['transport.writable',            { transport: { readable: { getReader: fn } } }],
    ['transport',                     { command: 'x' }],
    ['protocolVersions',              { protocolVersions: [3] }],
    ['protocolVersions',              { protocolVersions: [] }],
    ['maxFrameBytes',                 { maxFrameBytes: 0 }],
    ['budget',                        { budget: 5 }],
    ['budget.idleMs',                 { budget: { idleMs: -5 } }],
    ['turnBudget.absoluteMs',         { turnBudget: { absoluteMs: 'x' } }],
    ['requestLimitMs',                { requestLimitMs: -1 }],
    ['cancelGraceMs',                 { cancelGraceMs: Infinity }],
    ['closeGraceMs',                  { closeGraceMs: Number.NaN }],
    ['loginLimitMs',                  { loginLimitMs: -1 }],
    ['authenticate',                  { authenticate: '' }],
    ['authenticate',                  { authenticate: 7 }],
    ['permissions',                   { permissions: { name: 'mine' } }],
    ['scope',                         { scope: 'loose' }],
    ['signal',                        { signal: {} }],
    ['clock',                         { clock: {} }],
    ['tools',                         { tools: 'x' }],
    ['tools',                         { tools: [server, server] }],
    ['tools',                         { tools: [{ ...server, command: 'x' }] }],
    ['name',                          { on: { updates: fn } }],
    ['fn',                            { on: { update: 7 } }],
    ['handlers',                      { handlers: 7 }],
    ['handlers.fs',                   handlers({ fs: fn })],
    ['handlers.fs.readTextFile',      handlers({ fs: { readTextFile: 'x' } })],
    ['handlers.terminal.release',     handlers({ terminal: { create: fn, output: fn, waitForExit: fn, kill: fn } })],
    ['handlers.elicitation.form',     handlers({ elicitation: { form: {} } })],
    ['handlers.requests',             handlers({ requests: [] })],
    ['handlers.requests._x',          handlers({ requests: { _x: 'y' } })],
  ])('is refused by name, and nothing is sent or started: %s', async (argument, options) => {
    const script = new ScriptedAgent();
    const error = await failed(
      connect({ client: { name: 'test', version: '0' }, transport: script.transport, ...options }),
    );
    expect(error).toMatchObject({ kind: 'invalid-argument', phase: 'spawn', argument });
    expect(script.received).toEqual([]);
  });

  it('tells two tools of one name by a stable code and their place, without a word of them', async () => {
    const tools = [server, { ...server, name: 'X' }];
    const script = new ScriptedAgent();
    const error = await failed(connect({ client: { name: 'test', version: '0' }, transport: script.transport, tools }));
    expect(error).toMatchObject({ argument: 'tools', detail: { code: 'duplicate-name', server: 1 } });
    expect(JSON.stringify(error) + error.message).not.toContain('/bin/x');
  });
});

describe('what is made beforehand', () => {
  // prettier-ignore
  it.each<[string, () => unknown]>([
    ['idleMs',    () => budget({ idleMs: -1 })],
    ['bounds',    () => budget(undefined as never)],
    ['fn',        () => policy.ask('x' as never)],
    ['timeoutMs', () => policy.ask(() => null, { timeoutMs: -1 })],
    ['onTimeout', () => policy.ask(() => null, { onTimeout: 'allow_once' as never })],
    ['select',    () => policy.unattended({ select: 'allow_always' as never })],
  ])('is refused by name: %s', (argument, make) => {
    expect(make).toThrow(expect.objectContaining({ kind: 'invalid-argument', argument }));
  });
});
