import { BadArgument } from '../src/rpc/badArgument.js';
import { KEPT_ANSWERS, TicketDesk } from '../src/rpc/tickets.js';
import { settle } from './support/manualClock.js';
import { rpcBench, type RpcBench } from './support/rpcBench.js';

function bench(): RpcBench & { desk: TicketDesk } {
  const rpc = rpcBench();
  return { ...rpc, desk: new TicketDesk(rpc.connection) };
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
    const wait = when === 'before' ? desk.wait(ticket) : undefined;
    agent({ id: 1, error: { code: -32_601, message: 'm' } });
    await settle();
    const answer = { kind: 'error', code: -32_601, message: 'm', data: undefined };
    expect(await (wait ?? desk.wait(ticket))).toEqual(answer);
  });

  it('gives its answer once', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const wait = desk.wait(ticket);
    agent({ id: 1, result: null });
    expect(await wait).toEqual({ kind: 'result', result: null });
    expect(await desk.wait(ticket)).toEqual({ kind: 'spent' });
    expect(await desk.wait(ticket)).toEqual({ kind: 'spent' });
  });

  it('is asked by one wait at a time; the other is the one refused', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const wait = desk.wait(ticket);
    expect(await desk.wait(ticket)).toEqual({ kind: 'taken' });
    agent({ id: 1, result: 1 });
    expect(await wait).toEqual({ kind: 'result', result: 1 });
  });

  it('is known to its own desk only', async () => {
    const { desk } = bench();
    const { ticket } = bench().desk.send('m', {});
    expect(await desk.wait(ticket)).toEqual({ kind: 'foreign' });
    expect(await desk.wait({ id: 1 })).toEqual({ kind: 'foreign' });
  });

  it('is independent of the others, whatever the order of answers', async () => {
    const { desk, agent } = bench();
    const tickets = [1, 2, 3].map(() => desk.send('m', {}).ticket);
    const waits = tickets.map((ticket) => desk.wait(ticket));
    agent({ id: 3, result: 'c' }, { id: 1, result: 'a' }, { id: 2, result: 'b' });
    expect(await Promise.all(waits)).toMatchObject([{ result: 'a' }, { result: 'b' }, { result: 'c' }]);
  });
});

describe('a wait that is given up', () => {
  it('rejects with the reason, and leaves id and answer to the next one', async () => {
    const { desk, agent, stats } = bench();
    const { ticket } = desk.send('m', {});
    const controller = new AbortController();
    const wait = desk.wait(ticket, controller.signal);
    controller.abort('enough');
    await expect(wait).rejects.toBe('enough');
    const next = desk.wait(ticket);
    agent({ id: 1, result: 1 });
    expect(await next).toEqual({ kind: 'result', result: 1 });
    expect(stats.strayResponses).toBe(0);
  });

  it('leaves an answer that comes between two waits to the second', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    const controller = new AbortController();
    const wait = desk.wait(ticket, controller.signal);
    controller.abort();
    await expect(wait).rejects.toBe(controller.signal.reason);
    agent({ id: 1, result: 1 });
    await settle();
    expect(await desk.wait(ticket)).toEqual({ kind: 'result', result: 1 });
    expect(await desk.wait(ticket)).toEqual({ kind: 'spent' });
  });

  it('before it began does not take the answer', async () => {
    const { desk, agent } = bench();
    const { ticket } = desk.send('m', {});
    agent({ id: 1, result: 1 });
    await settle();
    await expect(desk.wait(ticket, AbortSignal.abort('late'))).rejects.toBe('late');
    expect(await desk.wait(ticket)).toEqual({ kind: 'result', result: 1 });
  });

  it.each(Array.from({ length: 16 }, (_, i) => i))(
    '%i microtasks into the answer loses nothing',
    async (microtasks) => {
      const { desk, agent } = bench();
      const { ticket } = desk.send('m', {});
      const controller = new AbortController();
      const wait = desk.wait(ticket, controller.signal).catch(() => undefined);
      await settle();
      agent({ id: 1, result: 1 });
      for (let i = 0; i < microtasks; i++) await Promise.resolve();
      controller.abort('enough');
      const first = await wait;
      await settle();
      expect(await desk.wait(ticket)).toEqual(first === undefined ? { kind: 'result', result: 1 } : { kind: 'spent' });
    },
  );
});

describe('answers that nobody waited for', () => {
  it('are kept up to a number, then the oldest are dropped', async () => {
    const { desk, agent } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    agent(...tickets.map(({ id }) => ({ id, result: id })));
    await settle();
    const answers = await Promise.all([0, 1, 2, KEPT_ANSWERS + 1].map((i) => desk.wait(tickets[i]!)));
    expect(answers).toEqual([
      { kind: 'spent' },
      { kind: 'spent' },
      { kind: 'result', result: 3 },
      { kind: 'result', result: KEPT_ANSWERS + 2 },
    ]);
  });

  it('do not push out one that a wait is about to be given', async () => {
    const { desk, agent } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    const wait = desk.wait(tickets[0]!);
    agent(...tickets.map(({ id }) => ({ id, result: id })));
    expect(await wait).toEqual({ kind: 'result', result: 1 });
  });
});

describe('the end of the connection', () => {
  it('is the answer to every ticket that is open, once', async () => {
    const { desk, source } = bench();
    const tickets = Array.from({ length: KEPT_ANSWERS + 2 }, () => desk.send('m', {}).ticket);
    const wait = desk.wait(tickets[1]!);
    source.end();
    expect(await wait).toEqual({ kind: 'closed' });
    expect(await desk.wait(tickets[0]!)).toEqual({ kind: 'closed' });
    expect(await desk.wait(tickets[0]!)).toEqual({ kind: 'spent' });
    expect(await desk.wait(tickets.at(-1)!)).toEqual({ kind: 'closed' });
  });

  it('leaves a kept answer to be fetched', async () => {
    const { desk, source, agent } = bench();
    const { ticket } = desk.send('m', {});
    agent({ id: 1, result: 1 });
    source.end();
    await settle();
    expect(await desk.wait(ticket)).toEqual({ kind: 'result', result: 1 });
  });
});
