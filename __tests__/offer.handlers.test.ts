/** What the embedding program serves: which capability is advertised, what reaches a handler, what is answered for it. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { confinedFs, localTerminal, RequestError, type HandlerContext, type Handlers } from '../src/index.js';
import { isRunning, until } from './support/agents.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const terminal = {
  create: () => ({ terminalId: 't' }),
  output: () => ({ output: '', truncated: false }),
  waitForExit: () => ({ exitCode: 0, signal: null }),
  kill: () => {},
  release: () => {},
};
const form = (): { action: 'accept' } => ({ action: 'accept' });
const FALSE = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

/** Opens a session with these handlers, has the agent ask once, and gives the answer. */
async function asked(world: World, method: string, params: object, id: number | string = 7): Promise<unknown> {
  world.script.send({ id, method, params });
  await settle();
  const [answer] = world.script.answers(id);
  return answer?.error?.code ?? answer?.result;
}

describe('a capability', () => {
  // prettier-ignore
  it.each<[string, Handlers, object]>([
    ['nothing',             {},                                              FALSE],
    ['reading',             { fs: { readTextFile: () => ({ content: '' }) } }, { ...FALSE, fs: { readTextFile: true, writeTextFile: false } }],
    ['writing',             { fs: { writeTextFile: () => {} } },             { ...FALSE, fs: { readTextFile: false, writeTextFile: true } }],
    ['an fs of nothing',    { fs: {} },                                      FALSE],
    ['terminals',           { terminal },                                    { ...FALSE, terminal: true }],
    ['forms',               { elicitation: { form } },                       { ...FALSE, elicitation: { form: {} } }],
    ['forms and pages',     { elicitation: { form, url: form } },            { ...FALSE, elicitation: { form: {}, url: {} } }],
    ['an elicitation of nothing', { elicitation: {} },                       FALSE],
  ])('is advertised exactly where its handler is there: %s', async (_name, handlers, capabilities) => {
    const { script } = await connected({ handlers });
    expect(script.last('initialize').params).toMatchObject({ clientCapabilities: capabilities });
    expect(Object.keys(script.last('initialize').params?.['clientCapabilities'] as object)).toEqual(
      Object.keys(capabilities),
    );
  });

  it.each([
    'fs/read_text_file',
    'fs/write_text_file',
    'terminal/create',
    'terminal/wait_for_exit',
    'elicitation/create',
    '_vendor/ask',
  ])('that is not declared is not served: %s gets -32601', async (method) => {
    const world = await connected({ handlers: {} });
    await opened(world);
    expect(await asked(world, method, { sessionId: 's-1', path: '/work/a', mode: 'form' })).toBe(-32601);
  });
});

describe('in version 2', () => {
  it('there are no files and terminals to ask for, whatever handlers are given: -32601', async () => {
    const handlers: Handlers = { fs: { readTextFile: () => ({ content: 'x' }) }, terminal, elicitation: { form } };
    const world = await connected({ handlers, protocolVersions: [2, 1] }, INITIALIZED[2]);
    await opened(world);
    expect(await asked(world, 'fs/read_text_file', { sessionId: 's-1', path: '/a' })).toBe(-32601);
    expect(await asked(world, 'terminal/create', { sessionId: 's-1', command: 'x' }, 8)).toBe(-32601);
    expect(await asked(world, 'elicitation/create', { sessionId: 's-1', mode: 'form' }, 9)).toEqual({
      action: 'accept',
    });
  });
});

describe('what reaches a handler', () => {
  it('is what the protocol knows, with nulls left out, and the roots of the session', async () => {
    const seen: unknown[] = [];
    const handlers: Handlers = {
      fs: {
        readTextFile: (params, { sessionId, roots }) => {
          seen.push([params, sessionId, roots]);
          return { content: 'x' };
        },
      },
    };
    const world = await connected(
      { handlers },
      { ...INITIALIZED[1], agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } } },
    );
    const opening = world.agent.newSession({ cwd: '/work', additionalDirectories: ['/more'] });
    await settle();
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    const params = { sessionId: 's-1', path: '/work/a', line: null, limit: 3, _meta: {}, odd: 1 };
    expect(await asked(world, 'fs/read_text_file', params)).toEqual({ content: 'x' });
    expect(seen).toEqual([[{ path: '/work/a', limit: 3 }, 's-1', ['/work', '/more']]]);
  });

  // prettier-ignore
  it.each<[string, object]>([
    ['fs/read_text_file',      { path: 7 }],
    ['fs/read_text_file',      {}],
    ['fs/read_text_file',      { path: 'relative/a' }],
    ['fs/read_text_file',      { path: '/a', line: 'x' }],
    ['fs/read_text_file',      { path: '/a', limit: -1 }],
    ['fs/write_text_file',     { path: '/a' }],
    ['fs/write_text_file',     { path: '/a', content: 1 }],
    ['terminal/create',        { command: '' }],
    ['terminal/create',        { command: 'x', args: [1] }],
    ['terminal/create',        { command: 'x', env: [{ name: 'A' }] }],
    ['terminal/create',        { command: 'x', cwd: 'here' }],
    ['terminal/output',        {}],
    ['elicitation/create',     { mode: 'voice' }],
    ['elicitation/create',     {}],
  ])('is no bad parameter: %s with %j gets -32602', async (method, params) => {
    const never = jest.fn(() => ({ content: '', action: 'accept' as const, terminalId: '' }));
    const handlers = {
      fs: { readTextFile: never, writeTextFile: never },
      terminal: { ...terminal, create: never, output: never },
      elicitation: { form: never },
    } as unknown as Handlers;
    const world = await connected({ handlers });
    await opened(world);
    expect(await asked(world, method, { sessionId: 's-1', ...params })).toBe(-32602);
    expect(never).not.toHaveBeenCalled();
  });

  it('is no request of an unknown session, which strict scope takes for a mismatch', async () => {
    const handlers: Handlers = { fs: { readTextFile: () => ({ content: 'secret' }) } };
    const route = await connected({ handlers });
    await opened(route);
    expect(await asked(route, 'fs/read_text_file', { sessionId: 'other', path: '/a' })).toBe(-32602);
    expect(route.agent.state).toBe('ready');
    const strict = await connected({ handlers, scope: 'strict' });
    await opened(strict);
    await asked(strict, 'fs/read_text_file', { sessionId: 'other', path: '/a' });
    expect(await strict.agent.closed).toMatchObject({ reason: 'scope-mismatch' });
    expect(JSON.stringify(strict.script.received)).not.toContain('secret');
  });

  it('may come before the answer that names its session, and is served when that is known', async () => {
    const world = await connected({ handlers: { fs: { readTextFile: () => ({ content: 'x' }) } } });
    const opening = world.agent.newSession({ cwd: '/work' });
    await settle();
    const early = { sessionId: 's-1', path: '/work/a' };
    expect(await asked(world, 'fs/read_text_file', early)).toBeUndefined();
    world.script.send({ id: 8, method: 'fs/read_text_file', params: early });
    world.script.send({ method: '$/cancel_request', params: { requestId: 8 } });
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    await settle();
    expect(world.script.answers(7)).toMatchObject([{ result: { content: 'x' } }]);
    expect(world.script.answers(8)).toMatchObject([{ error: { code: -32800 } }]);
  });
});

describe('what a handler throws', () => {
  // prettier-ignore
  it.each<[unknown, number]>([
    [new Error('my secret'),                 -32603],
    [new RequestError(-32002),               -32002],
    [new RequestError(Number.NaN),           -32603],
  ])('%p is answered by %i, and none of its words', async (thrown, code) => {
    const readTextFile = (): never => {
      throw thrown;
    };
    const world = await connected({ handlers: { fs: { readTextFile } } });
    await opened(world);
    expect(await asked(world, 'fs/read_text_file', { sessionId: 's-1', path: '/a' })).toBe(code);
    expect(JSON.stringify(world.script.received)).not.toContain('my secret');
  });

  it('after its signal aborted is -32800', async () => {
    const waitForExit = (_: unknown, { signal }: HandlerContext): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))));
    const world = await connected({ handlers: { terminal: { ...terminal, waitForExit } } });
    await opened(world);
    await asked(world, 'terminal/wait_for_exit', { sessionId: 's-1', terminalId: 't' });
    world.script.send({ method: '$/cancel_request', params: { requestId: 7 } });
    await settle();
    expect(world.script.answers(7)).toMatchObject([{ error: { code: -32800 } }]);
  });
});

describe('an elicitation', () => {
  const FORM = { mode: 'form', sessionId: 's-1', message: 'Name?', requestedSchema: { type: 'object' } };
  const never = (): Promise<never> => new Promise(() => {});

  // prettier-ignore
  it.each<[string, () => unknown, unknown]>([
    ['an answer',        () => ({ action: 'accept', content: { a: 1 } }), { action: 'accept', content: { a: 1 } }],
    ['a no',             () => ({ action: 'decline' }),                   { action: 'decline' }],
    ['a throw',          () => { throw new Error('x'); },                 { action: 'cancel' }],
    ['another word',     () => ({ action: 'yes' }),                       { action: 'cancel' }],
    ['nothing',          () => undefined,                                 { action: 'cancel' }],
  ])('is answered by what its handler says, or cancel: %s', async (_name, answer, result) => {
    const world = await connected({ handlers: { elicitation: { form: answer as () => { action: 'accept' } } } });
    await opened(world);
    expect(await asked(world, 'elicitation/create', FORM)).toEqual(result);
  });

  it('of a mode without a function is refused, whatever the other mode has', async () => {
    const world = await connected({ handlers: { elicitation: { url: form } } }, INITIALIZED[2]);
    await opened(world);
    expect(await asked(world, 'elicitation/create', FORM)).toBe(-32602);
    expect(await asked(world, 'elicitation/create', { ...FORM, mode: 'url' }, 8)).toEqual({ action: 'accept' });
  });

  it.each(['cancelled', 'out of time'])(
    'that is open when the turn is %s is answered cancel, after session/cancel, and its signal aborts',
    async (how) => {
      let signal: AbortSignal | undefined;
      const ask = (_: unknown, context: HandlerContext): Promise<never> => {
        ({ signal } = context);
        return never();
      };
      const world = await connected({ handlers: { elicitation: { form: ask } } });
      const session = await opened(world);
      const turn = session.prompt('go', { budget: { absoluteMs: 1_000 } });
      turn.result.catch(() => {});
      await settle();
      expect(await asked(world, 'elicitation/create', FORM)).toBeUndefined();
      if (how === 'cancelled') await turn.cancel();
      else await world.clock.run(1_000);
      await settle();
      expect(world.script.answers(7)).toMatchObject([{ result: { action: 'cancel' } }]);
      expect(signal?.aborted).toBe(true);
      const frames = world.script.received;
      const at = (found: (frame: (typeof frames)[number]) => boolean): number => frames.findIndex(found);
      expect(at(({ method }) => method === 'session/cancel')).toBeLessThan(at(({ id }) => id === 7));
    },
  );

  it('is answered cancel when the agent withdraws it, when the session is over, and for a session that is not ours', async () => {
    const world = await connected(
      { handlers: { elicitation: { form: never } } },
      { ...INITIALIZED[1], agentCapabilities: { sessionCapabilities: { close: {} } } },
    );
    const session = await opened(world);
    await asked(world, 'elicitation/create', FORM, 1);
    world.script.send({ method: '$/cancel_request', params: { requestId: 1 } });
    await asked(world, 'elicitation/create', FORM, 2);
    await asked(world, 'elicitation/create', { ...FORM, sessionId: 'other' }, 3);
    const closing = session.close();
    await settle();
    world.script.reply('session/close', {});
    await closing;
    await settle();
    for (const id of [1, 2, 3]) expect(world.script.answers(id)).toMatchObject([{ result: { action: 'cancel' } }]);
  });

  it('outside a turn is bounded by the request limit, and may be of no session', async () => {
    const world = await connected({ requestLimitMs: 1_000, handlers: { elicitation: { form: never } } });
    const { sessionId: _none, ...unscoped } = FORM;
    expect(await asked(world, 'elicitation/create', { ...unscoped, requestId: 5 })).toBeUndefined();
    await world.clock.run(1_000);
    expect(world.script.answers(7)).toMatchObject([{ result: { action: 'cancel' } }]);
    expect(world.clock.pending()).toBe(0);
  });

  it('is told complete by a notification', async () => {
    const seen: unknown[] = [];
    const world = await connected({
      handlers: { elicitation: { url: form } },
      on: { notification: (notification) => void seen.push(notification) },
    });
    world.script.send({ method: 'elicitation/complete', params: { elicitationId: 'e-1' } });
    await settle();
    expect(seen).toEqual([{ method: 'elicitation/complete', params: { elicitationId: 'e-1' } }]);
  });
});

describe('the ready-made handlers', () => {
  it('serve a session over the wire: its files, and commands that end with it', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'offer-wire-')));
    writeFileSync(join(folder, 'a.txt'), 'hello');
    const world = await connected({ handlers: { fs: confinedFs(), terminal: localTerminal() } });
    const opening = world.agent.newSession({ cwd: folder });
    await settle();
    world.script.reply('session/new', { sessionId: 's-1' });
    await opening;
    const ask = async (id: number, method: string, params: object): Promise<unknown> => {
      world.script.send({ id, method, params: { sessionId: 's-1', ...params } });
      await until(() => world.script.answers(id).length > 0);
      const [answer] = world.script.answers(id);
      return answer?.error?.code ?? answer?.result;
    };
    expect(await ask(1, 'fs/read_text_file', { path: join(folder, 'a.txt') })).toEqual({ content: 'hello' });
    expect(await ask(2, 'fs/write_text_file', { path: join(folder, 'b', 'c.txt'), content: 'ü' })).toEqual({});
    expect(await ask(3, 'fs/read_text_file', { path: join(folder, 'b', 'c.txt') })).toEqual({ content: 'ü' });
    expect(await ask(4, 'fs/read_text_file', { path: '/etc/passwd' })).toBe(-32602);
    expect(await ask(5, 'fs/read_text_file', { path: join(folder, 'none') })).toBe(-32002);
    const script = 'pwd; echo $$; sleep 1000';
    const { terminalId } = (await ask(6, 'terminal/create', { command: '/bin/sh', args: ['-c', script] })) as {
      terminalId: string;
    };
    let id = 10;
    const output = async (): Promise<string[]> =>
      ((await ask((id += 1), 'terminal/output', { terminalId })) as { output: string }).output.split('\n');
    let lines = await output();
    while (lines.length < 3) lines = await output();
    const [cwd, pid] = lines;
    expect(cwd).toBe(folder);
    expect(isRunning(Number(pid))).toBe(true);
    await world.agent.close();
    await until(() => !isRunning(Number(pid)));
    rmSync(folder, { recursive: true });
  });
});

describe('any other request', () => {
  it('is served by its method, and no inherited name is one', async () => {
    const requests = { '_vendor/ask': (params: unknown) => ({ got: params }) };
    const world = await connected({ handlers: { requests } });
    expect(await asked(world, '_vendor/ask', { a: 1 })).toEqual({ got: { a: 1 } });
    expect(await asked(world, 'constructor', {}, 8)).toBe(-32601);
    expect(await asked(world, '__proto__', {}, 9)).toBe(-32601);
  });
});

describe('the end of a session', () => {
  it.each(['session', 'connection'])('is told to what a handler keeps for it: of the %s', async (which) => {
    let ended: AbortSignal | undefined;
    const create = (_: unknown, context: HandlerContext): { terminalId: string } => {
      ({ ended } = context);
      return { terminalId: 't' };
    };
    const world = await connected({ handlers: { terminal: { ...terminal, create } } });
    const session = await opened(world);
    await asked(world, 'terminal/create', { sessionId: 's-1', command: 'x' });
    expect(ended?.aborted).toBe(false);
    await (which === 'session' ? session[Symbol.asyncDispose]() : world.agent.close());
    await settle();
    expect(ended?.aborted).toBe(true);
  });
});
