import type { Readable, Writable } from 'node:stream';
import { Roster } from '../framing/roster.js';
import type { ByteReadable, ByteReader, ByteWritable, ByteWriter } from '../framing/streams.js';

type ReadResult = Awaited<ReturnType<ByteReader['read']>>;
interface PendingRead {
  resolve(result: ReadResult): void;
  reject(error: Error): void;
}

const ignore = (): void => {};

/**
 * A Node stream as a byte reader, without the cost of `Readable.toWeb`. Bytes are taken from the pipe only for a `read()`, and
 * beyond that at most one high-water mark: an agent whose output nobody reads is blocked by the kernel.
 */
export function byteReadable(stream: Readable): ByteReadable & { destroy(): void } {
  return new PipeSource(stream);
}

class PipeSource implements ByteReadable {
  readonly #stream: Readable;
  readonly #waiting: PendingRead[] = [];
  #locked = false;
  #over = false;
  #failure: Error | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    // Stays for ever: Node resumes the pipes of an exited process unless somebody listens to 'readable', and would drop its last words.
    stream.on('readable', () => this.#serve());
    stream.on('end', () => this.#finish());
    stream.on('close', () => this.#finish());
    stream.on('error', (error: Error) => this.#finish(error));
    if (stream.destroyed) this.#over = true;
  }

  getReader(): ByteReader {
    if (this.#locked) throw new TypeError('The stream already has a reader');
    this.#locked = true;
    let released = false;
    return {
      read: () => (released ? Promise.reject(new TypeError('The reader was released')) : this.#read()),
      cancel: () => {
        if (!released) this.destroy();
        return Promise.resolve();
      },
      releaseLock: () => {
        if (released) return;
        released = true;
        this.#locked = false;
        for (const read of this.#waiting.splice(0)) read.reject(new TypeError('The reader was released'));
      },
    };
  }

  destroy(): void {
    this.#finish();
    this.#failure = undefined;
    this.#stream.destroy();
  }

  #read(): Promise<ReadResult> {
    if (this.#failure) {
      const failure = this.#failure;
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.#over) return Promise.resolve({ done: true });
    const value = this.#waiting.length === 0 ? this.#take() : undefined;
    if (value) return Promise.resolve({ done: false, value });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #take(): Uint8Array | undefined {
    return (this.#stream.read() as Uint8Array | null) ?? undefined;
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const value = this.#take();
      if (!value) return;
      this.#waiting.shift()?.resolve({ done: false, value });
    }
  }

  #finish(error?: Error): void {
    if (this.#over) return;
    this.#over = true;
    const [first, ...rest] = this.#waiting.splice(0);
    if (error && !first) this.#failure = error;
    if (error) first?.reject(error);
    else first?.resolve({ done: true });
    for (const read of rest) read.resolve({ done: true });
  }
}

/**
 * A Node stream as a byte writer. `write` resolves when the kernel has taken the whole chunk, and rejects (`EPIPE`, the process gone,
 * the stream ended) when it can no longer do so; a rejection that nobody awaits is not an unhandled one. `ready` settles with the
 * latest write and never rejects. `close` resolves when the end was sent or cannot be sent any more.
 */
export function byteWritable(stream: Writable): ByteWritable & { end(): void; destroy(): void } {
  return new PipeSink(stream);
}

class PipeSink implements ByteWritable, ByteWriter {
  readonly #stream: Writable;
  readonly #unsettled = new Roster<(error: Error) => void>();
  /** Sent the end, or cannot any more: the callback of `end` is not called for a stream that is destroyed in the middle of a write. */
  readonly #over: Promise<void>;
  #locked = false;
  #ready: Promise<unknown> = Promise.resolve();

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#over = new Promise((resolve) => {
      stream.once('finish', resolve);
      stream.once('close', resolve);
      if (stream.destroyed) resolve();
    });
    stream.on('error', ignore); // each write has its own callback; a pipe that breaks between writes must not be an uncaught error
    stream.on('close', () => {
      for (const settle of this.#unsettled.all()) settle(closed());
    });
  }

  getWriter(): ByteWriter {
    if (this.#locked) throw new TypeError('The stream already has a writer');
    this.#locked = true;
    return this;
  }

  get ready(): Promise<unknown> {
    return this.#ready;
  }

  close(): Promise<void> {
    this.end();
    return this.#over;
  }

  abort(): Promise<void> {
    this.destroy();
    return Promise.resolve();
  }

  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  write(chunk: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      // Node would destroy a stream that is written to after its end, and with it what is still queued before the end.
      if (this.#stream.writableEnded || this.#stream.destroyed) return reject(closed());
      const settle = (error?: Error | null): void => {
        leave();
        // Node reports success for the write that was under way when the stream was destroyed.
        const failure = error ?? (this.#stream.destroyed ? closed() : undefined);
        if (failure) reject(failure);
        else resolve();
      };
      const leave = this.#unsettled.add(settle);
      this.#stream.write(chunk, settle);
    });
    this.#ready = written.then(ignore, ignore);
    return written;
  }
}

const closed = (): Error => new Error('The pipe to the process is closed');
