import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { demoClient, type Frame, type Json } from './support/demoClient.js';

const folder = '/demo';

describe.each([1, 2] as const)('requests that are no good, in version %i', (version) => {
  it.each([
    ['session/new', { cwd: 'relative', mcpServers: [] }, -32602],
    ['session/new', { cwd: '/a', mcpServers: 'x' }, -32602],
    ['session/new', undefined, -32602],
    ['session/resume', { sessionId: 'nobody', cwd: '/a', mcpServers: [] }, -32002],
    ['session/resume', { sessionId: '__proto__', cwd: '/a', mcpServers: [] }, -32002],
    ['session/close', {}, -32002],
    ['session/prompt', { sessionId: 7, prompt: [] }, -32002],
    ['session/list', { cursor: 'x' }, -32602],
    ['session/fork', {}, -32601],
    [version === 1 ? 'auth/login' : 'session/load', {}, -32601],
  ])('answers %s with %j by an error', async (method, params, code) => {
    const client = demoClient();
    await client.open(folder, version);
    expect((await client.call(method, params)).error?.code).toBe(code);
    await client.end();
  });

  it('refuses content that it never advertised', async () => {
    const client = demoClient();
    const sessionId = await client.open(folder, version);
    for (const prompt of [[], 'text', [{ type: 'image', data: 'AA', mimeType: 'image/png' }], [null]]) {
      expect((await client.call('session/prompt', { sessionId, prompt })).error?.code).toBe(-32602);
    }
    await client.end();
  });
});

describe('lines that are no good', () => {
  it.each([
    ['text', 'hello\n', -32700],
    ['half a frame', '{"jsonrpc":"2.0",\n', -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n', -32600],
    ['a scalar', '42\n', -32600],
    ['no version', '{"id":1,"method":"initialize"}\n', -32600],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"initialize"}\n', -32600],
    ['null as id', '{"jsonrpc":"2.0","id":null,"method":"initialize"}\n', -32600],
    ['no kind of message', '{"jsonrpc":"2.0"}\n', -32600],
  ])('are answered without an id: %s', async (_, line, code) => {
    const client = demoClient();
    client.raw(line);
    const answer = await client.until(() => client.frames[0]);
    expect(answer).toMatchObject({ id: null, error: { code } });
    expect((await client.initialize()).result.protocolVersion).toBe(2);
    await client.end();
  });

  it('pass without a word: blank ones, unknown notifications, answers to nothing', async () => {
    const client = demoClient();
    client.raw('\n  \r\n');
    client.notify('session/cancel', { sessionId: 'nobody' });
    client.notify('_vendor/note', {});
    client.answer(99, { result: {} });
    client.answer('x', { error: { code: 1, message: '' } });
    await client.initialize();
    expect(client.frames).toHaveLength(1);
    await client.end();
  });

  it('are put together from pieces, within a character too', async () => {
    const client = demoClient(1);
    const sessionId = await client.open(folder);
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', id: 50, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'é漢🙂 refuse' }] } })}\n`,
    );
    for (const byte of line) client.raw(Buffer.from([byte]) as unknown as string);
    expect((await client.answerTo(50)).result.stopReason).toBe('refusal');
    expect((await client.call('session/list', {})).result.sessions[0].title).toBe('é漢🙂 refuse');
    await client.end();
  });

  it('end the conversation where they are longer than any message may be', async () => {
    const client = demoClient();
    client.raw('x'.repeat(17 * 1024 * 1024));
    await client.until(() => client.frames[0]);
    expect(client.frames[0]).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

/** The schema of the protocol as its SDK ships it, asked for one of its definitions. */
function schemaOf(version: 1 | 2): (definition: string, value: unknown) => void {
  const path = `../node_modules/@agentclientprotocol/sdk/schema/v${version}/schema.json`;
  const schema: Json = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  ajv.addSchema(schema, 'acp');
  return (definition, value) => {
    const validate = ajv.getSchema(`acp#/$defs/${definition}`)!;
    const errors = validate(value) ? [] : validate.errors;
    expect({ definition, value, errors }).toEqual({ definition, value, errors: [] });
  };
}

describe.each([1, 2] as const)('every frame of the demo agent in version %i', (version) => {
  it('fits the schema that the protocol publishes', async () => {
    const fits = schemaOf(version);
    const client = demoClient();
    const call = async (definition: string, method: string, params: object): Promise<Json> => {
      const { result } = await client.call(method, params);
      fits(definition, result);
      return result;
    };
    fits('InitializeResponse', (await client.initialize(version)).result);
    const cwd = '/no/such/folder';
    const { sessionId } = await call('NewSessionResponse', 'session/new', { cwd, mcpServers: [] });
    const typed = version === 2 ? { type: 'id' } : {};
    const option = { sessionId, configId: 'mode', ...typed };
    await call('SetSessionConfigOptionResponse', 'session/set_config_option', { ...option, value: 'plan' });
    await call('SetSessionConfigOptionResponse', 'session/set_config_option', { ...option, value: 'ask' });
    if (version === 1) await call('SetSessionModeResponse', 'session/set_mode', { sessionId, modeId: 'ask' });

    const prompt = client.prompt(sessionId, 'think, plan, use a tool and write');
    const question = await client.permission();
    fits('RequestPermissionRequest', question.params);
    client.answer(question.id, { result: { outcome: { outcome: 'selected', optionId: 'demo-allow' } } });
    fits('PromptResponse', (await client.answerTo(prompt)).result);
    if (version === 2) await client.idle();

    await call('ListSessionsResponse', 'session/list', {});
    const again = { sessionId, cwd, mcpServers: [] };
    if (version === 1) await call('LoadSessionResponse', 'session/load', again);
    await call('ResumeSessionResponse', 'session/resume', { ...again, replayFrom: { type: 'start' } });
    await call('CloseSessionResponse', 'session/close', { sessionId });
    await client.end();

    const updates = client.frames.filter((frame: Frame) => frame.method === 'session/update');
    const definition = version === 1 ? 'SessionNotification' : 'UpdateSessionNotification';
    for (const { params } of updates) fits(definition, params);
    expect(updates.length).toBeGreaterThan(40);
  });
});
