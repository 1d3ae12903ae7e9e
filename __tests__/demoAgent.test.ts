import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoClient, type Json } from './support/demoClient.js';

const FILE = 'acp-turnstile-demo.txt';
const selected = (optionId: string): object => ({ result: { outcome: { outcome: 'selected', optionId } } });
const dismissed = { result: { outcome: { outcome: 'cancelled' } } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-agent-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('versions of the demo agent', () => {
  it.each([
    ['2 with info', undefined, { protocolVersion: 2, info: {} }, 2],
    ['3 with info', undefined, { protocolVersion: 3, info: {} }, 2],
    ['2 without info', undefined, { protocolVersion: 2 }, 1],
    ['1 with info', undefined, { protocolVersion: 1, info: {} }, 1],
    ['0', undefined, { protocolVersion: 0 }, 1],
    ['2 to an agent held at 1', 1, { protocolVersion: 2, info: {} }, 1],
  ] as const)('answers an offer of %s', async (_, held, params, version) => {
    const client = demoClient(held);
    const { result } = await client.call('initialize', params);
    expect(result.protocolVersion).toBe(version);
    expect(Object.hasOwn(result, version === 2 ? 'info' : 'agentInfo')).toBe(true);
    await client.end();
  });

  it('lets initialize be repeated until something else was asked', async () => {
    const client = demoClient();
    expect((await client.call('session/list')).error?.code).toBe(-32600);
    await client.initialize(1);
    expect((await client.initialize(2)).result.protocolVersion).toBe(2);
    await client.call('session/list', {});
    expect((await client.initialize(1)).error?.code).toBe(-32600);
    await client.end();
  });
});

describe.each([1, 2] as const)('a turn of the demo agent in version %i', (version) => {
  const finish = async (client: ReturnType<typeof demoClient>, promptId: number): Promise<Json> => {
    const { result } = await client.answerTo(promptId);
    return version === 1 ? result : client.idle();
  };

  it('streams a short answer in several chunks and ends with end_turn and usage', async () => {
    const client = demoClient();
    const end = await finish(client, client.prompt(await client.open(folder, version), 'hello'));
    expect(end).toMatchObject({ stopReason: 'end_turn', usage: { totalTokens: expect.any(Number) } });
    expect(client.textOf()).toMatch(/^Hello from the demo agent.*demo-small, effort medium/);
    expect(client.updates().filter((u) => u.sessionUpdate === 'agent_message_chunk').length).toBeGreaterThan(4);
    expect(client.updates().map((u) => u.sessionUpdate)).toEqual(
      expect.arrayContaining(['session_info_update', 'usage_update']),
    );
    await client.end();
  });

  it('writes its file once it was allowed to, and not before', async () => {
    const client = demoClient();
    const prompt = client.prompt(await client.open(folder, version), 'please write');
    const question = await client.permission();
    expect(question.params?.['options'].map((o: Json) => o.kind)).toEqual([
      'allow_once',
      'allow_always',
      'reject_once',
    ]);
    await client.clock.run(10_000);
    expect(await readdir(folder)).toEqual([]);
    client.answer(question.id, selected('demo-allow'));
    expect(await finish(client, prompt)).toMatchObject({ stopReason: 'end_turn' });
    expect(await readdir(folder)).toEqual([FILE]);
    expect(client.textOf()).toContain('The file is written.');
    await client.end();
  });

  it.each([
    ['a rejection', selected('demo-reject')],
    ['a dismissal', dismissed],
    ['an option that was not offered', selected('demo-allow-everything')],
    ['an error', { error: { code: -32603, message: 'no' } }],
    ['nonsense', { result: 'demo-allow' }],
  ])('writes nothing on %s, says so and ends the turn', async (_, answer) => {
    const client = demoClient();
    const prompt = client.prompt(await client.open(folder, version), 'please write');
    client.answer((await client.permission()).id, answer);
    expect(await finish(client, prompt)).toMatchObject({ stopReason: 'end_turn' });
    expect(await readdir(folder)).toEqual([]);
    expect(client.textOf()).toContain('I wrote nothing.');
    const last = client.updates().findLast((u) => u.toolCallId);
    expect(last.status).toBe(version === 1 ? 'failed' : 'cancelled');
    await client.end();
  });

  it('stops at once when it is cancelled while it streams', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    const prompt = client.prompt(sessionId, 'slow');
    await client.until(() => client.textOf().includes('word10'));
    client.notify('session/cancel', { sessionId });
    expect(await finish(client, prompt)).toMatchObject({ stopReason: 'cancelled' });
    expect(client.textOf()).not.toContain('word30');
    await client.end();
    expect(client.clock.pending()).toBe(0);
  });

  it('ends cancelled although a permission stays unanswered, withdraws it, and a late yes writes nothing', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    const prompt = client.prompt(sessionId, 'please write');
    const question = await client.permission();
    client.notify('session/cancel', { sessionId });
    expect(await finish(client, prompt)).toMatchObject({ stopReason: 'cancelled' });
    expect(client.frames).toContainEqual({
      jsonrpc: '2.0',
      method: '$/cancel_request',
      params: { requestId: question.id },
    });
    expect(client.updates().findLast((u) => u.toolCallId).status).toBe(version === 1 ? 'failed' : 'cancelled');
    client.answer(question.id, selected('demo-allow'));
    await client.clock.run(1_000);
    expect(await readdir(folder)).toEqual([]);
    await client.end();
  });

  it('replays whole messages before it answers, and takes the next prompt', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    await finish(client, client.prompt(sessionId, 'hello, think and use a tool'));
    const live = { text: client.textOf(), thought: client.textOf('agent_thought_chunk') };
    await client.call('session/close', { sessionId });
    client.frames.length = 0;
    const params = { sessionId, cwd: folder, mcpServers: [] };
    const answer =
      version === 1
        ? await client.call('session/load', params)
        : await client.call('session/resume', { ...params, replayFrom: { type: 'start' } });
    expect(answer.result.configOptions).toHaveLength(3);
    const replayed = client.frames.slice(0, client.frames.indexOf(answer)).map((f) => f.params?.['update']);
    expect(JSON.stringify(replayed[0])).toContain('hello, think and use a tool');
    for (const said of [live.text, live.thought]) expect(JSON.stringify(replayed)).toContain(JSON.stringify(said));
    expect(replayed.filter((u) => u.toolCallId)).toMatchObject([{ status: 'completed' }]);
    client.frames.length = 0;
    await finish(client, client.prompt(sessionId, 'again'));
    expect(client.textOf()).toContain('Hello');
    await client.end();
  });

  it('stops the turn of a session that is closed, before it answers the close', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    const prompt = client.prompt(sessionId, 'slow');
    await client.until(() => client.textOf() !== '');
    const close = await client.call('session/close', { sessionId });
    const end =
      version === 1 ? await client.answerTo(prompt) : client.frames.find((f) => f.params?.['update']?.state === 'idle');
    expect(JSON.stringify(end)).toContain('"cancelled"');
    if (version === 2) expect(client.frames.indexOf(end!)).toBeLessThan(client.frames.indexOf(close));
    expect((await client.answerTo(client.prompt(sessionId, 'hi'))).error?.code).toBe(-32002);
    await client.end();
  });

  it('refuses a second prompt while one runs, and an end of input stops the turn', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    const first = client.prompt(sessionId, 'slow');
    expect((await client.answerTo(client.prompt(sessionId, 'two'))).error?.code).toBe(-32600);
    await client.end();
    expect(await finish(client, first)).toMatchObject({ stopReason: 'cancelled' });
  });
});

describe('options of the demo agent', () => {
  const valueOf = (frame: Json): object =>
    Object.fromEntries(frame.result.configOptions.map((o: Json) => [o.id ?? o.configId, o.currentValue]));

  it('change what it offers and does, and one choice alters another', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    const set = (configId: string, value: unknown) =>
      client.call('session/set_config_option', { sessionId, configId, value });
    expect((await set('effort', 'max')).error?.code).toBe(-32602);
    expect(valueOf(await set('model', 'demo-large'))).toEqual({ mode: 'ask', model: 'demo-large', effort: 'medium' });
    expect(valueOf(await set('effort', 'max'))).toMatchObject({ effort: 'max' });
    await client.answerTo(client.prompt(sessionId, 'hello'));
    expect(client.textOf('agent_thought_chunk')).not.toBe('');
    expect(client.textOf()).toContain('(demo-large, effort max)');
    expect(valueOf(await set('model', 'demo-small'))).toMatchObject({ effort: 'medium' });
    await client.end();
  });

  it('keep the modes of version 1 in step', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    expect((await client.call('session/set_mode', { sessionId, modeId: 'plan' })).result).toEqual({});
    expect(client.updates().at(-1)).toMatchObject({ sessionUpdate: 'config_option_update' });
    await client.answerTo(client.prompt(sessionId, 'write'));
    expect(client.textOf()).toContain('I only plan');
    await client.call('session/set_config_option', { sessionId, configId: 'mode', value: 'ask' });
    expect(client.updates()).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' });
    expect((await client.call('session/set_mode', { sessionId, modeId: 'yolo' })).error?.code).toBe(-32602);
    await client.end();
  });

  it('want their type in version 2, and version 1 has methods of its own', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder);
    const params = { sessionId, configId: 'mode', value: 'plan' };
    expect((await client.call('session/set_config_option', params)).error?.code).toBe(-32602);
    expect(valueOf(await client.call('session/set_config_option', { ...params, type: 'id' }))).toMatchObject({
      mode: 'plan',
    });
    expect((await client.call('session/set_mode', { sessionId, modeId: 'ask' })).error?.code).toBe(-32601);
    await client.end();
  });
});

describe('what the demo agent keeps and reports', () => {
  it('asks no more in a session once allow_always was chosen, but in the next one', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    const first = client.prompt(sessionId, 'write');
    client.answer((await client.permission()).id, selected('demo-allow-session'));
    await client.answerTo(first);
    client.frames.length = 0;
    await client.answerTo(client.prompt(sessionId, 'write'));
    expect(client.frames.some((f) => f.method === 'session/request_permission')).toBe(false);
    const other = (await client.call('session/new', { cwd: folder, mcpServers: [] })).result.sessionId;
    client.prompt(other, 'write');
    expect((await client.permission()).params?.['sessionId']).toBe(other);
    await client.end();
  });

  it('does not write through a link that leads out of the folder', async () => {
    const outside = join(folder, 'outside.txt');
    const inside = await mkdtemp(join(folder, 'cwd-'));
    await writeFile(outside, 'mine');
    await symlink(outside, join(inside, FILE));
    const client = demoClient(1);
    const prompt = client.prompt(await client.open(inside), 'write');
    client.answer((await client.permission()).id, selected('demo-allow'));
    await client.answerTo(prompt);
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect(client.textOf()).toContain('could not be written');
    await client.end();
  });

  it('lists its sessions, by folder, closed ones too', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    await client.call('session/new', { cwd: '/elsewhere', mcpServers: [] });
    await client.answerTo(client.prompt(sessionId, 'refuse this'));
    await client.call('session/close', { sessionId });
    expect((await client.call('session/list', {})).result.sessions).toHaveLength(2);
    expect((await client.call('session/list', { cwd: folder })).result.sessions).toEqual([
      { sessionId, cwd: folder, title: 'refuse this', updatedAt: expect.any(String) },
    ]);
    await client.end();
  });

  it('names its commands, shows a plan that comes to its end, and can refuse', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    await client.settled();
    expect(client.updates()[0].availableCommands.map((c: Json) => c.name)).toContain('write');
    await client.answerTo(client.prompt(sessionId, '/plan'));
    const plans = client.updates().filter((u) => u.sessionUpdate === 'plan');
    expect(plans).toHaveLength(4);
    expect(plans.at(-1).entries.every((e: Json) => e.status === 'completed')).toBe(true);
    expect((await client.answerTo(client.prompt(sessionId, 'refuse'))).result.stopReason).toBe('refusal');
    await client.end();
  });

  it('cancels a prompt by $/cancel_request too', async () => {
    const client = demoClient(1);
    const prompt = client.prompt(await client.open(folder), 'slow');
    await client.until(() => client.textOf() !== '');
    client.notify('$/cancel_request', { requestId: prompt });
    expect((await client.answerTo(prompt)).result.stopReason).toBe('cancelled');
    await client.end();
  });
});
