/** Rule 24 of the settled semantics: listeners, the turn's one reader, and what holds the pipe. */
import { describe, expect, it } from '@jest/globals';
import type { Update } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, opened } from './support/scriptedAgent.js';

const big = 'x'.repeat(300 * 1024);
const textOf = (update: Update): string => (update.kind === 'text' ? update.text : update.kind);

describe('a reader', () => {
  it('gets every update in order, after the listeners', async () => {
    const order: string[] = [];
    const world = await connected();
    world.agent.on('update', (update) => void order.push(`first ${textOf(update)}`));
    world.agent.on('update', (update) => void order.push(`second ${textOf(update)}`));
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'a');
    world.script.chunk('s-1', 'b');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    for await (const update of turn) order.push(`reader ${textOf(update)}`);
    expect(order.filter((line) => line.endsWith(' a'))).toEqual(['first a', 'second a', 'reader a']);
    expect(order.filter((line) => line.startsWith('reader'))).toEqual(['reader a', 'reader b']);
  });

  it('that is slow holds the pipe, for all sessions, and lets go when it reads on', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    const reader = turn[Symbol.asyncIterator]();
    await settle();
    for (let i = 0; i < 10; i += 1) world.script.chunk('s-1', big);
    await settle();
    expect(world.script.pipe.waiting).toBeGreaterThan(0);
    const held = world.script.pipe.waiting;
    world.script.send({ method: '_other' });
    await settle();
    expect(world.script.pipe.waiting).toBe(held + 1);
    let read = 0;
    while (read < 10) {
      expect((await reader.next()).done).toBe(false);
      read += 1;
    }
    await settle();
    expect(world.script.pipe.waiting).toBe(0);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ updates: 10, unread: 0 });
  });

  it('holds nothing after a cancel: what does not fit is missing for it alone, and in unread', async () => {
    const seen: number[] = [];
    const world = await connected({ on: { update: () => void seen.push(1) } });
    const session = await opened(world);
    const turn = session.prompt('go');
    const reader = turn[Symbol.asyncIterator]();
    await settle();
    for (let i = 0; i < 10; i += 1) world.script.chunk('s-1', big);
    await settle();
    await turn.cancel();
    await settle();
    expect(world.script.pipe.waiting).toBe(0);
    world.script.reply('session/prompt', { stopReason: 'cancelled' });
    const result = await turn.result;
    expect(seen).toHaveLength(10);
    expect(result.updates).toBe(10);
    expect(result.unread).toBe(6);
    expect(result.text).toHaveLength(10 * big.length);
    let read = 0;
    while (!(await reader.next()).done) read += 1;
    expect(read + result.unread).toBe(10);
  });

  it('holds it at most until the absolute bound', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: 1_000, absoluteMs: 5_000 } });
    turn[Symbol.asyncIterator]();
    await settle();
    for (let i = 0; i < 10; i += 1) world.script.chunk('s-1', big);
    await world.clock.run(4_999);
    expect(session.state).toBe('running');
    await world.clock.run(1);
    await expect(turn.result).rejects.toMatchObject({ kind: 'absolute' });
    await settle();
    expect(world.script.pipe.waiting).toBe(0);
  });

  it('that breaks stops reading, not the turn', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'a');
    world.script.chunk('s-1', 'b');
    for await (const update of turn) {
      expect(textOf(update)).toBe('a');
      break;
    }
    expect(session.state).toBe('running');
    world.script.chunk('s-1', 'c');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'abc', updates: 3, unread: 2 });
  });

  it('that begins late gets what waited, or illegal-transition if that was over 1 MiB', async () => {
    const world = await connected();
    const session = await opened(world);
    const small = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'kept');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(small.result).resolves.toMatchObject({ unread: 1 });
    const late: string[] = [];
    for await (const update of small) late.push(textOf(update));
    expect(late).toEqual(['kept']);

    const large = session.prompt('go');
    await settle();
    for (let i = 0; i < 10; i += 1) world.script.chunk('s-1', big);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(large.result).resolves.toMatchObject({ updates: 10, unread: 10 });
    const reading = (async () => {
      for await (const update of large) expect(update).toBeUndefined();
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'illegal-transition' });
  });

  it('is one: a second is refused', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    turn[Symbol.asyncIterator]();
    expect(() => turn[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ kind: 'illegal-transition' }));
  });

  it('is thrown the failure of the turn, after what was heard before', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'a');
    world.script.refuse('session/prompt', -32603);
    const read: string[] = [];
    await expect(
      (async () => {
        for await (const update of turn) read.push(textOf(update));
      })(),
    ).rejects.toMatchObject({ kind: 'agent-error' });
    expect(read).toEqual(['a']);
  });

  it('costs nobody else anything: nobody reading holds nothing', async () => {
    const world = await connected();
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    for (let i = 0; i < 20; i += 1) world.script.chunk('s-1', big);
    await settle();
    expect(world.script.pipe.waiting).toBe(0);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
  });
});

describe('an asynchronous listener', () => {
  it('holds the pipe and the result, at most for its limit; then it is counted and waited for no more', async () => {
    const world = await connected({ listenerLimitMs: 3_000, on: { update: () => new Promise<void>(() => {}) } });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'a');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await world.clock.run(2_999);
    expect(session.state).toBe('running');
    await world.clock.run(1);
    await expect(turn.result).resolves.toMatchObject({ text: 'a' });
    expect(world.agent.stats.slowListeners).toBe(1);
  });

  it('does not keep a cancel, a permission or a bound from working', async () => {
    const world = await connected({ on: { update: () => new Promise<void>(() => {}) } });
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { absoluteMs: 1_000 } });
    await settle();
    world.script.chunk('s-1', 'a');
    await settle();
    await turn.cancel();
    expect(world.script.requests('session/cancel')).toHaveLength(1);
    await world.clock.run(1_000);
    await world.clock.run(29_000);
    await expect(turn.result).rejects.toMatchObject({ kind: 'absolute' });
  });

  it('that throws is counted, and neither breaks the reader nor the others', async () => {
    const seen: string[] = [];
    const world = await connected();
    world.agent.on('update', () => {
      throw new Error('mine');
    });
    world.agent.on('update', () => Promise.reject(new Error('mine too')));
    world.agent.on('update', (update) => void seen.push(textOf(update)));
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.chunk('s-1', 'a');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ text: 'a' });
    expect(seen).toEqual(['a']);
    expect(world.agent.stats.listenerErrors).toBe(2);
  });

  it('is ended by the function that on gave back', async () => {
    const seen: string[] = [];
    const world = await connected();
    const off = world.agent.on('update', (update) => void seen.push(textOf(update)));
    await opened(world);
    world.script.chunk('s-1', 'a');
    await settle();
    off();
    world.script.chunk('s-1', 'b');
    await settle();
    expect(seen).toEqual(['a']);
  });
});

describe('subscribers', () => {
  it('are told of each change of state, and a throwing one harms nobody', async () => {
    const world = await connected();
    const session = await opened(world);
    const states: string[] = [];
    session.subscribe(() => {
      throw new Error('mine');
    });
    session.subscribe(() => void states.push(session.state));
    const turn = session.prompt('go');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await settle();
    expect(states).toContain('running');
    expect(states.at(-1)).toBe('idle');
  });
});
