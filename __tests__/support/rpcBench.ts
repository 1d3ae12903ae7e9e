import { Connection } from '../../src/rpc/connection.js';
import type { Answer, ConnectionHandlers } from '../../src/rpc/messages.js';
import { newStats, type Stats } from '../../src/rpc/stats.js';
import { byteSink, byteSource, type ByteSink, type ByteSource } from './byteStreams.js';
import { manualClock, type ManualClock } from './manualClock.js';

export interface RpcBench {
  source: ByteSource;
  sink: ByteSink;
  clock: ManualClock;
  stats: Stats;
  connection: Connection;
  /** What the floor above was told, in order. */
  log: unknown[];
  /** The agent sends these, one line each. */
  agent(...messages: (object | string)[]): void;
  /** Sends a request whose answer goes to the log. */
  ask(method: string, params?: unknown): { id: number; sent: Promise<boolean> };
}

export interface RpcBenchOptions {
  stalled?: boolean;
  maxFrameBytes?: number;
  handlers?: Partial<ConnectionHandlers>;
  onHold?: (held: boolean) => void;
  started?: boolean;
}

/** A connection between streams that a test drives, with a floor above that writes down what it is told. */
export function rpcBench(options: RpcBenchOptions = {}): RpcBench {
  const { stalled = false, maxFrameBytes = 10_000, started = true, onHold } = options;
  const source = byteSource();
  const sink = byteSink({ stalled });
  const clock = manualClock(1_000);
  const stats = newStats();
  const log: unknown[] = [];
  const handlers: ConnectionHandlers = {
    notification: (method, params) => void log.push([method, params]),
    request: (request) => void log.push(request),
    skipped: (line) => void log.push(['skipped', line]),
    end: (end) => void log.push(['end', end]),
    ...options.handlers,
  };
  const connection = new Connection({
    readable: source,
    writable: sink,
    maxFrameBytes,
    writeTimeoutMs: 1_000,
    clock,
    stats,
    handlers,
    ...(onHold && { onHold }),
  });
  if (started) connection.start();
  return {
    source,
    sink,
    clock,
    stats,
    connection,
    log,
    agent: (...messages) =>
      source.push(
        messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join(''),
      ),
    ask: (method, params) => {
      const asked = connection.request(method, params, (answer: Answer) => void log.push([asked.id, answer]));
      return asked;
    },
  };
}

/** A promise that a test settles. */
export function gate(): { promise: Promise<void>; open(): void; break(): void } {
  let open!: () => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, break: () => fail(new Error('mine')) };
}
