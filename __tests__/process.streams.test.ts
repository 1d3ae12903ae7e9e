import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PassThrough, Readable, Writable } from 'node:stream';
import { byteReadable, byteWritable } from '../src/process/streams.js';
import { settle } from './support/manualClock.js';

describe('a byte reader over a Node stream', () => {
  it('gives every byte once and in order, however the chunks are cut and whenever it is asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })),
        fc.array(fc.boolean()),
        async (chunks, pauses) => {
          const reader = byteReadable(
            Readable.from(
              chunks.map((chunk) => Buffer.from(chunk)),
              { objectMode: false },
            ),
          ).getReader();
          const got: Uint8Array[] = [];
          for (let i = 0; ; i++) {
            if (pauses[i]) await settle();
            const { done, value } = await reader.read();
            if (done) break;
            got.push(value ?? new Uint8Array());
          }
          expect(Buffer.concat(got)).toEqual(Buffer.concat(chunks));
          expect(await reader.read()).toEqual({ done: true });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('takes nothing from the source beyond its high-water mark while nobody reads', async () => {
    let taken = 0;
    const source = new Readable({ highWaterMark: 1000, read: () => source.push(Buffer.alloc(100, ++taken)) });
    const reader = byteReadable(source).getReader();
    for (let turn = 0; turn < 50; turn++) await settle();
    expect(taken).toBeLessThanOrEqual(11);
    const before = taken;
    await reader.read();
    for (let turn = 0; turn < 50; turn++) await settle();
    expect(taken).toBeGreaterThan(before);
    expect(taken).toBeLessThanOrEqual(before + 11);
    source.destroy();
  });

  it('serves reads that wait together in their order, and ends those that are left', async () => {
    const source = new PassThrough();
    const reader = byteReadable(source).getReader();
    const reads = [reader.read(), reader.read(), reader.read()];
    source.write('a');
    await reads[0];
    source.write('b');
    await reads[1];
    source.end();
    const got = await Promise.all(reads);
    expect(got.map(({ done, value }) => (done ? 'done' : String(value)))).toEqual(['a', 'b', 'done']);
  });

  it.each([
    ['while one waits', true],
    ['before one asks', false],
  ])('rejects one read when the pipe breaks %s, and is done afterwards', async (_, waiting) => {
    const source = new PassThrough();
    const reader = byteReadable(source).getReader();
    const early = waiting ? reader.read() : undefined;
    early?.catch(() => {});
    source.destroy(new Error('broken'));
    await settle();
    await expect(early ?? reader.read()).rejects.toThrow('broken');
    expect(await reader.read()).toEqual({ done: true });
  });

  it('ends waiting and later reads when it is cancelled, and destroys the pipe', async () => {
    const source = new PassThrough();
    const reader = byteReadable(source).getReader();
    const waiting = reader.read();
    await reader.cancel();
    expect(await waiting).toEqual({ done: true });
    expect(await reader.read()).toEqual({ done: true });
    expect(source.destroyed).toBe(true);
  });

  it('is the only one until it is released; then its reads reject and the next reader goes on', async () => {
    const source = new PassThrough();
    const readable = byteReadable(source);
    const first = readable.getReader();
    expect(() => readable.getReader()).toThrow(TypeError);
    const waiting = first.read();
    first.releaseLock();
    await expect(waiting).rejects.toThrow(TypeError);
    await expect(first.read()).rejects.toThrow(TypeError);
    await first.cancel();
    const second = readable.getReader();
    first.releaseLock();
    expect(() => readable.getReader()).toThrow(TypeError);
    source.write('x');
    expect(String((await second.read()).value)).toBe('x');
  });
});

describe('a byte writer over a Node stream', () => {
  /** Takes a chunk only when told to. */
  function slowSink(): { sink: Writable; take(error?: Error): void; taken: string[] } {
    const taken: string[] = [];
    const under: ((error?: Error | null) => void)[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        taken.push(String(chunk));
        under.push(callback);
      },
    });
    return { sink, taken, take: (error) => under.shift()?.(error) };
  }

  it('resolves a write, and is ready, only when the chunk was taken', async () => {
    const { sink, take } = slowSink();
    const writer = byteWritable(sink).getWriter();
    const order: string[] = [];
    const written = writer.write(Buffer.from('a')).then(() => order.push('written'));
    const ready = writer.ready.then(() => order.push('ready'));
    await settle();
    expect(order).toEqual([]);
    take();
    await Promise.all([written, ready]);
    expect(order).toContain('written');
  });

  it('rejects a write with the error of the pipe, every later one too, and still becomes ready and closes', async () => {
    const { sink, take } = slowSink();
    const writer = byteWritable(sink).getWriter();
    const written = writer.write(Buffer.from('a'));
    take(new Error('EPIPE'));
    await expect(written).rejects.toThrow('EPIPE');
    await writer.ready;
    await expect(writer.write(Buffer.from('b'))).rejects.toThrow();
    await writer.close();
  });

  it('rejects a write after the end without harm to what is queued before it', async () => {
    const { sink, take, taken } = slowSink();
    const writable = byteWritable(sink);
    const writer = writable.getWriter();
    const queued = [writer.write(Buffer.from('a')), writer.write(Buffer.from('b'))];
    const ended = writer.close();
    await expect(writer.write(Buffer.from('late'))).rejects.toThrow();
    take();
    await queued[0];
    take();
    await Promise.all([...queued, ended]);
    expect(taken).toEqual(['a', 'b']);
    writable.end();
  });

  it('rejects what is under way and what is queued when it is aborted, though Node calls the former a success', async () => {
    const { sink, take } = slowSink();
    const writable = byteWritable(sink);
    const writer = writable.getWriter();
    const writes = [writer.write(Buffer.from('a')), writer.write(Buffer.from('b'))];
    const outcomes = Promise.allSettled(writes);
    void writer.abort();
    take();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await writer.close();
    expect(() => writable.getWriter()).toThrow(TypeError);
  });

  it('rejects and closes at once when the stream under a write never answers again', async () => {
    const { sink } = slowSink();
    const writer = byteWritable(sink).getWriter();
    const outcome = Promise.allSettled([writer.write(Buffer.from('a')), writer.write(Buffer.from('b'))]);
    await writer.abort();
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await writer.close();
  });

  it('survives a pipe that breaks while nothing is being written', async () => {
    const sink = new PassThrough();
    const writer = byteWritable(sink).getWriter();
    sink.destroy(new Error('EPIPE'));
    await settle();
    await expect(writer.write(Buffer.from('a'))).rejects.toThrow();
  });
});
