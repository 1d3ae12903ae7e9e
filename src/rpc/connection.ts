import type { Clock } from '../framing/clock.js';
import { FrameReader } from '../framing/frameReader.js';
import { FrameWriter, serialize, type WriteFailure } from '../framing/frameWriter.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import { BadArgument } from './badArgument.js';
import { Dispatcher } from './dispatch.js';
import { OpenRequests } from './incoming.js';
import type { Answer, ConnectionEnd, ConnectionHandlers, IncomingRequest, RpcId } from './messages.js';
import { PendingTable, type OnAnswer } from './pending.js';
import { Pump } from './pump.js';
import type { Stats } from './stats.js';

/** A failed write often means that the agent is gone: what it said before is still in the pipe, and comes first. */
const LAST_WORDS_QUIET_MS = 50;
const LAST_WORDS_MAX_MS = 1_000;
const CLOSED: Answer = { kind: 'closed' };

export interface ConnectionOptions {
  readable: ByteReadable;
  writable: ByteWritable;
  /** Cap of one incoming line in bytes, its end not counted. */
  maxFrameBytes: number;
  /** Bound of each write in milliseconds; passing it ends the connection. */
  writeTimeoutMs: number;
  clock: Clock;
  /** Counted up in place. */
  stats: Stats;
  handlers: ConnectionHandlers;
  /** Watches the messages themselves. Must not throw. */
  tap?: Tap | undefined;
  /** Told when a handler begins and ceases to hold the pipe. */
  onHold?: (held: boolean) => void;
}

export interface Tap {
  received(message: object, bytes: number): void;
  /** One line, its end included. */
  sent(line: string): void;
}

/**
 * JSON-RPC 2.0 over a byte reader and a byte writer; it owns no process. Frames are handled one by one in the order in
 * which they came, responses included. `start` once; what is sent before is sent all the same.
 */
export class Connection {
  readonly #handlers: ConnectionHandlers;
  readonly #writer: FrameWriter;
  readonly #dispatcher: Dispatcher;
  readonly #pump: Pump;
  readonly #pending = new PendingTable();
  readonly #incoming: OpenRequests;
  readonly #tap: Tap | undefined;
  #frameBytes = 0;
  #open = true;
  #writeFailed = false;

  /** Locks both streams; throws what they throw when they are locked already. */
  constructor(options: ConnectionOptions) {
    const { clock, stats, handlers, maxFrameBytes, writeTimeoutMs, onHold } = options;
    this.#handlers = handlers;
    this.#tap = options.tap;
    const reader = new FrameReader(options.readable, {
      maxFrameBytes,
      counters: stats,
      onSkipped: (line) => this.#dispatcher.skipped(line),
    });
    this.#writer = new FrameWriter(options.writable, {
      clock,
      writeTimeoutMs,
      counters: stats,
      onFail: (kind) => this.#writeFailure(kind),
    });
    this.#incoming = new OpenRequests((line) => void this.#write(line));
    this.#dispatcher = new Dispatcher({
      stats,
      handlers,
      pending: this.#pending,
      incoming: this.#incoming,
      onMessage: (message) => {
        this.#pump.touch();
        this.#tap?.received(message, this.#frameBytes);
      },
      excerpt: () => reader.excerpt(),
    });
    this.#pump = new Pump({
      reader,
      clock,
      deliver: (frame) => {
        this.#frameBytes = frame.byteLength;
        return this.#dispatcher.deliver(frame);
      },
      onHold: (held) => void this.#dispatcher.guard(() => onHold?.(held)),
      onEnd: (end) => this.#end({ kind: end }),
    });
  }

  /** True while a handler of ours holds the pipe. */
  get held(): boolean {
    return this.#pump.held;
  }

  /** Size of the frame that is being handled, its end not counted. */
  get frameBytes(): number {
    return this.#frameBytes;
  }

  /** Clock time at which the last valid message was handled; before the first, at which the connection was made. */
  get lastFrameAt(): number {
    return this.#pump.lastFrameAt;
  }

  /** The agent's requests that are not answered, the oldest of each id first. */
  get openRequests(): Iterable<IncomingRequest> {
    return this.#incoming;
  }

  /** The oldest unanswered request with exactly this id: 1 is not "1". */
  findRequest(id: RpcId): IncomingRequest | undefined {
    return this.#incoming.find(id);
  }

  start(): void {
    this.#pump.start();
  }

  /**
   * Sends a request. `onAnswer` is called exactly once and never from within this call; what it returns holds the pipe.
   * `sent` is true once the stream accepted the request, false if it never will. Throws `BadArgument` if `params` have no
   * JSON form, and then nothing was sent.
   */
  request(method: string, params: unknown, onAnswer: OnAnswer): { id: number; sent: Promise<boolean> } {
    const id = this.#pending.reserve();
    const line = messageLine({ jsonrpc: '2.0', id, method, params });
    this.#pending.add(id, onAnswer);
    const sent = this.#write(line);
    void sent.then((written) => {
      // After a failed write all are settled together, in order, when the connection ends.
      if (!written && !(this.#open && this.#writeFailed)) this.#settleClosed(this.#pending.take(id));
    });
    return { id, sent };
  }

  /** True once the stream accepted it, false if it never will. Throws `BadArgument`. */
  notify(method: string, params: unknown): Promise<boolean> {
    return this.#write(messageLine({ jsonrpc: '2.0', method, params }));
  }

  /**
   * Lets out what is queued and closes the agent's stdin, `withinMs` after the call at the latest (default: the bound of
   * a write). The agent is still heard. A later request is not sent and settles as `closed`.
   */
  endInput(withinMs?: number): Promise<void> {
    return this.#writer.close(withinMs);
  }

  /**
   * For when the process is gone: resolves when its pipe has been quiet for `quietMs`, or ended, or `maxMs` have passed.
   * Time in which a handler holds the pipe does not count.
   */
  drain(quietMs: number, maxMs: number): Promise<void> {
    return this.#pump.drain(quietMs, maxMs);
  }

  /**
   * Ends the connection from our side: requests settle as `closed` before this returns, nothing more is read, what is
   * queued is let out within `withinMs` (default: the bound of a write). `handlers.end` is not called. Idempotent,
   * never rejects.
   */
  close(withinMs?: number): Promise<void> {
    const written = this.#writer.close(withinMs);
    this.#stop();
    return written;
  }

  #write(line: string): Promise<boolean> {
    this.#tap?.sent(line);
    return this.#writer.write(line);
  }

  #writeFailure(kind: WriteFailure): void {
    if (kind === 'write-timeout') {
      this.#end({ kind });
      return;
    }
    this.#writeFailed = true;
    void this.#pump.drain(LAST_WORDS_QUIET_MS, LAST_WORDS_MAX_MS).then(() => this.#end({ kind }));
  }

  #end(end: ConnectionEnd): void {
    if (!this.#open) return;
    this.#writer.discard();
    void this.#writer.close();
    this.#stop();
    void this.#dispatcher.guard(() => this.#handlers.end(end));
  }

  #stop(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#pump.stop();
    for (const onAnswer of this.#pending.takeAll()) this.#settleClosed(onAnswer);
    this.#incoming.clear();
  }

  #settleClosed(onAnswer: OnAnswer | undefined): void {
    if (onAnswer !== undefined) void this.#dispatcher.settle(onAnswer, CLOSED);
  }
}

function messageLine(message: object): string {
  try {
    return serialize(message);
  } catch {
    throw new BadArgument('params');
  }
}
