/** Rules 7, 15 and 23 of the settled semantics: nothing is approved by accident, and every request is answered once. */
import { describe, expect, it } from '@jest/globals';
import { policy, type AskFn, type ConnectOptions, type PermissionRequest } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, opened, type World } from './support/scriptedAgent.js';

async function running(options: Partial<ConnectOptions>): Promise<World & { end(): Promise<unknown> }> {
  const world = await connected(options);
  const session = await opened(world);
  const turn = session.prompt('go');
  await settle();
  return {
    ...world,
    end: () => {
      world.script.reply('session/prompt', { stopReason: 'end_turn' });
      return turn.result;
    },
  };
}
const outcome = (world: World, id: number | string): unknown =>
  world.script.answers(id).map((frame) => (frame.result as { outcome: unknown } | undefined)?.outcome);
const CANCELLED = [{ outcome: 'cancelled' }];

describe('without a policy', () => {
  it('every permission is answered cancelled, once, with its id in its own type', async () => {
    const world = await running({});
    world.script.ask(3, 's-1');
    world.script.ask('3', 's-1');
    await settle();
    expect(outcome(world, 3)).toEqual(CANCELLED);
    expect(outcome(world, '3')).toEqual(CANCELLED);
    await expect(world.end()).resolves.toMatchObject({ permissions: [{ policy: 'cancel', cause: 'policy' }, {}] });
  });
});

describe('policy.ask', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
      'threw',
    ],
    ['rejects', () => Promise.reject(new Error('mine')), 'threw'],
    ['names an option that was not offered', () => 'invented', 'not-offered'],
    ['gives what is no string', () => ({}) as never, 'not-offered'],
    ['says null', () => null, 'answer'],
  ] as [string, AskFn, string][])('answers cancelled when the function %s', async (_what, fn, cause) => {
    const world = await running({ permissions: policy.ask(fn) });
    world.script.ask(1, 's-1');
    await settle();
    expect(outcome(world, 1)).toEqual(CANCELLED);
    expect(world.agent.decisions).toMatchObject([{ outcome: 'cancelled', cause }]);
  });

  it('is given what was asked, and its answer is the one that is written', async () => {
    const asked: PermissionRequest[] = [];
    const world = await running({
      permissions: policy.ask((request) => {
        asked.push(request);
        return request.options[1]?.optionId;
      }),
    });
    world.script.ask(1, 's-1');
    await settle();
    expect(asked).toMatchObject([
      { requestId: 1, sessionId: 's-1', title: 'May I?', toolCall: { toolCallId: 't-1', kind: 'edit' } },
    ]);
    expect(outcome(world, 1)).toEqual([{ outcome: 'selected', optionId: 'o-1-reject_once' }]);
    expect(world.agent.decisions).toMatchObject([{ optionKind: 'reject_once', cause: 'answer' }]);
  });

  it('writes nothing more for a decision that comes after the cancel, and aborts its signal', async () => {
    let decide: (id: string) => void = () => {};
    let aborted = false;
    const world = await connected({
      permissions: policy.ask((_request, { signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise((resolve) => (decide = resolve));
      }),
    });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 's-1');
    await settle();
    await turn.cancel();
    await settle();
    expect(aborted).toBe(true);
    decide('o-0-allow_once');
    await settle();
    expect(outcome(world, 1)).toEqual(CANCELLED);
  });

  it('does not keep the reader from reading: other frames are handled while it decides', async () => {
    const world = await running({ permissions: policy.ask(() => new Promise(() => {})) });
    world.script.ask(1, 's-1');
    world.script.send({ id: 2, method: '_vendor/unknown' });
    await settle();
    expect(world.script.answers(2)).toMatchObject([{ error: { code: -32601 } }]);
    expect(world.script.answers(1)).toHaveLength(0);
  });

  it('is told that its word is not wanted when the agent withdraws the question', async () => {
    const world = await running({ permissions: policy.ask(() => new Promise(() => {})) });
    world.script.ask('1', 's-1');
    world.script.ask(1, 's-1');
    await settle();
    world.script.send({ method: '$/cancel_request', params: { requestId: '1' } });
    await settle();
    expect(outcome(world, '1')).toEqual(CANCELLED);
    expect(world.script.answers(1)).toHaveLength(0);
    expect(world.agent.decisions).toMatchObject([{ requestId: '1', cause: 'withdrawn' }]);
  });
});

describe('policies that approve alone', () => {
  it.each([
    [['allow_always', 'allow_once', 'reject_once'], 'o-1-allow_once'],
    [['allow_once', 'allow_once'], undefined],
    [['allow_always'], undefined],
    [['reject_once'], undefined],
    [['allow_persistent'], undefined],
    [[], undefined],
  ])('unattended, offered %j, chooses %s', async (kinds, optionId) => {
    const recorded: unknown[] = [];
    const world = await running({
      permissions: policy.unattended({ select: 'allow_once', record: (decision) => void recorded.push(decision) }),
    });
    world.script.ask(1, 's-1', kinds);
    await settle();
    expect(outcome(world, 1)).toEqual(optionId ? [{ outcome: 'selected', optionId }] : CANCELLED);
    expect(recorded).toEqual(world.agent.decisions);
  });

  it('byKind asks where request and announcement claim different kinds, and answers cancelled with nobody to ask', async () => {
    const world = await running({ permissions: policy.byKind({ edit: 'allow_once', read: 'allow_once' }) });
    world.script.update('s-1', { sessionUpdate: 'tool_call', toolCallId: 't-1', title: 'A', kind: 'execute' });
    world.script.ask(1, 's-1');
    world.script.ask(2, 's-1');
    await settle();
    expect(outcome(world, 1)).toEqual(CANCELLED);
    expect(outcome(world, 2)).toEqual([{ outcome: 'selected', optionId: 'o-0-allow_once' }]);
  });
});

describe('requests that nobody serves', () => {
  it.each([
    'fs/read_text_file',
    'fs/write_text_file',
    'terminal/create',
    'elicitation/create',
    '_vendor/x',
    '__proto__',
    'constructor',
  ])('%s is refused with -32601, also by an agent that was told so', async (method) => {
    const world = await running({ handlers: { requests: {} } });
    world.script.send({ id: 'q', method, params: { sessionId: 's-1' } });
    await settle();
    expect(world.script.answers('q')).toMatchObject([{ error: { code: -32601 } }]);
    await world.end();
  });

  it('parameters that cannot be read are refused with -32602', async () => {
    const world = await running({});
    world.script.send({ id: 1, method: 'session/request_permission', params: 'x' });
    await settle();
    expect(world.script.answers(1)).toMatchObject([{ error: { code: -32602 } }]);
  });

  it('a tool call first heard of in a permission request is in the result', async () => {
    const world = await running({});
    world.script.ask(1, 's-1');
    await settle();
    world.script.update('s-1', { sessionUpdate: 'tool_call_update', toolCallId: 't-1', status: 'completed' });
    await expect(world.end()).resolves.toMatchObject({
      toolCalls: [{ toolCallId: 't-1', title: 'May I?', kind: 'edit', status: 'completed' }],
    });
  });
});

describe('what the agent says', () => {
  it('is in no error: not in its message, its string or its JSON form', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.refuse('session/prompt', -32603, { secret: 'agent data' });
    const error: unknown = await turn.result.catch((e: unknown) => e);
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/agent (text|data)|object Object/);
    expect(Object.keys(error as object)).not.toContain('turn');
  });

  it('is on the error, not enumerable, where it was asked for', async () => {
    const world = await connected({ exposeAgentText: true });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.refuse('session/prompt', -32603, { secret: 1 });
    const error = (await turn.result.catch((e: unknown) => e)) as { agentText: unknown };
    expect(error.agentText).toEqual({ message: 'agent text', data: { secret: 1 }, stderr: '' });
    expect(JSON.stringify(error)).not.toContain('agent text');
  });
});
