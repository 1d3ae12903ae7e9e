/** Rules 11 to 15 of the settled semantics, over an in-memory agent: turns, cancellation, late traffic. */
import { describe, expect, it } from '@jest/globals';
import type { AcpError } from '../src/index.js';
import { policy, type Turn } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const failure = (turn: Turn): Promise<AcpError> =>
  turn.result.then(
    () => {
      throw new Error('the turn did not fail');
    },
    (error: unknown) => error as AcpError,
  );

async function prompting(
  world: World,
  id = 's-1',
): Promise<{ turn: Turn; session: Awaited<ReturnType<typeof opened>> }> {
  const session = await opened(world, id);
  const turn = session.prompt('go');
  await settle();
  return { turn, session };
}

describe('a turn that hits a bound', () => {
  it('tells the caller at once, sends session/cancel, and keeps the session draining until the answer comes', async () => {
    const world = await connected({ turnBudget: { idleMs: 1_000, absoluteMs: 60_000 } });
    const { turn, session } = await prompting(world);
    await world.clock.run(1_000);
    const error = await failure(turn);
    expect(error).toMatchObject({
      kind: 'idle',
      phase: 'turn',
      sessionId: 's-1',
      budget: { bound: 'idle', idleMs: 1_000 },
    });
    expect(world.script.requests('session/cancel')).toHaveLength(1);
    expect(session.state).toBe('draining');
    await expect(session.prompt('again').result).rejects.toMatchObject({ kind: 'busy', state: 'draining' });
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    await settle();
    expect(session.state).toBe('idle');
    expect(world.agent.stats.strayResponses).toBe(0);
  });

  it('closes the connection as cancel-unconfirmed when the grace ends without the answer', async () => {
    const world = await connected({ turnBudget: { idleMs: 1_000 }, cancelGraceMs: 500 });
    const { turn } = await prompting(world);
    await world.clock.run(1_000);
    await failure(turn);
    await world.clock.run(500);
    expect(world.agent.state).toMatch(/clos/);
    expect(world.agent.closeReason).toBe('cancel-unconfirmed');
  });

  it('does not restart the grace when it fires during a cancel', async () => {
    const world = await connected({ cancelGraceMs: 1_000, turnBudget: { idleMs: 600 } });
    const { turn } = await prompting(world);
    await turn.cancel();
    await world.clock.run(600);
    expect(await failure(turn)).toMatchObject({ kind: 'idle', turn: { cancelRequested: true } });
    await world.clock.run(399);
    expect(world.agent.state).toBe('ready');
    await world.clock.run(1);
    expect(world.agent.closeReason).toBe('cancel-unconfirmed');
    expect(world.script.requests('session/cancel')).toHaveLength(1);
  });
});

describe('one turn at a time', () => {
  it('refuses a second prompt as busy and sends nothing for it', async () => {
    const world = await connected();
    const { session, turn } = await prompting(world);
    const second = session.prompt('too early');
    expect(await failure(second)).toMatchObject({ kind: 'busy', state: 'running' });
    expect(await second.sent).toBe(false);
    expect(world.script.requests('session/prompt')).toHaveLength(1);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
  });

  it('sends queued prompts first in, first out, each when the session is free', async () => {
    const world = await connected();
    const { session, turn } = await prompting(world);
    const second = session.prompt('second', { queue: true });
    const third = session.prompt('third', { queue: true });
    await settle();
    expect(world.script.requests('session/prompt')).toHaveLength(1);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(world.script.last('session/prompt').params).toMatchObject({ prompt: [{ text: 'second' }] });
    // A failed turn ahead does not take the next one with it.
    world.script.refuse('session/prompt', -32603);
    expect(await failure(second)).toMatchObject({ kind: 'agent-error', agentCode: -32603 });
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(third.result).resolves.toMatchObject({ outcome: 'completed' });
  });

  it('takes a queued prompt out on cancel, with nothing sent', async () => {
    const world = await connected();
    const { session } = await prompting(world);
    const queued = session.prompt('second', { queue: true });
    await queued.cancel();
    await expect(queued.result).resolves.toMatchObject({ outcome: 'cancelled', cancelRequested: true, updates: 0 });
    expect(await queued.sent).toBe(false);
    expect(world.script.requests('session/cancel')).toHaveLength(0);
  });

  it('rejects a queued prompt when the session is lost', async () => {
    const world = await connected();
    const { session, turn } = await prompting(world);
    const queued = session.prompt('second', { queue: true });
    world.script.pipe.end();
    await settle();
    expect(await failure(turn)).toMatchObject({ kind: 'agent-exited' });
    expect(await failure(queued)).toMatchObject({ kind: 'closed', reason: 'agent-exited' });
  });
});

describe('cancelling', () => {
  it('writes one session/cancel, then answers every open permission, and delivers what still comes', async () => {
    const world = await connected({ permissions: policy.ask(() => new Promise(() => {})) });
    const { turn } = await prompting(world);
    world.script.ask(7, 's-1');
    world.script.ask('x', 's-1');
    await settle();
    await turn.cancel();
    await turn.cancel();
    await settle();
    const written = world.script.received.slice(3).map((frame) => frame.method ?? frame.id);
    expect(written).toEqual(['session/cancel', 7, 'x']);
    expect(world.script.answers(7)[0]?.result).toEqual({ outcome: { outcome: 'cancelled' } });
    world.script.ask(8, 's-1');
    world.script.chunk('s-1', 'last words');
    await settle();
    expect(world.script.answers(8)).toHaveLength(1);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({
      outcome: 'completed',
      stopReason: 'end_turn',
      text: 'last words',
      cancelRequested: true,
      permissions: [{ cause: 'cancel' }, { cause: 'cancel' }, { cause: 'cancel' }],
    });
  });

  it('marks tool calls that have not ended as cancelled', async () => {
    const world = await connected();
    const { turn } = await prompting(world);
    world.script.update('s-1', { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'A', status: 'in_progress' });
    world.script.update('s-1', { sessionUpdate: 'tool_call', toolCallId: 'b', title: 'B', status: 'completed' });
    await settle();
    await turn.cancel();
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    const { toolCalls } = await turn.result;
    expect(toolCalls.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
  });

  it('takes a prompt error after a cancel for its confirmation', async () => {
    const world = await connected();
    const { turn, session } = await prompting(world);
    await turn.cancel();
    world.script.refuse('session/prompt', -32603);
    await expect(turn.result).resolves.toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(session.state).toBe('idle');
  });

  it('fails the turn and closes the connection when nothing confirms it within the grace', async () => {
    const world = await connected({ cancelGraceMs: 2_000 });
    const { turn } = await prompting(world);
    await turn.cancel();
    await world.clock.run(2_000);
    expect(await failure(turn)).toMatchObject({ kind: 'cancel-unconfirmed', turn: { cancelRequested: true } });
    expect((await world.agent.closed).reason).toBe('cancel-unconfirmed');
  });

  it('sends nothing and succeeds with no turn, or after its end', async () => {
    const world = await connected();
    const { turn } = await prompting(world);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await turn.cancel();
    expect(world.script.requests('session/cancel')).toHaveLength(0);
  });

  it('leaves the pipe after the prompt when both were called in one breath', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await turn.cancel();
    expect(await turn.sent).toBe(true);
    expect(world.script.received.slice(-2).map(({ method }) => method)).toEqual(['session/prompt', 'session/cancel']);
  });

  it('is what an aborted signal on a prompt means', async () => {
    const world = await connected();
    const session = await opened(world);
    const controller = new AbortController();
    const turn = session.prompt('go', { signal: controller.signal });
    await settle();
    controller.abort();
    await settle();
    expect(world.script.requests('session/cancel')).toHaveLength(1);
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'cancelled', cancelRequested: true });
    const never = session.prompt('go', { signal: controller.signal });
    await expect(never.result).resolves.toMatchObject({ outcome: 'cancelled' });
    expect(world.script.requests('session/prompt')).toHaveLength(1);
  });

  it('waits for no confirmation when the agent is closed: turns reject as closed, and no session/close is sent', async () => {
    const world = await connected();
    const { turn, session } = await prompting(world);
    await world.agent.close();
    expect(await failure(turn)).toMatchObject({ kind: 'closed' });
    expect(world.script.requests('session/close')).toHaveLength(0);
    expect(session.state).toBe('closed');
    expect(world.clock.pending()).toBe(0);
  });
});

describe('the end of a turn', () => {
  it.each([
    ['end_turn', 'completed'],
    ['max_tokens', 'limit'],
    ['max_turn_requests', 'limit'],
    ['refusal', 'refused'],
    ['cancelled', 'cancelled'],
    ['_vendor', 'other'],
  ])('in v1 is the answer; %s means %s', async (stopReason, outcome) => {
    const world = await connected();
    const { turn } = await prompting(world);
    world.script.reply('session/prompt', { stopReason });
    await expect(turn.result).resolves.toMatchObject({ outcome, stopReason });
  });

  it('in v1 without a stop reason is a protocol failure that keeps the text', async () => {
    const world = await connected();
    const { turn, session } = await prompting(world);
    world.script.chunk('s-1', 'part');
    world.script.reply('session/prompt', {});
    expect(await failure(turn)).toMatchObject({ kind: 'protocol', turn: { text: 'part' } });
    expect(session.state).toBe('idle');
  });

  describe('in v2', () => {
    const v2 = (): Promise<World> => connected({}, INITIALIZED[2]);

    it('is the first idle after running, not the acknowledgement', async () => {
      const world = await v2();
      const { turn, session } = await prompting(world);
      world.script.reply('session/prompt', { messageId: 'm' });
      world.script.state('s-1', 'running');
      world.script.chunk('s-1', 'hi');
      await settle();
      expect(session.state).toBe('running');
      world.script.state('s-1', 'idle', 'end_turn');
      await expect(turn.result).resolves.toMatchObject({ outcome: 'completed', text: 'hi' });
    });

    it('is no idle seen before the prompt was accepted or work was seen: that is a stale snapshot', async () => {
      const world = await v2();
      const { turn, session } = await prompting(world);
      world.script.state('s-1', 'idle', 'end_turn');
      await settle();
      expect(session.state).toBe('running');
      world.script.reply('session/prompt', {});
      world.script.state('s-1', 'idle');
      await expect(turn.result).resolves.toMatchObject({ outcome: 'other', stopReason: undefined });
    });

    it('is no unknown state: the agent is busy then', async () => {
      const world = await v2();
      const { turn } = await prompting(world);
      world.script.state('s-1', 'thinking_hard');
      world.script.state('s-1', 'idle', 'refusal');
      await expect(turn.result).resolves.toMatchObject({ outcome: 'refused' });
      world.script.reply('session/prompt', {});
      await settle();
      expect(world.agent.stats.strayResponses).toBe(0);
    });

    it('is a failure where the stop reason is error, with the code', async () => {
      const world = await v2();
      const { turn } = await prompting(world);
      world.script.state('s-1', 'running');
      world.script.update('s-1', {
        sessionUpdate: 'state_update',
        state: 'idle',
        stopReason: 'error',
        error: { code: -32099, message: 'm' },
      });
      expect(await failure(turn)).toMatchObject({ kind: 'agent-error', agentCode: -32099 });
    });

    it('is also a result that carries a stop reason, from agents that say v2 and speak v1', async () => {
      const world = await v2();
      const { turn } = await prompting(world);
      world.script.reply('session/prompt', { stopReason: 'end_turn' });
      await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
    });

    it('confirms a cancel by an idle with a stop reason even if no work was seen', async () => {
      const world = await v2();
      const { turn } = await prompting(world);
      await turn.cancel();
      world.script.state('s-1', 'idle', 'cancelled');
      await expect(turn.result).resolves.toMatchObject({ outcome: 'cancelled' });
    });

    it('makes the session background while the agent works without a prompt', async () => {
      const world = await v2();
      const session = await opened(world);
      world.script.state('s-1', 'running');
      await settle();
      expect(session.state).toBe('background');
      expect(await failure(session.prompt('x'))).toMatchObject({ kind: 'busy', state: 'background' });
      const queued = session.prompt('later', { queue: true });
      world.script.state('s-1', 'idle');
      await settle();
      expect(await queued.sent).toBe(true);
    });
  });
});

describe('late traffic', () => {
  it('belongs to the session, is counted, and is in no later turn', async () => {
    const world = await connected();
    const seen: string[] = [];
    world.agent.on('update', (_update, where) => void seen.push(where.phase));
    const { turn, session } = await prompting(world);
    world.script.chunk('s-1', 'a');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    world.script.chunk('s-1', 'late');
    await settle();
    const next = session.prompt('more');
    await settle();
    world.script.chunk('s-1', 'b');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(next.result).resolves.toMatchObject({ text: 'b', updates: 1 });
    expect(seen).toEqual(['turn', 'between', 'turn']);
    expect(world.agent.stats.lateUpdates).toBe(1);
  });

  it('ends a permission with its turn, and leaves one asked outside open', async () => {
    const world = await connected({ permissions: policy.ask(() => new Promise(() => {})) });
    const session = await opened(world);
    world.script.ask(1, 's-1');
    await settle();
    const turn = session.prompt('go');
    await settle();
    world.script.ask(2, 's-1');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(world.script.answers(1)).toHaveLength(0);
    expect(world.script.answers(2)).toHaveLength(1);
    await world.clock.run(60_000);
    expect(world.script.answers(1)).toHaveLength(1);
    expect(world.agent.decisions.map(({ cause }) => cause)).toEqual(['closed', 'bound']);
  });
});
