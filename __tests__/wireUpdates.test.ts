import { describe, expect, it } from '@jest/globals';
import { dialectOf } from '../src/wire/dialect.js';

const VERSIONS = [1, 2] as const;
const read = (version: 1 | 2, update: unknown) => {
  const { raw, ...rest } = dialectOf(version).readUpdate(update);
  expect(raw).toBe(update);
  return rest;
};
const MALFORMED = { kind: 'unknown', known: true };
const UNKNOWN = { kind: 'unknown', known: false };
const text = (value: unknown) => ({ type: 'text', text: value });

describe.each(VERSIONS)('a chunk in version %d', (version) => {
  const image = { type: 'image', data: '', mimeType: 'image/png' };
  // prettier-ignore
  it.each([
    [{ content: text('hi') },                      { text: 'hi' }],
    [{ content: text('hi'), messageId: 'm' },      { text: 'hi', messageId: 'm' }],
    [{ content: text('hi'), messageId: null },     { text: 'hi' }],
    [{ content: text('hi'), messageId: 7 },        { text: 'hi' }],
    [{ content: text('') },                        { text: '' }],
    [{ content: text(null) },                      { text: '', content: text(null) }],
    [{ content: image, messageId: 'm' },           { text: '', messageId: 'm', content: image }],
    [{ content: { text: 'no type' } },             { text: '', content: { text: 'no type' } }],
    [{ content: null },                            { text: '' }],
    [{ content: null, messageId: 'm' },            { text: '', messageId: 'm' }],
    [{ content: 'bare' },                          { text: '' }],
    [{ content: [text('hi')] },                    { text: '' }],
    [{},                                           { text: '' }],
  ])('of %j appends a string', (members, expected) => {
    for (const [word, kind] of [['agent_message_chunk', 'text'], ['agent_thought_chunk', 'thought'], ['user_message_chunk', 'user']]) {
      expect(read(version, { sessionUpdate: word, ...members })).toStrictEqual({ kind, append: true, ...expected });
    }
  });
});

describe('a whole message of version 2', () => {
  const image = { type: 'image', data: '' };
  // prettier-ignore
  it.each([
    [{ messageId: 'm', content: [text('a'), text('b')] }, { text: 'ab', append: false, messageId: 'm' }],
    [{ messageId: 'm', content: [] },                     { text: '', append: false, messageId: 'm' }],
    [{ messageId: 'm', content: null },                   { text: '', append: false, messageId: 'm' }],
    [{ messageId: 'm' },                                  { text: '', append: true, messageId: 'm' }],
    [{ messageId: 'm', content: 'odd' },                  { text: '', append: true, messageId: 'm' }],
    [{ content: [text('a')] },                            { text: 'a', append: true }],
    [{ messageId: 'm', content: [text('a'), image] },     { text: 'a', append: false, messageId: 'm', content: [text('a'), image] }],
    [{ messageId: 'm', content: [null, text('a')] },      { text: 'a', append: false, messageId: 'm', content: [null, text('a')] }],
  ])('of %j replaces only what it speaks of', (members, expected) => {
    for (const [word, kind] of [['agent_message', 'text'], ['agent_thought', 'thought'], ['user_message', 'user']]) {
      expect(read(2, { sessionUpdate: word, ...members })).toStrictEqual({ kind, ...expected });
      expect(read(1, { sessionUpdate: word, ...members })).toStrictEqual(UNKNOWN);
    }
  });
});

describe('a tool call', () => {
  const full = {
    toolCallId: 't',
    title: 'Run',
    kind: 'execute',
    status: 'in_progress',
    content: [{ type: 'content', content: text('out') }],
    locations: [{ path: '/a', line: 3 }],
    rawInput: { command: 'ls' },
    rawOutput: 0,
  };
  const nulls = {
    title: null,
    kind: null,
    status: null,
    content: null,
    locations: null,
    rawInput: null,
    rawOutput: null,
  };
  const odd = { title: 5, kind: {}, status: ['x'], content: 'text', locations: { path: '/a' } };

  it.each(VERSIONS)('in version %d keeps its members, and drops those of a wrong type alone', (version) => {
    for (const word of ['tool_call', 'tool_call_update']) {
      expect(read(version, { sessionUpdate: word, ...full })).toStrictEqual({ kind: 'tool', patch: full });
      const update = { sessionUpdate: word, toolCallId: 't', ...odd };
      expect(read(version, update)).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't' } });
    }
  });

  it('is left as it is by the nulls of version 1, and cleared by those of version 2', () => {
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', ...nulls };
    expect(read(1, update)).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't' } });
    expect(read(2, update)).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't', ...nulls } });
  });

  it.each(VERSIONS)('in version %d without a usable id is known and malformed', (version) => {
    for (const sessionUpdate of ['tool_call', 'tool_call_update', 'tool_call_content_chunk']) {
      for (const toolCallId of [undefined, null, 7, {}]) {
        expect(read(version, { sessionUpdate, toolCallId })).toStrictEqual(MALFORMED);
      }
    }
  });

  it.each(VERSIONS)('in version %d takes a bare content block as content', (version) => {
    const diff = { type: 'diff', path: '/a', newText: '' };
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      content: [text('bare'), diff, null, 'x', { type: 'new' }],
    };
    const content = [{ type: 'content', content: text('bare') }, diff, { type: 'new' }];
    expect(read(version, update)).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't', content } });
  });

  it.each(VERSIONS)('in version %d keeps the places with a path, and whole line numbers', (version) => {
    const locations = [
      { path: '/a', line: 1.5 },
      { path: '/b', line: '2' },
      { path: '/c', line: null },
      { line: 1 },
      null,
    ];
    const update = { sessionUpdate: 'tool_call_update', toolCallId: 't', locations };
    const kept = [{ path: '/a' }, { path: '/b' }, { path: '/c' }];
    expect(read(version, update)).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't', locations: kept } });
  });

  it('grows by a content chunk', () => {
    const chunk = (content: unknown) => ({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content });
    const entry = { type: 'content', content: text('more') };
    const grown = { kind: 'tool', patch: { toolCallId: 't', appendContent: [entry] } };
    expect(read(2, chunk(entry))).toStrictEqual(grown);
    expect(read(2, chunk(text('more')))).toStrictEqual(grown);
    expect(read(2, chunk(null))).toStrictEqual({ kind: 'tool', patch: { toolCallId: 't' } });
  });
});

describe('the state of a session', () => {
  // prettier-ignore
  it.each([
    [{ state: 'running' },                                                      { state: 'running' }],
    [{ state: 'requires_action', background: [] },                              { state: 'requires_action' }],
    [{ state: '_vendor' },                                                      { state: '_vendor' }],
    [{ state: 'idle' },                                                         { state: 'idle' }],
    [{ state: 'idle', stopReason: null },                                       { state: 'idle' }],
    [{ state: 'idle', stopReason: 'end_turn', usage: { totalTokens: 3 } },      { state: 'idle', stopReason: 'end_turn', usage: { totalTokens: 3 } }],
    [{ state: 'idle', stopReason: 'error', error: { code: -32000 } },           { state: 'idle', stopReason: 'error', errorCode: -32000 }],
    [{ state: 'idle', stopReason: 'error', error: { code: '5' } },              { state: 'idle', stopReason: 'error' }],
    [{ state: 'idle', stopReason: 'error' },                                    { state: 'idle', stopReason: 'error' }],
    [{ state: 'idle', stopReason: 'end_turn', error: { code: 1 } },             { state: 'idle', stopReason: 'end_turn' }],
    [{ state: 'idle', usage: { totalTokens: '3' } },                            { state: 'idle' }],
  ])('%j is read in version 2', (members, expected) => {
    expect(read(2, { sessionUpdate: 'state_update', ...members })).toStrictEqual({ kind: 'state', ...expected });
  });

  it('that is no string is malformed, and in version 1 there is no such word', () => {
    for (const state of [undefined, null, 1, {}]) {
      expect(read(2, { sessionUpdate: 'state_update', state })).toStrictEqual(MALFORMED);
    }
    expect(read(1, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' })).toStrictEqual(UNKNOWN);
  });
});

describe.each(VERSIONS)('in version %d', (version) => {
  const entry = { content: 'a', priority: 'high', status: 'pending' };
  // prettier-ignore
  it.each([
    [{ sessionUpdate: 'plan', entries: [entry, { content: 'b' }, { status: 'x' }, null] },              { kind: 'plan', entries: [entry, { content: 'b', priority: '', status: '' }] }],
    [{ sessionUpdate: 'plan', entries: null },                                                          MALFORMED],
    [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [entry] } },          { kind: 'plan', planId: 'p', entries: [entry] }],
    [{ sessionUpdate: 'plan_update', plan: { type: 'items', entries: [] } },                            { kind: 'plan', entries: [] }],
    [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p' } },                            MALFORMED],
    [{ sessionUpdate: 'plan_update', plan: { type: 'file', planId: 'p', uri: 'file:///p' } },           { kind: 'plan', planId: 'p', entries: [] }],
    [{ sessionUpdate: 'plan_update', entries: [entry] },                                                MALFORMED],
    [{ sessionUpdate: 'plan_removed', planId: 'p' },                                                    { kind: 'plan', planId: 'p', entries: [] }],
    [{ sessionUpdate: 'plan_removed' },                                                                 MALFORMED],
    [{ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'b', type: 'command' }, { name: 'a' }, { name: 1 }, 'c'] }, { kind: 'commands', commands: ['b', 'a'] }],
    [{ sessionUpdate: 'available_commands_update', availableCommands: null },                           MALFORMED],
    [{ sessionUpdate: 'current_mode_update', currentModeId: 'ask' },                                    { kind: 'mode', modeId: 'ask' }],
    [{ sessionUpdate: 'current_mode_update', modeId: 'ask' },                                           { kind: 'mode', modeId: 'ask' }],
    [{ sessionUpdate: 'current_mode_update', currentModeId: null },                                     MALFORMED],
    [{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'x', type: 'boolean', currentValue: true }] }, { kind: 'config', config: [{ id: 'x', name: 'x', category: undefined, type: 'boolean', value: true, values: [] }] }],
    [{ sessionUpdate: 'config_option_update' },                                                         MALFORMED],
    [{ sessionUpdate: 'usage_update', used: null, size: 1000000, cost: { amount: 0.1 } },               { kind: 'usage' }],
    [{ sessionUpdate: 'usage_update', used: 5, size: 9, cost: null },                                   { kind: 'usage', context: { used: 5, size: 9 }, cost: null }],
    [{ sessionUpdate: 'usage_update', cost: { amount: 0.1, currency: 'USD', x: 1 } },                   { kind: 'usage', cost: { amount: 0.1, currency: 'USD' } }],
    [{ sessionUpdate: 'session_info_update', title: null, updatedAt: 7 },                               { kind: 'info', title: null }],
    [{ sessionUpdate: 'session_info_update', title: 'T', updatedAt: '2026-01-01T00:00:00Z' },           { kind: 'info', title: 'T', updatedAt: '2026-01-01T00:00:00Z' }],
    [{ sessionUpdate: 'terminal_update', terminalId: 't' },                                             { kind: 'terminal', patch: { terminalId: 't' } }],
    [{ sessionUpdate: 'terminal_update', terminalId: 't', command: null, cwd: 7, output: { data: 'aMO8' }, exitStatus: {} }, { kind: 'terminal', patch: { terminalId: 't', command: null, output: Buffer.from('hü'), exitStatus: { exitCode: null, signal: null } } }],
    [{ sessionUpdate: 'terminal_update', terminalId: 't', output: null, exitStatus: null, capabilities: { cancel: {} } }, { kind: 'terminal', patch: { terminalId: 't', output: null, exitStatus: null, cancellable: true } }],
    [{ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { exitCode: -1, signal: 'SIGINT' }, capabilities: 'all' }, { kind: 'terminal', patch: { terminalId: 't', exitStatus: { exitCode: -1, signal: 'SIGINT' }, cancellable: false } }],
    [{ sessionUpdate: 'terminal_update' },                                                              { kind: 'unknown', known: true }],
    [{ sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: 'aGk=' },                         { kind: 'terminal', patch: { terminalId: 't', appendOutput: Buffer.from('hi') } }],
    [{ sessionUpdate: 'terminal_output_chunk', terminalId: 't' },                                       { kind: 'unknown', known: true }],
    [{ sessionUpdate: 'subagent_update', sessionId: 'c-1' },                                            { kind: 'info', childId: 'c-1' }],
    [{ sessionUpdate: 'session_message' },                                                              { kind: 'info' }],
    [{ sessionUpdate: 'session_message_chunk' },                                                        { kind: 'info' }],
    [{ sessionUpdate: 'notice', severity: 'info', title: 'x' },                                         { kind: 'notice' }],
    [{ sessionUpdate: 'compaction_update', compactionId: 'c' },                                         { kind: 'notice' }],
    [{ sessionUpdate: 'compaction_summary_chunk', compactionId: 'c' },                                  { kind: 'notice' }],
    [{ sessionUpdate: 'future_thing_update', thingId: 'c' },                                            UNKNOWN],
    [{ sessionUpdate: '_vendor/thing' },                                                                UNKNOWN],
    [{ sessionUpdate: 'constructor' },                                                                  UNKNOWN],
    [{ sessionUpdate: '__proto__' },                                                                    UNKNOWN],
    [{ sessionUpdate: 7 },                                                                              UNKNOWN],
    [{ sessionUpdate: null },                                                                           UNKNOWN],
    [{},                                                                                                UNKNOWN],
    [null,                                                                                              UNKNOWN],
    ['agent_message_chunk',                                                                             UNKNOWN],
    [{ sessionUpdate: 'subagent_update', sessionId: '' },                                               { kind: 'unknown', known: true }],
    [[{ sessionUpdate: 'plan' }],                                                                       UNKNOWN],
  ])('%j reads as %j', (update, expected) => {
    expect(read(version, update)).toStrictEqual(expected);
  });
});
