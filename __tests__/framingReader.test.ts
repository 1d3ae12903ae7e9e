import { FrameReader, type Frame, type ReaderEnd } from '../src/framing/frameReader.js';
import { byteSource, utf8, type ByteSource } from './support/byteStreams.js';
import { settle } from './support/manualClock.js';

const open = (source: ByteSource, maxFrameBytes = 1_000): FrameReader => new FrameReader(source, { maxFrameBytes });

/** All that the source still gives. */
async function drain(reader: FrameReader): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let frame = await reader.read(); frame !== undefined; frame = await reader.read()) values.push(frame.value);
  return values;
}

async function outcome<T>(promise: Promise<T>): Promise<T | 'pending'> {
  return Promise.race([promise, settle().then(() => 'pending' as const)]);
}

describe('frames', () => {
  it('come in order, and blank lines between them are nothing', async () => {
    const source = byteSource('{"n":1}\n\n \r\n{"n":2}\r\n{"n', '":3}\n');
    source.end();
    const reader = open(source);
    expect(await drain(reader)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(reader.end).toBe('ended');
    expect(reader.counters).toEqual({ bytesIn: 29, skippedFrames: 0 });
  });

  it('say how long their line was, its end not counted', async () => {
    const source = byteSource('{"a":"\u20ac"}\r\n {} \n');
    const reader = open(source);
    expect(((await reader.read()) as Frame).byteLength).toBe(11);
    expect(((await reader.read()) as Frame).byteLength).toBe(4);
  });

  it('are put together from bytes one by one', async () => {
    const source = byteSource();
    const reader = open(source);
    const read = reader.read();
    for (const byte of utf8('{"a":"h\u00e9llo \u{1f980}"}\n')) source.push(Uint8Array.of(byte));
    expect(await read).toMatchObject({ value: { a: 'h\u00e9llo \u{1f980}' }, repaired: false });
  });

  it('are there without a promise once their chunk was read', async () => {
    const reader = open(byteSource('{"n":1}\n{"n":2}\n'));
    expect(reader.next()).toBeUndefined();
    expect(await reader.fill()).toBe(true);
    expect([reader.next()?.value, reader.next()?.value, reader.next()]).toEqual([{ n: 1 }, { n: 2 }, undefined]);
  });

  it('are not overtaken by reading: fill gives what is still to be looked at', async () => {
    const source = byteSource('{"n":1}\n', '{"n":2}\n');
    const reader = open(source);
    await reader.fill();
    expect(await reader.fill()).toBe(true);
    expect(source.calls).toEqual(['read']);
    expect(reader.next()?.value).toEqual({ n: 1 });
  });

  it('may start the stream with a byte order mark, even one cut in two', async () => {
    const [first, second, ...rest] = utf8('\ufeff{"n":1}\n');
    const reader = open(byteSource(Uint8Array.of(first!, second!), Uint8Array.from(rest), '\ufeff{"n":2}\n'));
    expect((await reader.read())?.value).toEqual({ n: 1 });
    expect(await outcome(reader.read())).toBe('pending');
    expect(reader.counters.skippedFrames).toBe(1);
  });

  it('lose nothing to a chunk of no bytes or of no value', async () => {
    const source = byteSource('{"n":', '');
    const reader = source.getReader();
    const { read } = reader;
    reader.read = () => {
      if (source.calls.length < 2) return read();
      reader.read = read;
      source.push('1}\n');
      return Promise.resolve({ done: false, value: undefined });
    };
    expect((await open(source).read())?.value).toEqual({ n: 1 });
  });
});

describe('lines that are no frame', () => {
  it('are counted, shown to who asks, and the count can be read at any time', async () => {
    const seen: string[] = [];
    const counters = { bytesIn: 0, skippedFrames: 0 };
    const source = byteSource('noise\n42\n[{"n":0}]\n\n{"n":1}\n', 'x'.repeat(5_000), '\n');
    const reader = new FrameReader(source, { maxFrameBytes: 9_000, counters, onSkipped: (line) => seen.push(line) });
    expect((await reader.read())?.value).toEqual({ n: 1 });
    expect(seen).toEqual(['noise', '42', '[{"n":0}]']);
    expect(counters.skippedFrames).toBe(3);
    void reader.read();
    await settle();
    expect(seen[3]).toBe('x'.repeat(4_096));
    expect(counters.skippedFrames).toBe(4);
  });

  it('an observer may close the reader', async () => {
    const source = byteSource('noise\n{"n":1}\n');
    const reader: FrameReader = new FrameReader(source, { maxFrameBytes: 100, onSkipped: () => void reader.close() });
    expect(await reader.read()).toBeUndefined();
    expect(reader.end).toBe('closed');
  });
});

describe('the line of a frame', () => {
  it('can be looked at until the next call', async () => {
    const reader = open(byteSource(' {"n":1} \n{"n":', '2}\n'));
    await reader.read();
    expect(reader.excerpt()).toBe(' {"n":1} ');
    await reader.read();
    expect(reader.excerpt()).toBe('{"n":2}');
  });

  it('does not stay whole once it is a frame', async () => {
    const reader = open(byteSource('{"a":"', 'x'.repeat(500_000), '"}\n'), 1_000_000);
    await reader.read();
    expect(reader.excerpt()).toBe(`{"a":"${'x'.repeat(4_090)}`);
    expect(reader.retainedBytes).toBeLessThan(20_000);
  });
});

describe('a wait that is given up', () => {
  it('rejects with the reason of the signal, and the next one completes the same frame', async () => {
    const source = byteSource('{"n"');
    const reader = open(source);
    const controller = new AbortController();
    const read = reader.read(controller.signal);
    await settle();
    controller.abort('enough');
    await expect(read).rejects.toBe('enough');
    source.push(':1}\n{"n":2}\n');
    expect(await arrived(reader)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('leaves the read under way to the next wait', async () => {
    const source = byteSource();
    const reader = open(source);
    const controller = new AbortController();
    const read = reader.fill(controller.signal);
    controller.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    const next = reader.fill();
    source.push('{"n":1}\n');
    expect(await next).toBe(true);
    expect(source.calls).toEqual(['read']);
    expect(reader.next()?.value).toEqual({ n: 1 });
  });

  it('keeps what came while nobody waited', async () => {
    const source = byteSource();
    const reader = open(source);
    const controller = new AbortController();
    const read = reader.read(controller.signal);
    controller.abort();
    await expect(read).rejects.toBe(controller.signal.reason);
    source.push('{"n":1}\n');
    await settle();
    expect(reader.next()?.value).toEqual({ n: 1 });
  });

  it('with a signal that has fired reads nothing', async () => {
    const source = byteSource('{"n":1}\n');
    const reader = open(source);
    await expect(reader.read(AbortSignal.abort('late'))).rejects.toBe('late');
    await expect(reader.fill(AbortSignal.abort('late'))).rejects.toBe('late');
    expect(source.calls).toEqual([]);
    expect((await reader.read())?.value).toEqual({ n: 1 });
  });

  it('leaves no listener on the signal, whether it ends by the signal or by a chunk', async () => {
    const source = byteSource();
    const reader = open(source);
    const { signal, log } = watched();
    const read = reader.fill(signal);
    expect(log).toEqual(['+']);
    source.push('x');
    await read;
    expect(log).toEqual(['+', '-']);
    reader.next();
    const given = new AbortController();
    const other = watched(given.signal);
    const wait = reader.fill(other.signal);
    given.abort('enough');
    await expect(wait).rejects.toBe('enough');
    expect(other.log).toEqual(['+', '-']);
  });
});

describe('the end', () => {
  const after = async (
    act: (source: ByteSource) => void,
    ...data: string[]
  ): Promise<[unknown[], ReaderEnd | undefined]> => {
    const source = byteSource(...data);
    act(source);
    const reader = open(source, 20);
    return [await drain(reader), reader.end];
  };

  it.each([
    ['a complete object', '{"n":1}\n{"n":2}', [{ n: 1 }, { n: 2 }]],
    ['a complete object and a return', '{"n":2}\r', [{ n: 2 }]],
    ['a cut object', '{"n":1}\n{"n":2', [{ n: 1 }]],
    ['text', '{"n":1}\nbye', [{ n: 1 }]],
    ['an array', '[1]', []],
    ['nothing', '', []],
  ])('of a stream that stops on %s', async (_, data, frames) => {
    const source = byteSource(data);
    source.end();
    const reader = open(source);
    expect(await drain(reader)).toEqual(frames);
    expect(reader.end).toBe('ended');
    expect(reader.counters.skippedFrames).toBe(0);
  });

  it('is not told before the last frame was given', async () => {
    const source = byteSource('{"n":1}');
    source.end();
    const reader = open(source);
    await reader.fill();
    expect(reader.next()).toBeUndefined();
    expect(await reader.fill()).toBe(true);
    expect(reader.end).toBeUndefined();
    expect(await reader.fill()).toBe(true);
    expect(reader.next()?.value).toEqual({ n: 1 });
    expect(reader.end).toBe('ended');
    expect([await reader.fill(), reader.next()]).toEqual([false, undefined]);
  });

  it('comes with a line above the cap, after the frames before it and before those behind', async () => {
    const long = `{"a":"${'x'.repeat(13)}"}\n`;
    expect(await after(() => {}, `{"n":1}\n${long}{"n":2}\n`)).toEqual([[{ n: 1 }], 'frame-too-large']);
    expect(await after(() => {}, `{"n":1}\n`, long.slice(0, 21), '{"n":2}\n')).toEqual([[{ n: 1 }], 'frame-too-large']);
  });

  it('does not come with a line of exactly the cap', async () => {
    const reader = open(byteSource(`{"a":"${'x'.repeat(12)}"}\r\n`), 20);
    expect((await reader.read())?.byteLength).toBe(20);
    expect(reader.end).toBeUndefined();
  });

  it('comes with a failed read, after the frames before it', async () => {
    expect(await after((source) => source.fail(), '{"n":1}\n{"n"')).toEqual([[{ n: 1 }], 'io']);
  });

  it('comes with a reader that throws or gives something else than bytes', async () => {
    const throws = byteSource();
    throws.getReader().read = () => {
      throw new Error('no promise');
    };
    const gives = byteSource();
    gives.getReader().read = () => Promise.resolve({ done: false, value: 'text' as unknown as Uint8Array });
    for (const source of [throws, gives]) {
      const reader = open(source);
      expect(await reader.read()).toBeUndefined();
      expect(reader.end).toBe('io');
    }
  });

  it('lets the buffers go', async () => {
    const source = byteSource('x'.repeat(15));
    source.fail();
    const reader = open(source, 20);
    await drain(reader);
    expect(reader.retainedBytes).toBe(0);
  });
});

describe('close', () => {
  it('cancels the stream once and lets go of its lock', async () => {
    const source = byteSource('{"n":1}\n{"n":2}\n');
    const reader = open(source);
    await reader.read();
    await Promise.all([reader.close(), reader.close()]);
    await reader.close();
    expect(source.calls).toEqual(['read', 'cancel', 'release']);
    expect([reader.next(), await reader.fill(), reader.end]).toEqual([undefined, false, 'closed']);
  });

  it('ends a wait', async () => {
    const reader = open(byteSource());
    const read = reader.read();
    await reader.close();
    expect(await read).toBeUndefined();
  });

  it('drops an object that the stream ended on', async () => {
    const source = byteSource('{"n":1}');
    source.end();
    const reader = open(source);
    await reader.fill();
    reader.next();
    await reader.fill();
    await reader.close();
    expect(reader.next()).toBeUndefined();
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('does not fail when cancelling %s', async (_, cancel) => {
    const source = byteSource();
    source.getReader().cancel = cancel;
    await expect(open(source).close()).resolves.toBeUndefined();
  });

  it('lets go of the lock although cancelling hangs', () => {
    const source = byteSource();
    source.getReader().cancel = () => new Promise(() => {});
    void open(source).close();
    expect(source.calls).toEqual(['release']);
  });

  it('works on a web stream', async () => {
    const web = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(utf8('{"n":1}\n')) });
    const reader = new FrameReader(web, { maxFrameBytes: 100 });
    expect((await reader.read())?.value).toEqual({ n: 1 });
    const read = reader.read();
    await reader.close();
    expect(await read).toBeUndefined();
    expect(web.locked).toBe(false);
  });
});

/** The frames that are there, without an end. */
async function arrived(reader: FrameReader): Promise<unknown[]> {
  const values: unknown[] = [];
  for (;;) {
    const frame = await outcome(reader.read());
    if (frame === 'pending' || frame === undefined) return values;
    values.push(frame.value);
  }
}

/** A signal that writes down who listens and who leaves. */
function watched(signal: AbortSignal = new AbortController().signal): { signal: AbortSignal; log: string[] } {
  const log: string[] = [];
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: any[]) => {
    log.push('+');
    (add as any)(...args);
  };
  signal.removeEventListener = (...args: any[]) => {
    log.push('-');
    (remove as any)(...args);
  };
  return { signal, log };
}
