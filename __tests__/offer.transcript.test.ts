/** What a session says, over a connection: merged as each version defines, with the raw update always at hand. */
import { describe, expect, it } from '@jest/globals';
import type { Session, Update } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

interface Watched extends World {
  session: Session;
  seen: Update[];
}
async function watched(version: 1 | 2): Promise<Watched> {
  const seen: Update[] = [];
  const world = await connected({ on: { update: (update) => void seen.push(update) } }, INITIALIZED[version]);
  return { ...world, session: await opened(world), seen };
}
const text = (words: string): object => ({ type: 'text', text: words });
const last = (seen: Update[]): Update => seen.at(-1)!;

describe.each([1, 2] as const)('in version %d', (version) => {
  it('the result has what messages say, and neither thoughts nor echoes', async () => {
    const { session, script, seen } = await watched(version);
    const turn = session.prompt('go');
    await settle();
    script.update('s-1', { sessionUpdate: 'user_message_chunk', content: text('go') });
    script.update('s-1', { sessionUpdate: 'agent_thought_chunk', content: text('hm') });
    script.update('s-1', { sessionUpdate: 'agent_message_chunk', messageId: 'a', content: text('one') });
    script.update('s-1', { sessionUpdate: 'agent_message_chunk', messageId: 'a', content: text(' two') });
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'one two' });
    expect(seen.map(({ kind }) => kind)).toEqual(['user', 'thought', 'text', 'text']);
    expect(seen[3]).toMatchObject({ text: ' two', messageId: 'a', append: true, raw: { content: text(' two') } });
  });

  it('a tool call is what its updates add up to; null leaves in v1 and clears in v2', async () => {
    const { session, script, seen } = await watched(version);
    const turn = session.prompt('go');
    await settle();
    const call = { sessionUpdate: version === 1 ? 'tool_call' : 'tool_call_update', toolCallId: 't' };
    script.update('s-1', { ...call, title: 'Read', kind: 'read', rawInput: { a: 1 }, content: [text('x')] });
    script.update('s-1', {
      ...call,
      sessionUpdate: 'tool_call_update',
      title: null,
      kind: null,
      status: 'in_progress',
    });
    script.update('s-1', { sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content: text('y') });
    script.reply('session/prompt', { stopReason: 'end_turn' });
    const { toolCalls } = await turn.result;
    const content = [text('x'), text('y')].map((block) => ({ type: 'content', content: block }));
    expect(toolCalls).toEqual([
      version === 1
        ? {
            toolCallId: 't',
            title: 'Read',
            kind: 'read',
            status: 'in_progress',
            content,
            locations: [],
            rawInput: { a: 1 },
          }
        : { toolCallId: 't', kind: 'other', status: 'in_progress', content, locations: [], rawInput: { a: 1 } },
    ]);
    expect(seen.map((update) => update.kind === 'tool' && update.first)).toEqual([true, false, false]);
  });

  it('a plan is the full list each time, and gone when it is removed', async () => {
    const { script, seen } = await watched(version);
    const entry = { content: 'a', priority: 'high', status: 'pending' };
    script.update('s-1', { sessionUpdate: 'plan', entries: [entry] });
    script.update('s-1', { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [entry] } });
    script.update('s-1', { sessionUpdate: 'plan_removed', planId: 'p' });
    await settle();
    expect(seen.map((update) => update.kind === 'plan' && [update.planId, update.entries.length])).toEqual([
      [undefined, 1],
      ['p', 1],
      ['p', 0],
    ]);
  });

  it('commands, title, context and cost are the session’s, and a subscriber is told', async () => {
    const { session, script } = await watched(version);
    let told = 0;
    session.subscribe(() => (told += 1));
    script.update('s-1', { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init' }] });
    await settle();
    script.update('s-1', { sessionUpdate: 'session_info_update', title: 'A title' });
    await settle();
    script.update('s-1', { sessionUpdate: 'usage_update', used: 5, size: 10 });
    await settle();
    expect(session.commands).toEqual(['init']);
    expect(session.info).toEqual({ title: 'A title', context: { used: 5, size: 10 } });
    expect(told).toBe(3);
  });

  it('a terminal of the agent’s is merged, whichever of reference and update came first', async () => {
    const { script, seen } = await watched(version);
    script.update('s-1', { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: 'aGk=' });
    script.update('s-1', {
      sessionUpdate: 'terminal_update',
      terminalId: 'x',
      command: 'ls',
      exitStatus: { exitCode: 0 },
    });
    await settle();
    expect(last(seen)).toMatchObject({
      kind: 'terminal',
      first: false,
      terminal: { terminalId: 'x', command: 'ls', output: 'hi', exitStatus: { exitCode: 0, signal: null } },
      raw: { sessionUpdate: 'terminal_update' },
    });
  });

  it('notices and compaction are notices, and end nothing; unknown kinds are raw, and counted', async () => {
    const { session, script, seen, agent } = await watched(version);
    const turn = session.prompt('go');
    await settle();
    const notice = { sessionUpdate: 'notice', severity: 'error', title: 'Oops' };
    const future = { sessionUpdate: '_vendor/thing', anything: [1, { deep: null }] };
    script.update('s-1', notice);
    script.update('s-1', { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' });
    script.update('s-1', future);
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: '', updates: 3 });
    expect(seen).toEqual([
      { kind: 'notice', raw: notice },
      { kind: 'notice', raw: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' } },
      { kind: 'unknown', raw: future },
    ]);
    expect(agent.stats.unknownUpdates).toBe(1);
  });
});

describe('in version 2', () => {
  it('a whole message replaces what its chunks said, and null clears it', async () => {
    const { session, script } = await watched(2);
    const turn = session.prompt('go');
    await settle();
    script.reply('session/prompt', {});
    script.state('s-1', 'running');
    script.update('s-1', { sessionUpdate: 'agent_message_chunk', messageId: 'a', content: text('draft') });
    script.update('s-1', { sessionUpdate: 'agent_message_chunk', messageId: 'b', content: text(' kept') });
    script.update('s-1', { sessionUpdate: 'agent_message', messageId: 'a', content: [text('final')] });
    script.update('s-1', { sessionUpdate: 'agent_message_chunk', messageId: 'c', content: text('gone') });
    script.update('s-1', { sessionUpdate: 'agent_message', messageId: 'c', content: null });
    script.state('s-1', 'idle', 'end_turn');
    await expect(turn.result).resolves.toMatchObject({ text: 'final kept' });
  });

  it('the usage of a turn comes with its end', async () => {
    const { session, script } = await watched(2);
    const turn = session.prompt('go');
    await settle();
    script.reply('session/prompt', { messageId: 'm' });
    script.state('s-1', 'running');
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    script.update('s-1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', usage });
    await expect(turn.result).resolves.toMatchObject({ usage });
  });
});

describe('cancelling one item', () => {
  const call = { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Long' };
  const CANCEL = { capabilities: { cancel: {} } };

  it('is asked of the agent where the item says so, and the turn goes on', async () => {
    const { session, script, seen } = await watched(2);
    const turn = session.prompt('go');
    await settle();
    script.reply('session/prompt', {});
    script.state('s-1', 'running');
    script.update('s-1', { ...call, ...CANCEL });
    script.update('s-1', { sessionUpdate: 'terminal_update', terminalId: 'x', ...CANCEL });
    await settle();
    expect(seen.slice(1)).toMatchObject([{ toolCall: { cancellable: true } }, { terminal: { cancellable: true } }]);
    const done = Promise.all([session.cancelToolCall('t'), session.cancelTerminal('x')]);
    await settle();
    expect(script.last('tool_call/cancel').params).toEqual({ sessionId: 's-1', toolCallId: 't' });
    expect(script.last('terminal/cancel').params).toEqual({ sessionId: 's-1', terminalId: 'x' });
    script.reply('tool_call/cancel', {});
    script.reply('terminal/cancel', null);
    await done;
    expect(session.state).toBe('running');
    script.update('s-1', { ...call, status: 'cancelled', capabilities: null });
    script.state('s-1', 'idle', 'end_turn');
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed', toolCalls: [{ status: 'cancelled' }] });
    expect(await failed(session.cancelToolCall('t'))).toMatchObject({ kind: 'capability-absent' });
    expect(script.requests('session/cancel')).toEqual([]);
  });

  it('is refused where the item does not say so, or is not known, and nothing is sent', async () => {
    const { session, script } = await watched(2);
    script.update('s-1', { ...call, capabilities: { cancel: null } });
    script.update('s-1', { sessionUpdate: 'terminal_update', terminalId: 'x' });
    await settle();
    const sent = script.received.length;
    expect(await failed(session.cancelToolCall('t'))).toMatchObject({
      kind: 'capability-absent',
      capability: 'toolCall.capabilities.cancel',
    });
    expect(await failed(session.cancelTerminal('x'))).toMatchObject({ capability: 'terminal.capabilities.cancel' });
    expect(await failed(session.cancelToolCall('other'))).toMatchObject({
      kind: 'invalid-argument',
      argument: 'toolCallId',
    });
    expect(await failed(session.cancelTerminal('t'))).toMatchObject({ argument: 'terminalId' });
    expect(script.received).toHaveLength(sent);
  });

  it('is no word of version 1: a call that says so there cannot be cancelled', async () => {
    const { session, script } = await watched(1);
    script.update('s-1', { ...call, ...CANCEL });
    await settle();
    expect(await failed(session.cancelToolCall('t'))).toMatchObject({ kind: 'capability-absent' });
  });
});
