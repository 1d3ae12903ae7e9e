/** Nothing secret is in a recording without text: planted in every place that is known to hold it, and in unknown ones. */
import { describe, expect, it } from '@jest/globals';
import { redact } from '../src/inspect/redact.js';

/** It looks like an id, so that only the place can tell. */
const S = 'SECRETmarker';
const BLOCKS = [
  { type: 'text', text: S, annotations: { audience: [S], priority: 1 } },
  { type: 'image', data: S, mimeType: 'image/png', uri: S },
  { type: 'resource', resource: { uri: S, mimeType: 'text/plain', text: S, blob: S } },
  { type: 'resource_link', name: S, uri: S, title: S, description: S, icons: [{ src: S }] },
];
const SERVERS = [
  { name: S, command: S, args: [S, '--key', S], env: [{ name: S, value: S }] },
  { type: 'http', name: S, url: S, headers: [{ name: S, value: S, type: S, id: S }] },
  { type: 'acp', id: S, name: S, env: { [S]: S, mode: S, id: S, type: S } },
];
const TOOL = {
  toolCallId: 't-1',
  kind: 'edit',
  status: 'pending',
  title: S,
  name: S,
  locations: [{ path: S, line: 3 }],
  rawInput: { id: S, type: S, kind: S, method: S, path: S, [S]: S, pin: 4711, nested: { sessionId: S } },
  rawOutput: [S, { mode: S }],
  content: [
    { type: 'content', content: { type: 'text', text: S } },
    {
      type: 'diff',
      path: S,
      oldText: S,
      newText: S,
      changes: [{ path: S, operation: S }],
      patch: { format: S, text: S },
    },
    { type: 'terminal', terminalId: 'term-1' },
  ],
};
const request = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });
const result = (value: unknown): object => ({ jsonrpc: '2.0', id: 1, result: value });
const update = (value: object): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's-1', update: value, _meta: { id: S, token: S } },
});
const CONFIG = {
  id: 'key',
  configId: 'key',
  type: 'text',
  name: S,
  description: S,
  currentValue: S,
};

const FRAMES: Record<string, object[]> = {
  'both versions': [
    request('initialize', {
      protocolVersion: 1,
      clientInfo: { name: 'c', version: '1', title: S, token: S },
      _meta: { token: S },
    }),
    request('session/new', {
      cwd: S,
      mcpServers: SERVERS,
      additionalDirectories: [S],
      systemPrompt: { mode: 'append', content: S },
    }),
    request('session/prompt', { sessionId: 's-1', prompt: BLOCKS, messageId: 'm-1' }),
    request('session/set_config_option', { sessionId: 's-1', configId: 'key', value: S }),
    request('session/set_title', { sessionId: 's-1', title: S }),
    request('providers/set', { id: S, headers: { type: S }, baseUrl: S, apiType: S }),
    request('mcp/message', { connectionId: S, method: S, params: { id: S, name: S } }),
    request('elicitation/create', {
      sessionId: 's-1',
      mode: 'form',
      message: S,
      url: S,
      requestedSchema: { type: S, properties: { [S]: { title: S } } },
    }),
    result({ action: 'accept', content: { type: S, id: S, [S]: S, password: S, number: 4711 } }),
    result({ sessions: [{ sessionId: 's-1', cwd: S, title: S, updatedAt: S }], nextCursor: null }),
    result({ configOptions: [CONFIG], accounts: [{ id: S, email: S, label: S }] }),
    {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32000,
        message: S,
        data: { details: S, authMethods: [{ id: 'a', vars: [{ name: S }], env: { [S]: S } }], [S]: S },
      },
    },
    update({ sessionUpdate: 'agent_message_chunk', messageId: 'm-1', content: BLOCKS[0] }),
    update({ sessionUpdate: 'user_message_chunk', content: BLOCKS[2] }),
    update({ sessionUpdate: 'tool_call', ...TOOL }),
    update({ sessionUpdate: 'plan', entries: [{ content: S, status: 'pending', priority: 'low' }] }),
    update({
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: S, description: S, input: { hint: S } }],
    }),
    update({ sessionUpdate: 'session_info_update', title: S, updatedAt: S }),
    update({ sessionUpdate: 'config_option_update', configOptions: [CONFIG] }),
    update({ sessionUpdate: 'notice', severity: 'info', title: S, description: S }),
    update({
      sessionUpdate: 'compaction_update',
      status: 'completed',
      summary: S,
      error: { code: 1, message: S, data: S },
    }),
    request('session/request_permission', {
      sessionId: 's-1',
      toolCall: TOOL,
      title: S,
      options: [{ optionId: 'o-1', name: S, kind: 'allow_once' }],
    }),
  ],
  'version 1 alone': [
    request('authenticate', { methodId: 'api-key', apiKey: S, _meta: { token: S } }),
    result({
      authMethods: [
        { id: 'k', type: 'env_var', name: S, description: S, vars: [{ name: S, value: S }], args: [S], env: { id: S } },
      ],
    }),
    request('fs/read_text_file', { sessionId: 's-1', path: S, line: 1, limit: 2 }),
    result({ content: S }),
    request('fs/write_text_file', { sessionId: 's-1', path: S, content: S }),
    request('terminal/create', {
      sessionId: 's-1',
      command: S,
      args: [S],
      cwd: S,
      env: [{ name: S, value: S }],
      outputByteLimit: 10,
    }),
    result({ output: S, truncated: false, exitStatus: { exitCode: 1, signal: null } }),
    result({ modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: S, description: S }] } }),
  ],
  'version 2 alone': [
    request('auth/login', { methodId: 'api-key', apiKey: S, credentials: { type: S, id: S } }),
    request('session/request_permission', {
      sessionId: 's-1',
      title: S,
      description: S,
      subject: { type: 'command', command: S, cwd: S, toolCall: TOOL },
      options: [],
    }),
    update({ sessionUpdate: 'agent_message', messageId: 'm-1', content: BLOCKS }),
    update({
      sessionUpdate: 'terminal_update',
      terminalId: 'term-1',
      command: S,
      cwd: S,
      output: { data: S },
      exitStatus: { exitCode: 0 },
    }),
    update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'term-1', data: S }),
    update({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: S, uri: S } }),
    update({ sessionUpdate: 'subagent_update', sessionId: 's-2', title: S, description: S, cwd: S }),
    update({ sessionUpdate: 'session_message', content: BLOCKS, senderSessionId: S }),
    update({
      sessionUpdate: 'state_update',
      state: 'idle',
      stopReason: 'error',
      error: { code: 1, message: S },
      background: [{ type: 'terminal', terminalId: 'x', [S]: S }],
    }),
  ],
  'unknown places': [
    request('_vendor/secrets', {
      id: S,
      type: S,
      mode: S,
      name: S,
      [S]: S,
      list: [S],
      nested: { sessionId: S, kind: S },
      pin: 4711,
    }),
    result({ id: S, type: S, kind: S, version: S, name: S, method: S, [S]: S, nested: { optionId: S } }),
    update({ sessionUpdate: '_vendor_update', id: S, payload: { type: S, id: S }, [S]: { [S]: S } }),
    { jsonrpc: '2.0', token: S, headers: { type: S, id: S }, params: S },
    { jsonrpc: '2.0', method: 'session/prompt', params: [S, { id: S, content: S }] },
    { jsonrpc: '2.0', id: 1, result: S },
    { jsonrpc: '2.0', id: 1, result: [S] },
    { jsonrpc: '2.0', id: 1, error: S },
    result({ agentCapabilities: { loadSession: true, vendor: { token: S, list: [S] }, [`${S} 1`]: true } }),
  ],
};

describe('a frame of a recording without text', () => {
  it.each(Object.entries(FRAMES))('has no secret in it, of %s', (_where, frames) => {
    for (const frame of frames) {
      const told = JSON.stringify(redact(frame));
      // Names of members are words where they look like one: `SECRETmarker` as a name is told, if anywhere, outside of maps.
      expect(told.replaceAll(`"${S}":`, '')).not.toContain(S);
      expect(told).not.toContain('4711');
    }
  });

  it('shows no name of a member in a map that the protocol leaves open', () => {
    const env = { OPENAI_API_KEY: 'x' };
    for (const frame of [
      request('session/new', { mcpServers: [{ env, headers: env }] }),
      request('_vendor/x', { env }),
      update({ sessionUpdate: 'tool_call', rawInput: env, rawOutput: env, _meta: env }),
      result({ env }),
    ])
      expect(JSON.stringify(redact(frame))).not.toContain('OPENAI');
  });

  it('keeps what a reader needs: ids, kinds, states, choices and counts', () => {
    expect(redact(update({ sessionUpdate: 'tool_call', ...TOOL }))).toMatchObject({
      params: {
        sessionId: 's-1',
        update: { toolCallId: 't-1', kind: 'edit', status: 'pending', locations: [{ line: 3 }] },
      },
    });
    const mode = { configId: 'mode', type: 'select', currentValue: 'ask', options: [{ value: 'ask', name: 'Ask' }] };
    expect(redact(result({ configOptions: [mode] }))).toMatchObject({
      result: {
        configOptions: [{ configId: 'mode', currentValue: 'ask', options: [{ value: 'ask', name: '[3 chars]' }] }],
      },
    });
    expect(redact({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'no', data: { supported: [1] } } })).toEqual(
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32022, message: '[2 chars]', data: { supported: [1] } },
      },
    );
  });
});
