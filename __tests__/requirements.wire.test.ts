/** Requirements about what is written, when and within which bounds, that no other test shows in so many words. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { budget, connect, policy, type AcpError, type ConnectOptions } from '../src/index.js';
import { settingsOf } from '../src/client/settings.js';
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
const EVERYTHING = {
  1: {
    ...INITIALIZED[1],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true },
      sessionCapabilities: { resume: {}, close: {}, fork: {} },
    },
  },
  2: {
    ...INITIALIZED[2],
    capabilities: { session: { prompt: { embeddedContext: {} }, mcp: { stdio: {} }, close: {}, fork: {} } },
  },
};

describe('the cap of a frame', () => {
  it('is an option, 64 MiB where it is not given', () => {
    const transport = new ScriptedAgent().transport;
    const toError = (): Error => new Error('not reached');
    expect(settingsOf({ client, transport }, toError).maxFrameBytes).toBe(64 * 1024 * 1024);
    expect(settingsOf({ client, transport, maxFrameBytes: 4_096 }, toError).maxFrameBytes).toBe(4_096);
    expect(readFileSync('src/client/options.ts', 'utf8')).toMatch(/Default 64 MiB\. \*\/\s+maxFrameBytes\?:/);
  });

  it('lets a frame of exactly so many bytes pass; one byte more ends the connection, and nothing of it is delivered', async () => {
    const texts: string[] = [];
    const world = await connected({ maxFrameBytes: 400, on: { update: (update) => void texts.push(update.kind) } });
    const session = await opened(world);
    const frame = (bytes: number): string => {
      const made = (text: string): string =>
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'session/update',
          params: {
            sessionId: 's-1',
            update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
          },
        });
      // Two bytes a character: the cap counts bytes.
      const room = bytes - Buffer.byteLength(made(''));
      return `${made('é'.repeat(room >> 1) + 'x'.repeat(room & 1))}\n`;
    };
    const turn = session.prompt('go');
    await settle();
    world.script.raw(frame(400));
    await settle();
    expect(texts).toEqual(['text']);
    world.script.raw(frame(401));
    const error = await failed(turn.result);
    expect(error).toMatchObject({ kind: 'frame-too-large', phase: 'turn' });
    expect(error.message).toMatch(/over the byte cap/);
    expect(texts).toEqual(['text']);
    expect(world.agent.closeReason).toBe('frame-too-large');
  });
});

describe('a notification that the library does not model', () => {
  it('in the midst of the handshake goes to the handler, and the wait goes on', async () => {
    const heard: unknown[] = [];
    const script = new ScriptedAgent();
    script.onFrame = ({ id, method }) => {
      if (method !== 'initialize') return;
      script.send({ method: '_auth/status_update', params: { status: 'checking' } });
      script.send({ id, result: INITIALIZED[1] });
    };
    const notification = (what: unknown): void => void heard.push(what);
    const agent = await connect({ client, clock: manualClock(), transport: script.transport, on: { notification } });
    expect(agent.state).toBe('ready');
    expect(heard).toEqual([{ method: '_auth/status_update', params: { status: 'checking' } }]);
  });

  it('in the midst of a turn does the same', async () => {
    const heard: string[] = [];
    const world = await connected({ on: { notification: ({ method }) => void heard.push(method) } });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.send({ method: '_vendor/progress', params: null });
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed', updates: 0 });
    expect(heard).toEqual(['_vendor/progress']);
  });
});

describe('one budget', () => {
  it('spans startup, setup and prompt: no phase starts its absolute clock afresh', async () => {
    const shared = budget({ absoluteMs: 10_000 });
    const script = new ScriptedAgent();
    const clock = manualClock();
    const connecting = connect({ client, clock, transport: script.transport, budget: shared });
    await clock.run(4_000);
    script.reply('initialize', INITIALIZED[1]);
    const agent = await connecting;
    const opening = agent.newSession({ cwd: '/work', budget: shared });
    await clock.run(4_000);
    script.reply('session/new', { sessionId: 's-1' });
    const turn = (await opening).prompt('go', { budget: shared });
    await clock.run(1_999);
    script.chunk('s-1', 'still at it');
    await clock.run(1);
    expect(await failed(turn.result)).toMatchObject({
      kind: 'absolute',
      phase: 'turn',
      budget: { elapsedMs: 10_000, absoluteMs: 10_000 },
    });
  });

  it('bounds session/new too, and a silent agent is named idle, long before the request limit', async () => {
    const world = await connected();
    const opening = failed(world.agent.newSession({ cwd: '/work', budget: { idleMs: 200, absoluteMs: 50_000 } }));
    await world.clock.run(200);
    expect(await opening).toMatchObject({
      kind: 'idle',
      phase: 'session',
      budget: { bound: 'idle', elapsedMs: 200, sinceLastFrameMs: 200 },
    });
  });
});

describe('without a budget', () => {
  it('initialize and session/new have 60 s, whatever else the agent says', async () => {
    const script = new ScriptedAgent();
    const clock = manualClock();
    const connecting = failed(connect({ client, clock, transport: script.transport }));
    await clock.run(59_999);
    script.send({ method: '_noise' });
    await clock.run(1);
    expect(await connecting).toMatchObject({ kind: 'request-limit', budget: { elapsedMs: 60_000 } });
    const world = await connected();
    const opening = failed(world.agent.newSession({ cwd: '/work' }));
    await world.clock.run(59_999);
    world.script.send({ method: '_noise' });
    await world.clock.run(1);
    expect(await opening).toMatchObject({ kind: 'request-limit', budget: { elapsedMs: 60_000 } });
  });

  it('a turn has its own bounds, and outlives the request limit', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await world.clock.run(899_999);
    expect(session.state).toBe('running');
    await world.clock.run(1);
    expect(await failed(turn.result)).toMatchObject({ kind: 'idle', budget: { idleMs: 900_000 } });
  });
});

describe('capabilities', () => {
  it('in v1 are told by their booleans: true is advertised, an explicit false of a transport is absent', async () => {
    const agentCapabilities = { loadSession: true, mcpCapabilities: { http: true, sse: false } };
    const { agent } = await connected({}, { ...INITIALIZED[1], agentCapabilities });
    expect(agent.advertises('loadSession')).toBe(true);
    expect(agent.advertises('mcpCapabilities.http')).toBe(true);
    expect(agent.advertises('mcpCapabilities.sse')).toBe(false);
    const sse = { type: 'sse', name: 's', url: 'https://x', headers: [] };
    expect(await failed(agent.newSession({ cwd: '/work', mcpServers: [sse] }))).toMatchObject({
      kind: 'capability-absent',
      capability: 'mcpCapabilities.sse',
    });
  });

  it('that the library does not model are recorded where the caller can read them', async () => {
    const agentCapabilities = { loadSession: true, futureThing: {} };
    const { agent } = await connected({}, { ...INITIALIZED[1], agentCapabilities });
    expect(agent.info.narrower).toEqual(['futureThing']);
    expect(agent.state).toBe('ready');
  });
});

describe('loading', () => {
  it('sends session/load alone: no prompt is written before the caller makes one', async () => {
    const world = await connected({}, EVERYTHING[1]);
    const loading = world.agent.loadSession('old', { cwd: '/work' });
    await settle();
    world.script.chunk('old', 'history');
    world.script.reply('session/load', null);
    await world.clock.run(60_000);
    await loading;
    expect(world.script.received.map(({ method }) => method)).toEqual(['initialize', 'session/load']);
  });
});

describe('trusted tools', () => {
  const tools = [
    { name: 'files', command: '/usr/bin/mcp-files', args: ['--root', '/'], env: [{ name: 'A', value: 'b' }] },
  ];

  it('are the same in new, load, resume and fork', async () => {
    const world = await connected({ tools }, EVERYTHING[1]);
    const { agent, script } = world;
    const calls = [
      agent.newSession({ cwd: '/work' }),
      agent.loadSession('l', { cwd: '/work' }),
      agent.resumeSession('r', { cwd: '/work' }),
      agent.forkSession('f', { cwd: '/work' }),
    ];
    for (const call of calls) call.catch(() => {});
    await settle();
    const sent = ['new', 'load', 'resume', 'fork'].map((call) => script.last(`session/${call}`).params?.['mcpServers']);
    for (const servers of sent) expect(servers).toEqual(tools);
    await agent.close();
  });

  it('are launch configuration: the caller’s list can change afterwards, what is sent does not', async () => {
    const mutable = structuredClone(tools);
    const world = await connected({ tools: mutable });
    mutable[0]!.args.push('--more');
    mutable.push({ name: 'other', command: '/bin/sh', args: [], env: [] });
    await opened(world);
    expect(world.script.last('session/new').params?.['mcpServers']).toEqual(tools);
  });

  it('start nothing by themselves: a warm connection has written initialize and no more', async () => {
    const world = await connected({ tools }, EVERYTHING[1]);
    await world.clock.run(600_000);
    expect(world.script.received.map(({ method }) => method)).toEqual(['initialize']);
    expect(JSON.stringify(world.script.received)).not.toContain('mcp-files');
  });

  it('that are not legal are refused before anything is started, by a code and nothing of what was declared', async () => {
    const script = new ScriptedAgent();
    const bad = [{ name: 'files', command: 'SECRET', args: ['SECRET'], env: [{ name: 'KEY', value: 'SECRET' }] }];
    const error = await failed(connect({ client, transport: script.transport, tools: bad }));
    expect(error).toMatchObject({
      kind: 'invalid-argument',
      argument: 'tools',
      detail: { code: 'command-not-absolute' },
    });
    expect(`${String(error)} ${JSON.stringify(error)} ${String(error.stack)}`).not.toContain('SECRET');
    expect(script.received).toEqual([]);
  });
});

/** A conversation that has the library write one of each message that it knows. */
async function conversation(version: 1 | 2): Promise<string> {
  let written = '';
  const script = new ScriptedAgent();
  const decoder = new TextDecoder();
  const { readable, writable } = script.transport;
  const taps: ConnectOptions['transport'] = {
    readable,
    writable: {
      getWriter: () => {
        const writer = writable.getWriter();
        return {
          ...writer,
          write: (chunk) => {
            written += decoder.decode(chunk, { stream: true });
            return writer.write(chunk);
          },
        };
      },
    },
  };
  const clock = manualClock();
  const option = { name: 'Model', category: 'model', type: 'select', currentValue: 'a' };
  const configOptions = [
    { id: 'model', configId: 'model', ...option, options: ['a', 'b'].map((value) => ({ value, name: value })) },
  ];
  script.onFrame = ({ id, method }) => {
    if (method === 'initialize') script.send({ id, result: EVERYTHING[version] });
    if (method === 'session/new') script.send({ id, result: { sessionId: 's-1', configOptions } });
    if (method === 'session/set_config_option') script.send({ id, result: { configOptions } });
    if (/^session\/(close|resume|load)$/.test(method ?? '')) script.send({ id, result: {} });
    if (method === 'session/fork') script.send({ id, result: { sessionId: 's-5' } });
  };
  const agent = await connect({
    client: { name: 'golden', title: 'Golden', version: '1.2.3' },
    clock,
    transport: taps,
    tools: [{ name: 'files', command: '/usr/bin/mcp-files', args: ['-v'], env: [{ name: 'A', value: 'b' }] }],
    permissions: policy.unattended({ select: 'allow_once' }),
  });
  const session = await agent.newSession({ cwd: '/work' });
  await session.select({ model: 'b' });
  const turn = session.prompt('ünïcode \u2028 and "quotes"', { context: { uri: 'file:///a', text: 'context' } });
  await settle();
  script.ask(7, 's-1');
  script.ask('8', 's-1', ['reject_once']);
  script.send({ id: 9, method: 'fs/read_text_file', params: { sessionId: 's-1', path: '/a' } });
  script.send({ id: 10, method: 'session/request_permission', params: 'bad' });
  await settle();
  await turn.cancel();
  script.reply('session/prompt', { stopReason: 'cancelled' });
  if (version === 2) script.state('s-1', 'idle', 'cancelled');
  await turn.result;
  await session.close();
  await agent.resumeSession('s-2', { cwd: '/work' });
  const loading = agent.loadSession('s-3', { cwd: '/work' });
  await clock.run(100);
  await loading;
  await agent.forkSession('s-4', { cwd: '/work' });
  agent.sendRequest('_vendor/ask', { b: 1, a: 2 });
  await agent.notify('_vendor/note');
  await agent.close();
  return written;
}

describe('the bytes of a conversation', () => {
  it.each([1, 2] as const)('in version %d are those of the fixture, one by one', async (version) => {
    const expected = readFileSync(`fixtures/wire/written-v${version}.ndjson`, 'utf8');
    expect(await conversation(version)).toBe(expected);
    expect(expected.split('\n').length).toBeGreaterThan(15);
  });
});

describe('permissions', () => {
  it('without a handler are cancelled however they are offered, and unattended approval is nothing that is on by itself', async () => {
    const world: World = await connected();
    await opened(world);
    world.script.ask(1, 's-1', ['allow_once']);
    world.script.ask(2, 's-1', ['allow_always', 'allow_once', 'reject_once']);
    await settle();
    for (const id of [1, 2]) {
      expect(world.script.answers(id)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    }
    expect(JSON.stringify(world.script.received)).not.toContain('selected');
  });

  it('approved by themselves are on record, with who decided and why', async () => {
    const world = await connected({ permissions: policy.unattended({ select: 'allow_once' }) });
    await opened(world);
    world.script.ask('q-1', 's-1');
    await settle();
    expect(world.agent.decisions).toMatchObject([
      {
        requestId: 'q-1',
        sessionId: 's-1',
        toolCallId: 't-q-1',
        outcome: 'selected',
        optionKind: 'allow_once',
        policy: 'unattended',
        cause: 'policy',
      },
    ]);
  });

  it('whose handler has not answered when we close are answered cancelled', async () => {
    const world = await connected({ permissions: policy.ask(() => new Promise(() => {})) });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 's-1');
    await settle();
    await world.agent.close();
    expect(await failed(turn.result)).toMatchObject({ kind: 'closed' });
    expect(world.agent.decisions).toMatchObject([{ outcome: 'cancelled', cause: 'closed' }]);
    expect(JSON.stringify(world.script.received)).not.toContain('selected');
  });
});
