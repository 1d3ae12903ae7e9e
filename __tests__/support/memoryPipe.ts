import type { ByteReadable, ByteWritable } from '../../src/framing/streams.js';

/** Bytes from one end to the other, in memory. Writes are taken at once unless the far end was stalled. */
export interface MemoryPipe {
  readable: ByteReadable;
  writable: ByteWritable;
  /** Puts bytes in, as the far end of `readable`. */
  push(bytes: Uint8Array | string): void;
  /** End of the stream that `readable` reads. */
  end(): void;
  /** `readable` fails on its next read. */
  fail(): void;
  /** From now on writes wait (true), or go on (false). */
  stall(stalled: boolean): void;
  /** Writes fail from now on. */
  breakWrites(): void;
  /** Chunks pushed and not read yet. */
  readonly waiting: number;
  readonly writerClosed: boolean;
  readonly readerCancelled: boolean;
}

export function memoryPipe(onWrite: (chunk: Uint8Array) => void, onWriterClosed: () => void = () => {}): MemoryPipe {
  const chunks: Uint8Array[] = [];
  let ended = false;
  let failed = false;
  let broken = false;
  let stalled: Promise<void> | undefined;
  let letGo: () => void = () => {};
  let writerClosed = false;
  let readerCancelled = false;
  let hungry: { resolve(r: { done: boolean; value?: Uint8Array }): void; reject(e: Error): void } | undefined;
  const feed = (): void => {
    if (!hungry) return;
    const { resolve, reject } = hungry;
    const chunk = chunks.shift();
    if (chunk) resolve({ done: false, value: chunk });
    else if (failed) reject(new Error('read failed'));
    else if (ended || readerCancelled) resolve({ done: true });
    else return;
    hungry = undefined;
  };
  return {
    readable: {
      getReader: () => ({
        read: () =>
          new Promise((resolve, reject) => {
            hungry = { resolve, reject };
            feed();
          }),
        cancel: () => {
          readerCancelled = true;
          chunks.length = 0;
          feed();
          return Promise.resolve();
        },
        releaseLock: () => {},
      }),
    },
    writable: {
      getWriter: () => ({
        write: async (chunk) => {
          if (stalled) await stalled;
          if (broken || writerClosed) throw new Error('write failed');
          onWrite(chunk);
        },
        close: () => {
          if (!writerClosed) {
            writerClosed = true;
            onWriterClosed();
          }
          return Promise.resolve();
        },
        abort: () => {
          writerClosed = true;
          letGo();
          return Promise.resolve();
        },
        ready: Promise.resolve(),
      }),
    },
    push(bytes) {
      chunks.push(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
      feed();
    },
    end() {
      ended = true;
      feed();
    },
    fail() {
      failed = true;
      feed();
    },
    stall(on) {
      if (on) stalled ??= new Promise((resolve) => (letGo = resolve));
      else {
        letGo();
        stalled = undefined;
      }
    },
    breakWrites() {
      broken = true;
    },
    get waiting() {
      return chunks.length;
    },
    get writerClosed() {
      return writerClosed;
    },
    get readerCancelled() {
      return readerCancelled;
    },
  };
}
