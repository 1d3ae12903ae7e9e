import type { ByteReadable, ByteWritable } from '../../../src/index.js';

/** The two byte streams between the client and the simulated agent, with everything that can go wrong with them. */
export class SimPipe {
  readonly readable: ByteReadable;
  readonly writable: ByteWritable;
  writerClosed = false;
  readerCancelled = false;
  broken = false;
  /** The agent does not read its stdin. */
  stalled = false;
  #ended = false;
  #failed = false;
  #chunks: Uint8Array[] = [];
  #hungry: { resolve(r: { done: boolean; value?: Uint8Array }): void; reject(e: Error): void } | undefined;
  #waiting: { go(): void }[] = [];

  /** `onLate`: the client wrote after it had closed the stream. */
  constructor(onWrite: (chunk: Uint8Array) => void, onWriterClosed: () => void, onLate: () => void) {
    const take = (chunk: Uint8Array): void => {
      if (this.broken || this.writerClosed) throw new Error('write failed');
      onWrite(chunk);
    };
    const closed = (): void => {
      if (this.writerClosed) return;
      this.writerClosed = true;
      onWriterClosed();
      this.#go();
    };
    this.writable = {
      getWriter: () => ({
        write: async (chunk) => {
          if (this.writerClosed) onLate();
          while (this.stalled && !this.broken && !this.writerClosed) {
            await new Promise<void>((go) => this.#waiting.push({ go }));
          }
          take(chunk);
        },
        close: async () => closed(),
        abort: async () => closed(),
        ready: Promise.resolve(),
      }),
    };
    this.readable = {
      getReader: () => ({
        read: () =>
          new Promise((resolve, reject) => {
            this.#hungry = { resolve, reject };
            this.#feed();
          }),
        cancel: async () => {
          this.readerCancelled = true;
          this.#chunks = [];
          this.#feed();
        },
        releaseLock: () => {},
      }),
    };
  }

  /** The client waits for bytes: all that were pushed have been looked at. */
  get drained(): boolean {
    return this.#hungry !== undefined && this.#chunks.length === 0;
  }

  /** No byte will ever come again. */
  get over(): boolean {
    return this.#ended || this.#failed || this.readerCancelled;
  }

  get waiting(): number {
    return this.#chunks.length;
  }

  push(bytes: Uint8Array): void {
    if (this.over) return;
    this.#chunks.push(bytes);
    this.#feed();
  }

  end(): void {
    this.#ended = true;
    this.#feed();
  }

  fail(): void {
    this.#failed = true;
    this.#feed();
  }

  stall(stalled: boolean): void {
    this.stalled = stalled;
    this.#go();
  }

  breakWrites(): void {
    this.broken = true;
    this.#go();
  }

  #go(): void {
    for (const { go } of this.#waiting.splice(0)) go();
  }

  #feed(): void {
    const hungry = this.#hungry;
    if (!hungry) return;
    const value = this.#chunks.shift();
    if (value === undefined && !this.over) return;
    this.#hungry = undefined;
    if (value !== undefined) hungry.resolve({ done: false, value });
    else if (this.#failed) hungry.reject(new Error('read failed'));
    else hungry.resolve({ done: true });
  }
}
