import type { ByteReadable, ByteReader, ByteWritable } from '../../src/framing/streams.js';

type Chunk = Awaited<ReturnType<ByteReader['read']>>;

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? utf8(data) : data);

export interface ByteSource extends ByteReadable {
  /** Every call of the reader, in order: `read`, `cancel`, `release`. */
  readonly calls: string[];
  push(...data: (string | Uint8Array)[]): void;
  end(): void;
  fail(): void;
}

/** A readable that a test feeds by hand. As with web streams, `cancel` ends a read that is under way. */
export function byteSource(...data: (string | Uint8Array)[]): ByteSource {
  const ready: (Chunk | Error)[] = [];
  let waiting: { resolve(chunk: Chunk): void; reject(error: Error): void }[] = [];
  const calls: string[] = [];
  const offer = (chunk: Chunk | Error): void => {
    const reader = waiting.shift();
    if (reader === undefined) ready.push(chunk);
    else if (chunk instanceof Error) reader.reject(chunk);
    else reader.resolve(chunk);
  };
  const reader: ByteReader = {
    read() {
      calls.push('read');
      const chunk = ready.shift();
      if (chunk instanceof Error) return Promise.reject(chunk);
      if (chunk !== undefined) return Promise.resolve(chunk);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    cancel() {
      calls.push('cancel');
      for (const { resolve } of waiting) resolve({ done: true });
      waiting = [];
      return Promise.resolve();
    },
    releaseLock: () => void calls.push('release'),
  };
  const source: ByteSource = {
    calls,
    getReader: () => reader,
    push: (...more) => more.forEach((value) => offer({ done: false, value: bytesOf(value) })),
    end: () => offer({ done: true }),
    fail: () => offer(new Error('the pipe broke')),
  };
  source.push(...data);
  return source;
}

export interface ByteSink extends ByteWritable {
  /** What was handed over, as text, one entry a write. */
  readonly writes: string[];
  /** `write`, `close` and `abort`, in order. */
  readonly calls: string[];
  /** Everything written so far, parsed line by line. */
  messages(): unknown[];
  /** A stalled sink accepts what it has and, from then on, everything. */
  flow(): void;
  /** A stalled sink accepts the oldest write that waits. */
  accept(): void;
  /** Fails the writes that wait and all later ones. */
  fail(): void;
}

/** A writable whose acceptance a test decides. `stalled`: it accepts nothing until told, closing included. */
export function byteSink({ stalled = false } = {}): ByteSink {
  let state: 'flowing' | 'stalled' | 'failed' = stalled ? 'stalled' : 'flowing';
  let waiting: { resolve(): void; reject(error: Error): void }[] = [];
  const writes: string[] = [];
  const calls: string[] = [];
  const decide = (call: string): Promise<void> => {
    calls.push(call);
    if (state === 'failed') return Promise.reject(new Error('the pipe broke'));
    if (state === 'flowing') return Promise.resolve();
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const release = (settle: (write: (typeof waiting)[number]) => void): void => {
    const all = waiting;
    waiting = [];
    all.forEach(settle);
  };
  return {
    writes,
    calls,
    getWriter: () => ({
      ready: Promise.resolve(),
      write(chunk) {
        writes.push(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(chunk));
        return decide('write');
      },
      close: () => decide('close'),
      abort() {
        calls.push('abort');
        return Promise.resolve();
      },
    }),
    messages: () =>
      writes
        .join('')
        .split('\n')
        .slice(0, -1)
        .map((line): unknown => JSON.parse(line)),
    flow() {
      state = 'flowing';
      release((write) => write.resolve());
    },
    accept: () => waiting.shift()?.resolve(),
    fail() {
      state = 'failed';
      release((write) => write.reject(new Error('the pipe broke')));
    },
  };
}
