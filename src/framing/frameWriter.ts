import { arm } from './alarm.js';
import type { Clock } from './clock.js';
import { promised, type ByteWritable, type ByteWriter } from './streams.js';

/** Messages that wait behind a write are joined into chunks of about this size. */
const JOIN_BYTES = 64 * 1024;
const MAX_QUEUED_BYTES = 256 * 1024 * 1024;

export type WriteFailure = 'io' | 'write-timeout';

export interface FrameWriterOptions {
  clock: Clock;
  /** Bound of each write to the stream, in milliseconds; `Infinity` for none. */
  writeTimeoutMs: number;
  /** How much may wait behind the write under way; more is a failure, `io`. Default 256 MiB. */
  maxQueuedBytes?: number;
  /** Counted up in place, when a message is handed to the stream. */
  counters?: { framesOut: number; bytesOut: number };
  /** Once, when the stream failed. Never called from within `write`, nor after `close` or `abort`. */
  onFail: (kind: WriteFailure) => void;
}

interface Message {
  line: string;
  bytes: number;
  settle(written: boolean): void;
}

/**
 * One message as one line of JSON with its newline: what `FrameWriter.write` takes. Throws a TypeError (bigint, cycle,
 * no object) or a RangeError (too deep, too long) before anything is queued. Later changes of the message do not matter.
 */
export function serialize(message: object): string {
  const json = JSON.stringify(message) as string | undefined;
  if (json === undefined) throw new TypeError('the message has no JSON form');
  return `${json}\n`;
}

/** Frames to bytes: strictly in order, one write at a time, each bounded. A lone message leaves within the call. */
export class FrameWriter {
  readonly #writer: ByteWriter;
  readonly #options: FrameWriterOptions;
  readonly #maxQueuedBytes: number;
  #open = true;
  /** The stream is closed or given up; nothing is under way. */
  #done = false;
  #flying: readonly Message[] | undefined;
  #disarm = (): void => {};
  #queue: Message[] = [];
  #head = 0;
  #queuedBytes = 0;
  #closed: PromiseWithResolvers | undefined;

  /** Locks `writable`; throws what its `getWriter` throws, when it is locked already. */
  constructor(writable: ByteWritable, options: FrameWriterOptions) {
    this.#writer = writable.getWriter();
    this.#options = options;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? MAX_QUEUED_BYTES;
    // A stream that fails while nothing is written says so at the next write.
    this.#writer.ready.catch(ignore);
  }

  /** False after a failure, `close` or `abort`: every later `write` gives false. */
  get writable(): boolean {
    return this.#open;
  }

  /** `line` is from `serialize`. True once the stream accepted it, false if it never will. Never rejects. */
  write(line: string): Promise<boolean> {
    if (!this.#open) return Promise.resolve(false);
    return new Promise((settle) => {
      if (this.#flying === undefined) {
        this.#hand([{ line, bytes: 0, settle }]);
        return;
      }
      const bytes = Buffer.byteLength(line);
      this.#queue.push({ line, bytes, settle });
      this.#queuedBytes += bytes;
      if (this.#queuedBytes > this.#maxQueuedBytes) {
        this.#open = false;
        queueMicrotask(() => this.#fail('io'));
      }
    });
  }

  /** Gives up what waits behind the write under way, and takes nothing more. */
  discard(): void {
    this.#open = false;
    const dropped = this.#queue.slice(this.#head);
    this.#queue = [];
    this.#head = this.#queuedBytes = 0;
    for (const message of dropped) message.settle(false);
  }

  /**
   * Lets out what is queued, then closes the stream; `withinMs` after the call it aborts instead. Takes nothing more.
   * Settles when the stream is closed or given up, and never rejects. Of several calls the soonest bound counts.
   */
  async close(withinMs = this.#options.writeTimeoutMs): Promise<void> {
    if (this.#done) return;
    this.#open = false;
    if (this.#closed === undefined) {
      this.#closed = withResolvers();
      if (this.#flying === undefined) this.#closeStream();
    }
    const disarm = arm(this.#options.clock, withinMs, () => this.abort());
    await this.#closed.promise;
    disarm();
  }

  /** Closes at once: what is queued or under way is given up. */
  abort(): void {
    if (this.#done) return;
    this.#giveUp();
    promised(() => this.#writer.abort()).catch(ignore);
  }

  #hand(messages: readonly Message[]): void {
    const chunk = Buffer.from(messages.reduce((text, { line }) => text + line, ''));
    const { clock, writeTimeoutMs, counters } = this.#options;
    if (counters !== undefined) {
      counters.framesOut += messages.length;
      counters.bytesOut += chunk.byteLength;
    }
    this.#flying = messages;
    this.#disarm = arm(clock, writeTimeoutMs, () => this.#fail('write-timeout'));
    promised(() => this.#writer.write(chunk)).then(
      () => this.#landed(messages),
      () => this.#fail('io'),
    );
  }

  #landed(messages: readonly Message[]): void {
    if (this.#done) return;
    this.#disarm();
    this.#flying = undefined;
    for (const message of messages) message.settle(true);
    if (this.#head < this.#queue.length) this.#hand(this.#take());
    else if (this.#closed !== undefined) this.#closeStream();
  }

  /** The oldest waiting messages that fit one chunk, but at least one. */
  #take(): Message[] {
    const taken: Message[] = [];
    let bytes = 0;
    for (let message = this.#queue[this.#head]; message !== undefined; message = this.#queue[this.#head]) {
      if (taken.length > 0 && bytes + message.bytes > JOIN_BYTES) break;
      taken.push(message);
      bytes += message.bytes;
      this.#head++;
    }
    this.#queuedBytes -= bytes;
    // Moving the rest up costs a pass over it: seldom enough that a message is moved about once.
    if (2 * this.#head >= this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    return taken;
  }

  #closeStream(): void {
    promised(() => this.#writer.close()).then(
      () => this.#giveUp(),
      () => this.#giveUp(),
    );
  }

  #fail(kind: WriteFailure): void {
    if (this.#done) return;
    const ours = this.#closed !== undefined;
    this.abort();
    if (!ours) this.#options.onFail(kind);
  }

  #giveUp(): void {
    if (this.#done) return;
    this.#done = true;
    this.#disarm();
    const flying = this.#flying ?? [];
    this.#flying = undefined;
    for (const message of flying) message.settle(false);
    this.discard();
    this.#closed?.resolve();
  }
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

function ignore(): void {}
