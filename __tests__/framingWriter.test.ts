import { FrameWriter, serialize, type FrameWriterOptions } from '../src/framing/frameWriter.js';
import { byteSink, type ByteSink } from './support/byteStreams.js';
import { manualClock, settle, type ManualClock } from './support/manualClock.js';

interface Bench {
  sink: ByteSink;
  writer: FrameWriter;
  clock: ManualClock;
  failures: string[];
  counters: { framesOut: number; bytesOut: number };
  write(message: object): Promise<boolean>;
}

function bench(sink = byteSink(), options: Partial<FrameWriterOptions> = {}): Bench {
  const clock = manualClock();
  const failures: string[] = [];
  const counters = { framesOut: 0, bytesOut: 0 };
  const onFail = (kind: string): void => void failures.push(kind);
  const writer = new FrameWriter(sink, { clock, writeTimeoutMs: 1_000, counters, onFail, ...options });
  return { sink, writer, clock, failures, counters, write: (message) => writer.write(serialize(message)) };
}

/** What has become of each write: true, false, or undefined while it is open. */
async function settled(writes: Promise<boolean>[]): Promise<(boolean | undefined)[]> {
  const states: (boolean | undefined)[] = writes.map(() => undefined);
  writes.forEach((write, i) => void write.then((written) => (states[i] = written)));
  await settle();
  return states;
}

describe('a message', () => {
  it('is one line of JSON', () => {
    expect(serialize({ a: 'x\ny\u2028z', b: undefined, c: null })).toBe('{"a":"x\\ny\u2028z","c":null}\n');
    expect(serialize({ a: '\ud800' })).toBe('{"a":"\\ud800"}\n');
  });

  it.each<[string, () => object]>([
    ['a bigint', () => ({ a: 1n })],
    [
      'a cycle',
      () => {
        const message: Record<string, unknown> = {};
        message.self = message;
        return message;
      },
    ],
    ['no JSON form', () => ({ toJSON: () => undefined })],
    ['a function', () => () => {}],
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new TypeError('mine');
        },
      }),
    ],
  ])('that has %s throws before anything is queued', (_, message) => {
    expect(() => serialize(message())).toThrow(TypeError);
  });

  it('alone is handed over within the call', async () => {
    const { sink, write, counters } = bench();
    const written = write({ n: 1 });
    expect(sink.writes).toEqual(['{"n":1}\n']);
    expect(await written).toBe(true);
    expect(counters).toEqual({ framesOut: 1, bytesOut: 8 });
  });

  it('is written as it was at the call', async () => {
    const { sink, write } = bench(byteSink({ stalled: true }));
    const message = { n: 1 };
    void write({ n: 0 });
    void write(message);
    message.n = 2;
    sink.flow();
    await settle();
    expect(sink.messages()).toEqual([{ n: 0 }, { n: 1 }]);
  });

  it('is true only once the stream accepted it', async () => {
    const { sink, write } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    expect(await settled(writes)).toEqual([undefined, undefined]);
    sink.accept();
    expect(await settled(writes)).toEqual([true, undefined]);
    sink.accept();
    expect(await settled(writes)).toEqual([true, true]);
  });
});

describe('messages behind a write', () => {
  it('wait, and leave in order, joined', async () => {
    const { sink, write, counters } = bench(byteSink({ stalled: true }));
    const writes = [1, 2, 3, 4].map((n) => write({ n }));
    expect(sink.writes).toEqual(['{"n":1}\n']);
    expect(counters.framesOut).toBe(1);
    sink.flow();
    expect(await settled(writes)).toEqual([true, true, true, true]);
    expect(sink.writes).toEqual(['{"n":1}\n', '{"n":2}\n{"n":3}\n{"n":4}\n']);
    expect(counters).toEqual({ framesOut: 4, bytesOut: 32 });
  });

  it('are joined up to 64 KiB, and a larger one goes alone', async () => {
    const { sink, write } = bench(byteSink({ stalled: true }));
    const sizes = [10, 30_000, 30_000, 30_000, 200_000, 10, 10];
    const writes = sizes.map((size) => write({ s: 'x'.repeat(size) }));
    sink.flow();
    await Promise.all(writes);
    expect(sink.writes.map((chunk) => chunk.split('\n').length - 1)).toEqual([1, 2, 1, 1, 2]);
    expect(sink.messages().map((message: any) => message.s.length)).toEqual(sizes);
  });

  it('by the thousand leave in order', async () => {
    const { sink, write } = bench(byteSink({ stalled: true }));
    const numbers = Array.from({ length: 30_000 }, (_, n) => n);
    const writes = numbers.map((n) => write({ n }));
    sink.flow();
    await Promise.all(writes);
    expect(sink.messages().map((message: any) => message.n)).toEqual(numbers);
  });

  it('above the bound of the queue are a failure, told after the call', async () => {
    const { sink, write, failures, writer } = bench(byteSink({ stalled: true }), { maxQueuedBytes: 20 });
    const writes = [write({ s: 'x'.repeat(500) }), write({ n: 1 }), write({ n: 2 }), write({ n: 3 }), write({ n: 4 })];
    expect(failures).toEqual([]);
    expect(writer.writable).toBe(false);
    expect(await settled(writes)).toEqual([false, false, false, false, false]);
    expect(failures).toEqual(['io']);
    expect(sink.calls).toEqual(['write', 'abort']);
  });

  it('up to the bound of the queue are none, and what left makes room', async () => {
    const { sink, write, failures } = bench(byteSink({ stalled: true }), { maxQueuedBytes: 16 });
    const writes = [write({ n: 0 }), write({ n: 1 }), write({ n: 2 })];
    sink.accept();
    await settle();
    writes.push(write({ n: 3 }), write({ n: 4 }));
    sink.flow();
    expect(await settled(writes)).toEqual([true, true, true, true, true]);
    expect(failures).toEqual([]);
  });
});

describe('a write that fails', () => {
  it('is told once; it and all that waited, and all later ones, are false', async () => {
    const { sink, write, failures, clock } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    sink.fail();
    expect(await settled(writes)).toEqual([false, false]);
    expect(await write({ n: 3 })).toBe(false);
    expect(failures).toEqual(['io']);
    expect(sink.writes).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('leaves those before it true', async () => {
    const { sink, write, failures } = bench();
    expect(await write({ n: 1 })).toBe(true);
    sink.fail();
    expect(await write({ n: 2 })).toBe(false);
    expect(failures).toEqual(['io']);
  });

  it('by a throw is the same, and not told from within the call', async () => {
    const sink = byteSink();
    const writer = sink.getWriter();
    const { write, failures } = bench({
      ...sink,
      getWriter: () => ({
        ...writer,
        write: () => {
          throw new Error('no promise');
        },
      }),
    });
    const written = write({ n: 1 });
    expect(failures).toEqual([]);
    expect(await written).toBe(false);
    expect(failures).toEqual(['io']);
  });

  it('while the stream was idle makes no unhandled rejection', async () => {
    const sink = byteSink();
    const ready = Promise.reject(new Error('the pipe broke'));
    const { writer } = bench({ ...sink, getWriter: () => ({ ...sink.getWriter(), ready }) });
    await settle();
    expect(writer.writable).toBe(true);
  });
});

describe('time', () => {
  it('bounds each write: past the bound all are false, and the stream is given up', async () => {
    const { sink, write, failures, clock } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    await clock.run(999);
    expect(failures).toEqual([]);
    await clock.run(1);
    expect(failures).toEqual(['write-timeout']);
    expect(await settled(writes)).toEqual([false, false]);
    expect(sink.calls).toEqual(['write', 'abort']);
    sink.flow();
    await settle();
    expect(sink.writes).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  it('begins anew with each write', async () => {
    const { sink, write, failures, clock } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    await clock.run(900);
    sink.accept();
    await clock.run(900);
    sink.accept();
    expect(await settled(writes)).toEqual([true, true]);
    expect(failures).toEqual([]);
  });

  it('is not looked at while nothing is under way', async () => {
    const { write, clock } = bench();
    expect(clock.pending()).toBe(0);
    const written = write({ n: 1 });
    expect(clock.pending()).toBe(1);
    await written;
    await settle();
    expect(clock.pending()).toBe(0);
  });

  it('can be without bound', async () => {
    const { sink, write, clock } = bench(byteSink({ stalled: true }), { writeTimeoutMs: Infinity });
    const written = write({ n: 1 });
    expect(clock.pending()).toBe(0);
    sink.flow();
    expect(await written).toBe(true);
  });

  it('longer than a timer can sleep is slept in parts', async () => {
    const MONTH = 30 * 24 * 3_600_000;
    const { write, failures, clock } = bench(byteSink({ stalled: true }), { writeTimeoutMs: MONTH });
    void write({ n: 1 });
    await clock.run(MONTH - 1);
    expect(failures).toEqual([]);
    await clock.run(1);
    expect(failures).toEqual(['write-timeout']);
  });
});

describe('close', () => {
  it('lets out what is queued, then closes the stream; nothing is written after', async () => {
    const { sink, write, writer, clock, failures } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    const closed = writer.close();
    expect(await write({ n: 3 })).toBe(false);
    sink.flow();
    await closed;
    expect(await settled(writes)).toEqual([true, true]);
    expect(sink.messages()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(sink.calls).toEqual(['write', 'write', 'close']);
    expect(failures).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('of an idle stream closes at once, and only once', async () => {
    const { sink, writer } = bench();
    await Promise.all([writer.close(), writer.close()]);
    await writer.close();
    expect(sink.calls).toEqual(['close']);
  });

  it.each([
    ['a write hangs', (b: Bench) => b.write({ n: 1 })],
    ['closing hangs', () => Promise.resolve(false)],
  ])('gives up at its bound when %s, and that is no failure', async (_, act) => {
    const b = bench(byteSink({ stalled: true }));
    const written = act(b);
    const closed = b.writer.close(50);
    await b.clock.run(50);
    await closed;
    expect(await written).toBe(false);
    expect(b.sink.calls.at(-1)).toBe('abort');
    expect(b.failures).toEqual([]);
    expect(b.clock.pending()).toBe(0);
  });

  it('is bounded as a whole: a stream that takes one write at a time does not stretch it', async () => {
    const { sink, write, writer, clock } = bench(byteSink({ stalled: true }));
    const writes = [1, 2, 3].map(() => write({ s: 'x'.repeat(70_000) }));
    const closed = writer.close();
    await clock.run(600);
    sink.accept();
    await clock.run(400);
    await closed;
    expect(await settled(writes)).toEqual([true, false, false]);
    expect(sink.calls).toEqual(['write', 'write', 'abort']);
  });

  it('of two bounds the sooner counts', async () => {
    const { write, writer, clock, sink } = bench(byteSink({ stalled: true }));
    void write({ n: 1 });
    const first = writer.close(900);
    const second = writer.close(100);
    await clock.run(100);
    await Promise.all([first, second]);
    expect(sink.calls).toEqual(['write', 'abort']);
    expect(clock.pending()).toBe(0);
  });

  it('settles when the last write fails, and that is no failure', async () => {
    const { sink, write, writer, failures } = bench(byteSink({ stalled: true }));
    const written = write({ n: 1 });
    const closed = writer.close();
    sink.fail();
    await closed;
    expect(await written).toBe(false);
    expect(failures).toEqual([]);
  });

  it('after discarding lets out only what is under way', async () => {
    const { sink, write, writer } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    writer.discard();
    const closed = writer.close();
    sink.flow();
    await closed;
    expect(await settled(writes)).toEqual([true, false]);
    expect(sink.calls).toEqual(['write', 'close']);
  });
});

describe('abort', () => {
  it('gives up all at once, and is no failure', async () => {
    const { sink, write, writer, failures, clock } = bench(byteSink({ stalled: true }));
    const writes = [write({ n: 1 }), write({ n: 2 })];
    writer.abort();
    writer.abort();
    expect(await settled(writes)).toEqual([false, false]);
    expect(await write({ n: 3 })).toBe(false);
    await writer.close();
    expect(sink.calls).toEqual(['write', 'abort']);
    expect(failures).toEqual([]);
    expect(clock.pending()).toBe(0);
  });
});

describe('a web stream', () => {
  it('is written and closed', async () => {
    const chunks: string[] = [];
    let closed = false;
    const web = new WritableStream<Uint8Array>({
      write: (chunk) => void chunks.push(new TextDecoder().decode(chunk)),
      close: () => void (closed = true),
    });
    const { write, writer } = bench(web as unknown as ByteSink);
    expect(await write({ n: 1 })).toBe(true);
    await writer.close();
    expect([chunks, closed]).toEqual([['{"n":1}\n'], true]);
  });

  it('that fails is a failure', async () => {
    const web = new WritableStream<Uint8Array>({ write: () => Promise.reject(new Error('EPIPE')) });
    const { write, failures } = bench(web as unknown as ByteSink);
    expect(await write({ n: 1 })).toBe(false);
    expect(failures).toEqual(['io']);
  });
});
