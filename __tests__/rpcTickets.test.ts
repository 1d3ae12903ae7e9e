import { BadArgument } from '../src/rpc/badArgument.js';
import type { Answer } from '../src/rpc/messages.js';
import { KEPT_ANSWERS, TicketDesk, type Refusal, type Ticket } from '../src/rpc/tickets.js';
import { settle } from './support/manualClock.js';
import { rpcBench, type RpcBench } from './support/rpcBench.js';

function bench(): RpcBench & { desk: TicketDesk } {
  const rpc = rpcBench();
  return { ...rpc, desk: new TicketDesk(rpc.connection) };
}

/** As whoever embeds it waits: for the answer, or the refusal, until the signal gives it up. */
function wait(desk: TicketDesk, ticket: Ticket, signal?: AbortSignal): Promise<Answer | Refusal> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const leave = desk.wait(ticket, resolve);
    if (typeof leave === 'string') return resolve(leave);
    signal?.addEventListener('abort', () => {
      leave();
      reject(signal.reason as Error);
    });
  });
}

describe('a ticket', () => {
  it('is for a request that is sent at once', async () => {
    const { desk, sink } = bench();
    const { ticket, sent } = desk.send('_x/y', { a: 1 });
    expect(ticket).toEqual({ id: 1 });
    expect(await sent).toBe(true);
    expect(sink.messages()).toEqual([{ jsonrpc: '2.0', id: 1, method: '_x/y', params: { a: 1 } }]);
  });

  it('is not issued for what has no JSON form', () => {
    expect(() => bench().desk.send('m', { n: 1n })).toThrow(BadArgument);
  });

  it.each(['before', 'after'])('gives its answer when the wait began %s it came', async (when) => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const waiting = when === 'before' ? wait(desk, ticket) : undefined;
    agent({ id: 1, error: { code: -32_601, message: 'm' } });
    await settle();
    const answer = { kind: 'error', code: -32_601, message: 'm', data: undefined };
    expect(await (waiting ?? wait(desk, ticket))).toEqual(answer);
  });

  it('gives its answer once', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const waiting = wait(desk, ticket);
    agent({ id: 1, result: null });
    expect(await waiting).toEqual({ kind: 'result', result: null });
    expect(await wait(desk, ticket)).toEqual('spent');
    expect(await wait(desk, ticket)).toEqual('spent');
  });

  it('is asked by one wait at a time; the other is the one refused', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const waiting = wait(desk, ticket);
    expect(await wait(desk, ticket)).toEqual('taken');
    agent({ id: 1, result: 1 });
    expect(await waiting).toEqual({ kind: 'result', result: 1 });
  });

  it('is known to its own desk only', async () => {
    const { desk } = bench();
    const { ticket } = bench().desk.send('m', {});
    expect(await wait(desk, ticket)).toEqual('foreign');
    expect(await wait(desk, { id: 1 })).toEqual('foreign');
  });

  it('is independent of the others, whatever the order of answers', async () => {
    const { desk, agent } = bench();
    const tickets = [1, 2, 3].map(() => desk.send('m', {}).ticket);
    const waits = tickets.map((ticket) => wait(desk, ticket));
    agent({ id: 3, result: 'c' }, { id: 1, result: 'a' }, { id: 2, result: 'b' });
    expect(await Promise.all(waits)).toMatchObject([{ result: 'a' }, { result: 'b' }, { result: 'c' }]);
  });
});

describe('a wait that is given up', () => {
  it('rejects with the reason, and leaves id and answer to the next one', async () => {
    const { desk, agent, stats } = bench();
    const { ticket } = desk.send('m', {});
    const controller = new AbortController();
    const waiting = wait(desk, ticket, controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    const next = wait(desk, ticket);
    agent({ id: 1, result: 1 });
    expect(await next).toEqual({ kind: 'result', result: 1 });
    expect(stats.strayResponses).toBe(0);
  });

  it('leaves an answer that comes between two waits to the second', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const controller = new AbortController();
    const waiting = wait(desk, ticket, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toBe(controller.signal.reason);
    agent({ id: 1, result: 1 });
    await settle();
    expect(await wait(desk, ticket)).toEqual({ kind: 'result', result: 1 });
    expect(await wait(desk, ticket)).toEqual('spent');
  });
});

describe('answers that nobody waited for', () => {
  it('are kept up to a number, then the oldest are dropped', async () => {
    const { desk, agent } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    agent(...tickets.map(({ id }) => ({ id, result: id })));
    await settle();
    const answers = await Promise.all([0, 1, 2, KEPT_ANSWERS + 1].map((i) => wait(desk, tickets[i]!)));
    expect(answers).toEqual([
      'spent',
      'spent',
      { kind: 'result', result: 3 },
      { kind: 'result', result: KEPT_ANSWERS + 2 },
    ]);
  });

  it('do not push out one that a wait is about to be given', async () => {
    const { desk, agent } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    const waiting = wait(desk, tickets[0]!);
    agent(...tickets.map(({ id }) => ({ id, result: id })));
    expect(await waiting).toEqual({ kind: 'result', result: 1 });
  });
});

describe('the end of the connection', () => {
  it('is the answer to every ticket that is open, once', async () => {
    const { desk, source } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    const waiting = wait(desk, tickets[1]!);
    source.end();
    expect(await waiting).toEqual({ kind: 'closed' });
    expect(await wait(desk, tickets[0]!)).toEqual({ kind: 'closed' });
    expect(await wait(desk, tickets[0]!)).toEqual('spent');
    expect(await wait(desk, tickets.at(-1)!)).toEqual({ kind: 'closed' });
  });

  it('leaves a kept answer to be fetched', async () => {
    const { desk, source, agent } = bench();
    const { ticket } = desk.send('m', {});
    agent({ id: 1, result: 1 });
    source.end();
    await settle();
    expect(await wait(desk, ticket)).toEqual({ kind: 'result', result: 1 });
  });
});
