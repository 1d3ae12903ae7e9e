import { manualClock, settle } from './support/manualClock.js';
import { byteSource } from './support/byteStreams.js';
import { gate, rpcBench, type RpcBench } from './support/rpcBench.js';
import { FrameReader } from '../src/framing/frameReader.js';
import { Pump } from '../src/rpc/pump.js';

/** Has a drain resolved? */
function watch(drain: Promise<void>): { done: boolean } {
  const state = { done: false };
  void drain.then(() => (state.done = true));
  return state;
}

describe('a handler that returns a promise', () => {
  const kinds: [string, (bench: RpcBench) => void][] = [
    ['notification', (bench) => bench.agent({ method: 'hold' }, { method: 'next' })],
    ['request', (bench) => bench.agent({ id: 1, method: 'hold' }, { method: 'next' })],
    [
      'answer',
      (bench) => {
        bench.agent({ id: 1, result: 'hold' }, { method: 'next' });
      },
    ],
  ];

  function held(): { bench: RpcBench; hold: ReturnType<typeof gate>; seen: string[]; holds: boolean[] } {
    const hold = gate();
    const seen: string[] = [];
    const holds: boolean[] = [];
    const bench = rpcBench({
      onHold: (value) => void holds.push(value),
      handlers: {
        notification: (method) => {
          seen.push(method);
          return method === 'hold' ? hold.promise : undefined;
        },
        request: ({ method }) => {
          seen.push(method);
          return hold.promise;
        },
      },
    });
    bench.connection.request('ours', {}, (answer) => {
      if (answer.kind !== 'result') return;
      seen.push('hold');
      return hold.promise;
    });
    return { bench, hold, seen, holds };
  }

  it.each(kinds)('holds the pipe until it settles: %s', async (_, act) => {
    const { bench, hold, seen, holds } = held();
    act(bench);
    bench.agent({ method: 'another chunk' });
    await settle();
    expect([seen, holds, bench.connection.held]).toEqual([['hold'], [true], true]);
    expect(bench.source.calls).toEqual(['read']);
    hold.open();
    await settle();
    expect([seen, holds, bench.connection.held]).toEqual([['hold', 'next', 'another chunk'], [true, false], false]);
  });

  it('and rejects is counted, and the next frame comes', async () => {
    const { bench, hold, seen } = held();
    bench.agent({ method: 'hold' }, { method: 'next' });
    await settle();
    hold.break();
    await settle();
    expect(seen).toEqual(['hold', 'next']);
    expect(bench.stats.listenerErrors).toBe(1);
  });

  it('may be any thenable', async () => {
    const seen: string[] = [];
    const later = { then: (resolve: () => void) => queueMicrotask(resolve) } as unknown as Promise<void>;
    const bench = rpcBench({ handlers: { notification: (method) => (seen.push(method), later) } });
    bench.agent({ method: 'a' }, { method: 'b' });
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('does not keep us from closing, and nothing is delivered after', async () => {
    const { bench, hold, seen, holds } = held();
    bench.agent({ method: 'hold' }, { method: 'next' });
    await settle();
    await bench.connection.close();
    hold.open();
    await settle();
    expect([seen, holds]).toEqual([['hold'], [true, false]]);
  });

  it('does not keep us from writing', async () => {
    const { bench } = held();
    bench.agent({ method: 'hold' });
    await settle();
    expect(await bench.connection.notify('session/cancel', {})).toBe(true);
  });

  it('makes its frame as late as the moment it came, and the next as late as the release', async () => {
    const { bench, hold } = held();
    bench.clock.advance(100);
    bench.agent({ method: 'hold' }, { method: 'next' });
    await settle();
    bench.clock.advance(5_000);
    expect(bench.connection.lastFrameAt).toBe(1_100);
    hold.open();
    await settle();
    expect(bench.connection.lastFrameAt).toBe(6_100);
  });
});

describe('a handler that returns nothing', () => {
  it('takes all frames of a chunk in one go', async () => {
    const order: string[] = [];
    const bench = rpcBench({
      handlers: {
        notification: (method) => {
          order.push(method);
          queueMicrotask(() => order.push('elsewhere'));
        },
      },
    });
    bench.agent({ method: 'a' }, { method: 'b' }, { method: 'c' });
    await settle();
    expect(order).toEqual(['a', 'b', 'c', 'elsewhere', 'elsewhere', 'elsewhere']);
  });

  it('is not mistaken for one that holds by what it happens to return', async () => {
    const seen: string[] = [];
    const holds: boolean[] = [];
    const returned = [0, '', null, { then: 'text' }, []];
    const bench = rpcBench({
      onHold: (held) => void holds.push(held),
      handlers: { notification: (method) => (seen.push(method), returned[seen.length - 1] as unknown as undefined) },
    });
    bench.agent(...returned.map((_, i) => ({ method: String(i) })));
    await settle();
    expect([seen, holds]).toEqual([['0', '1', '2', '3', '4'], []]);
  });
});

describe('a handler that throws', () => {
  const fail = (): never => {
    throw new Error('mine');
  };

  it('is counted and breaks nothing, whichever it is', async () => {
    const seen: unknown[] = [];
    const bench = rpcBench({
      onHold: fail,
      handlers: {
        notification: (method) =>
          method === 'hold' ? Promise.resolve() : method === 'bad' ? fail() : void seen.push(method),
        request: fail,
        skipped: fail,
        end: fail,
      },
    });
    bench.connection.request('a', {}, fail);
    bench.connection.request('b', {}, fail);
    bench.agent(
      { method: 'bad' },
      'noise',
      { type: 'bare' },
      { id: 1, method: 'r' },
      { id: 1, result: 0 },
      { method: 'hold' },
    );
    bench.agent({ method: 'good' });
    await settle();
    expect(seen).toEqual(['good']);
    bench.source.end();
    await settle();
    // notification, two skipped lines, request, answer, hold begun and over, closed answer, end
    expect(bench.stats.listenerErrors).toBe(9);
  });
});

describe('a flood without a pause', () => {
  it('lets timers and everything else have their turn', async () => {
    let reads = 0;
    const source = byteSource();
    source.getReader().read = () => {
      reads++;
      return Promise.resolve({ done: reads === 10_000, value: Buffer.from('noise\n') });
    };
    const reader = new FrameReader(source, { maxFrameBytes: 100 });
    const pump = new Pump({
      reader,
      clock: manualClock(),
      deliver: () => undefined,
      onHold: () => {},
      onEnd: () => {},
    });
    pump.start();
    await settle();
    await settle();
    expect(reads).toBeGreaterThan(60);
    expect(reads).toBeLessThan(1_000);
    pump.stop();
    await settle();
    const stopped = reads;
    await settle();
    await settle();
    expect(reads).toBe(stopped);
  });
});

describe('drain', () => {
  it('resolves once no byte came for the quiet time, and until then delivers', async () => {
    const { connection, agent, clock, log } = rpcBench();
    const drain = watch(connection.drain(50, 10_000));
    agent({ method: 'a' });
    await clock.run(40);
    agent('noise counts as bytes');
    await clock.run(40);
    expect(drain.done).toBe(false);
    await clock.run(10);
    expect(drain.done).toBe(true);
    expect(log).toHaveLength(2);
    expect(clock.pending()).toBe(0);
  });

  it('waits the quiet time from its call, however long it has been quiet', async () => {
    const { connection, clock } = rpcBench();
    await clock.run(5_000);
    const drain = watch(connection.drain(50, 10_000));
    await clock.run(49);
    expect(drain.done).toBe(false);
    await clock.run(1);
    expect(drain.done).toBe(true);
  });

  it('resolves at its bound while bytes keep coming', async () => {
    const { connection, agent, clock } = rpcBench();
    const drain = watch(connection.drain(50, 100));
    for (let i = 0; i < 3; i++) {
      await clock.run(30);
      agent('noise');
      await settle();
    }
    expect(drain.done).toBe(false);
    await clock.run(10);
    expect(drain.done).toBe(true);
  });

  it('may have no bound', async () => {
    const { connection, agent, clock } = rpcBench();
    const drain = watch(connection.drain(50, Infinity));
    for (let i = 0; i < 100; i++) {
      await clock.run(40);
      agent('noise');
      await settle();
    }
    expect(drain.done).toBe(false);
    await clock.run(50);
    expect(drain.done).toBe(true);
  });

  it('resolves at the end of the stream, after the last frame', async () => {
    const { connection, source, log, clock } = rpcBench();
    const seen = connection.drain(50, 10_000).then(() => log.length);
    source.push('{"method":"last"}');
    source.end();
    expect(await seen).toBe(2);
    expect(log[0]).toEqual(['last', undefined]);
    await settle();
    expect(clock.pending()).toBe(0);
    await connection.drain(50, 10_000);
  });

  it('resolves when we close', async () => {
    const { connection, clock } = rpcBench();
    const drain = watch(connection.drain(50, 10_000));
    void connection.close();
    await settle();
    expect(drain.done).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it('does not count the time in which a handler holds the pipe', async () => {
    const hold = gate();
    const { connection, agent, clock } = rpcBench({ handlers: { notification: () => hold.promise } });
    const drain = watch(connection.drain(50, 80));
    await clock.run(40);
    agent({ method: 'hold' });
    await clock.run(60_000);
    expect(drain.done).toBe(false);
    expect(clock.pending()).toBe(0);
    hold.open();
    await clock.run(39);
    expect(drain.done).toBe(false);
    await clock.run(1);
    expect(drain.done).toBe(true);
  });

  it('called while a handler holds the pipe begins with the release', async () => {
    const hold = gate();
    const { connection, agent, clock } = rpcBench({ handlers: { notification: () => hold.promise } });
    agent({ method: 'hold' });
    await clock.run(1_000);
    const drain = watch(connection.drain(50, 50));
    await clock.run(1_000);
    hold.open();
    await clock.run(49);
    expect(drain.done).toBe(false);
    await clock.run(1);
    expect(drain.done).toBe(true);
  });

  it('called while a handler holds the pipe has its whole bound after the release', async () => {
    const hold = gate();
    const { connection, agent, clock } = rpcBench({
      handlers: { notification: (method) => (method === 'hold' ? hold.promise : undefined) },
    });
    agent({ method: 'hold' });
    await clock.run(1_000);
    const drain = watch(connection.drain(50, 100));
    await clock.run(1_000);
    hold.open();
    for (let i = 0; i < 4; i++) {
      expect(drain.done).toBe(false);
      await clock.run(25);
      agent({ method: 'more' });
    }
    await settle();
    expect(drain.done).toBe(true);
  });
});
