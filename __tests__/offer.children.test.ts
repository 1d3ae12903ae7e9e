/** Sessions that the agent announces as children of one of ours: surfaced under it, and mixed into nothing of it. */
import { describe, expect, it } from '@jest/globals';
import { policy, type PermissionRequest, type Update, type Where } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type ScriptedAgent, type World } from './support/scriptedAgent.js';

const announce = (script: ScriptedAgent, childId: string, parent = 's-1'): void =>
  script.update(parent, { sessionUpdate: 'subagent_update', sessionId: childId, title: 'A helper' });
const told = (seen: [Update, Where][]): string[] =>
  seen.map(([update, { sessionId, childId, phase }]) => `${update.kind} ${sessionId} ${childId ?? '-'} ${phase}`);

async function world(
  options: object = {},
  initialized: object = INITIALIZED[2],
): Promise<World & { seen: [Update, Where][] }> {
  const seen: [Update, Where][] = [];
  const made = await connected(
    { on: { update: (update, where) => void seen.push([update, where]) }, ...options },
    initialized,
  );
  return { ...made, seen };
}

describe.each(['route', 'strict', 'accept'] as const)('the traffic of an announced child, in scope %s', (scope) => {
  it('comes under its parent, told apart, and in no text, reader, option or end of the parent’s turn', async () => {
    const { agent, script, clock, seen } = await world({ scope });
    const session = await opened({ agent, script, clock });
    const turn = session.prompt('go');
    const read: string[] = [];
    const reading = (async () => {
      for await (const update of turn) read.push(update.kind);
    })();
    await settle();
    script.reply('session/prompt', {});
    script.state('s-1', 'running');
    announce(script, 'c-1');
    script.state('c-1', 'running');
    script.chunk('c-1', 'of the child');
    script.update('c-1', { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'childish' }] });
    script.update('c-1', { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Mine' });
    script.state('c-1', 'idle', 'end_turn');
    script.chunk('s-1', 'of the parent');
    await settle();
    expect(session.state).toBe('running');
    script.state('s-1', 'idle', 'end_turn');
    await expect(turn.result).resolves.toMatchObject({ text: 'of the parent', toolCalls: [], outcome: 'completed' });
    await reading;
    expect(read).toEqual(['state', 'info', 'text', 'state']);
    expect(session.commands).toEqual([]);
    expect(told(seen).filter((line) => line.includes('c-1'))).toEqual([
      'state s-1 c-1 turn',
      'text s-1 c-1 turn',
      'commands s-1 c-1 turn',
      'tool s-1 c-1 turn',
      'state s-1 c-1 turn',
    ]);
    expect(seen.find(([update]) => update.kind === 'info')).toMatchObject([{ childId: 'c-1' }, { sessionId: 's-1' }]);
    expect(agent.stats).toMatchObject({ strayUpdates: 0, lateUpdates: 0 });
  });

  it('is merged for itself: the same tool call id of parent and child are two calls', async () => {
    const { agent, script, clock, seen } = await world({ scope });
    await opened({ agent, script, clock });
    announce(script, 'c-1');
    const call = { sessionUpdate: 'tool_call_update', toolCallId: 't' };
    script.update('s-1', { ...call, title: 'Parent', kind: 'read' });
    script.update('c-1', { ...call, title: 'Child' });
    script.update('c-1', { ...call, status: 'completed' });
    await settle();
    expect(seen.flatMap(([update]) => (update.kind === 'tool' ? [update] : []))).toMatchObject([
      { first: true, toolCall: { title: 'Parent', kind: 'read' } },
      { first: true, toolCall: { title: 'Child', status: 'pending' } },
      { first: false, toolCall: { title: 'Child', status: 'completed' } },
    ]);
  });
});

describe('a permission that a child asks for', () => {
  it('is put to the policy as the parent’s, flagged, and in the ledger', async () => {
    const asked: PermissionRequest[] = [];
    const permissions = policy.ask((request) => {
      asked.push(request);
      return request.options[0]?.optionId;
    });
    const { agent, script, clock } = await world({ permissions, scope: 'strict' });
    const session = await opened({ agent, script, clock });
    const turn = session.prompt('go');
    await settle();
    announce(script, 'c-1');
    script.ask(1, 'c-1');
    await settle();
    expect(asked).toMatchObject([{ sessionId: 's-1', childId: 'c-1', toolCall: { toolCallId: 't-1' } }]);
    expect(script.answers(1)).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: 'o-0-allow_once' } } },
    ]);
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ toolCalls: [], permissions: [{ childId: 'c-1' }] });
    expect(agent.decisions).toMatchObject([
      { sessionId: 's-1', childId: 'c-1', toolCallId: 't-1', outcome: 'selected' },
    ]);
  });

  it('is cancelled with the parent’s turn', async () => {
    const permissions = policy.ask(() => new Promise(() => {}));
    const { agent, script, clock } = await world({ permissions });
    const session = await opened({ agent, script, clock });
    const turn = session.prompt('go');
    await settle();
    announce(script, 'c-1');
    script.ask(1, 'c-1');
    await settle();
    expect(session.state).toBe('awaiting-permission');
    await turn.cancel();
    await settle();
    expect(script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
  });

  it('of a kind that only the parent announced is not approved by rule', async () => {
    const permissions = policy.byKind({ read: 'allow_once' });
    const { agent, script, clock } = await world({ permissions });
    await opened({ agent, script, clock });
    announce(script, 'c-1');
    script.update('s-1', { sessionUpdate: 'tool_call_update', toolCallId: 't-1', kind: 'read' });
    script.send({
      id: 1,
      method: 'session/request_permission',
      params: {
        sessionId: 'c-1',
        title: 'x',
        subject: { type: 'tool_call', toolCall: { toolCallId: 't-1' } },
        options: [{ optionId: 'yes', kind: 'allow_once', name: 'Yes' }],
      },
    });
    await settle();
    expect(script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
  });
});

describe('an announcement', () => {
  it('takes no id away: of a session of ours, of a closed one, of another’s child', async () => {
    const { agent, script, clock, seen } = await world({});
    const one = await opened({ agent, script, clock }, 's-1');
    await opened({ agent, script, clock }, 's-2');
    const three = await opened({ agent, script, clock }, 's-3');
    const closing = three.close();
    await settle();
    script.reply('session/close', {});
    await closing;
    announce(script, 'c-2', 's-2');
    for (const id of ['s-2', 's-3', 'c-2', 's-1']) announce(script, id, 's-1');
    for (const id of ['s-2', 's-3', 'c-2', 's-1']) script.chunk(id, 'x');
    await settle();
    expect(told(seen.slice(-3))).toEqual(['text s-2 - between', 'text s-2 c-2 between', 'text s-1 - between']);
    expect(agent.stats.closedUpdates).toBe(1);
    expect(one.state).toBe('idle');
  });

  it('of a child by a child is under the same session', async () => {
    const { agent, script, clock, seen } = await world({ scope: 'strict' });
    await opened({ agent, script, clock });
    announce(script, 'c-1');
    announce(script, 'c-2', 'c-1');
    script.chunk('c-2', 'x');
    await settle();
    expect(told(seen).at(-1)).toBe('text s-1 c-2 between');
  });

  it('ends with the session: its children are closed with it', async () => {
    const { agent, script, clock } = await world({ scope: 'strict' });
    const session = await opened({ agent, script, clock });
    announce(script, 'c-1');
    await settle();
    const closing = session.close();
    await settle();
    script.reply('session/close', {});
    await closing;
    script.chunk('c-1', 'x');
    script.ask(1, 'c-1');
    await settle();
    expect(agent.stats).toMatchObject({ strayUpdates: 0, closedUpdates: 1 });
    expect(script.answers(1)).toMatchObject([{ result: { outcome: { outcome: 'cancelled' } } }]);
    expect(agent.state).toBe('ready');
  });

  it('is overtaken by session/new: an id that is handed out is a session of its own', async () => {
    const { agent, script, clock, seen } = await world({});
    await opened({ agent, script, clock });
    announce(script, 'c-1');
    const own = await opened({ agent, script, clock }, 'c-1');
    script.chunk('c-1', 'x');
    await settle();
    expect(told(seen).at(-1)).toBe('text c-1 - between');
    expect(own.id).toBe('c-1');
  });

  it('is heeded for 256 children of a session; what more are announced are nobody’s', async () => {
    const { agent, script, clock } = await world({});
    await opened({ agent, script, clock });
    for (let i = 1; i <= 257; i += 1) announce(script, `c-${i}`);
    script.chunk('c-256', 'x');
    script.chunk('c-257', 'x');
    while (agent.stats.framesIn < 2 + 257 + 2) await settle();
    expect(agent.stats.strayUpdates).toBe(1);
  });

  it('lets the child’s requests reach the session’s handlers, told apart', async () => {
    const seen: unknown[] = [];
    const handlers = {
      elicitation: {
        form: (
          _: unknown,
          { sessionId, childId, roots }: { sessionId: string; childId?: string; roots: readonly string[] },
        ) => {
          seen.push([sessionId, childId, roots]);
          return { action: 'decline' as const };
        },
      },
    };
    const { agent, script, clock } = await world({ handlers, scope: 'strict' });
    await opened({ agent, script, clock });
    announce(script, 'c-1');
    script.send({ id: 1, method: 'elicitation/create', params: { sessionId: 'c-1', mode: 'form', message: '' } });
    await settle();
    expect(seen).toEqual([['s-1', 'c-1', ['/work']]]);
    expect(script.answers(1)).toMatchObject([{ result: { action: 'decline' } }]);
  });
});

describe('messages between sessions', () => {
  it('are handed over raw, and are no text of the session', async () => {
    const { agent, script, clock, seen } = await world({});
    const session = await opened({ agent, script, clock });
    const turn = session.prompt('go');
    await settle();
    const content = { type: 'text', text: 'between us' };
    script.update('s-1', { sessionUpdate: 'session_message', messageId: 'm', content: [content] });
    script.update('s-1', { sessionUpdate: 'session_message_chunk', messageId: 'm', content });
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: '' });
    expect(seen.map(([{ kind, raw }]) => [kind, (raw as { messageId: string }).messageId])).toEqual([
      ['info', 'm'],
      ['info', 'm'],
    ]);
  });
});
