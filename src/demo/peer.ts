/**
 * The demo agent's end of the wire: newline-delimited JSON-RPC 2.0. It shares no framing or correlation with the client
 * on purpose: two ends that were written apart check each other.
 */
import type { Writable } from 'node:stream';
import { INTERNAL_ERROR, METHOD_NOT_FOUND, type RpcId } from '../rpc/messages.js';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const LINE_FEED = 10;
/** A longer line is refused and ends the conversation: what follows it cannot be told apart from its rest. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Becomes the error answer to the request whose handler throws it. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** A result with something to be sent right behind it. */
export class Followed {
  constructor(
    readonly result: object,
    readonly follow: () => void,
  ) {}
}

export const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

export interface PeerHandlers {
  /** What it returns or resolves to is the result, or a `Followed` one. */
  request(method: string, params: unknown, id: RpcId): unknown;
  notification(method: string, params: unknown): void;
}

/** `undefined` where the client answered with an error, or is gone. */
export type PeerAnswer = { result: unknown } | undefined;

/** `undefined` stands for a line over the cap; nothing follows it. */
async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      parts.push(bytes.subarray(from, at));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      from = at + 1;
    }
    size += bytes.length - from;
    if (size > MAX_LINE_BYTES) {
      yield undefined;
      return;
    }
    parts.push(bytes.subarray(from));
  }
}

export class Peer {
  #nextId = 1;
  #ended = false;
  readonly #owed = new Map<number, (answer: PeerAnswer) => void>();
  readonly #atWork = new Set<Promise<void>>();
  readonly #output: Writable;
  readonly #handlers: PeerHandlers;

  constructor(output: Writable, handlers: PeerHandlers) {
    this.#output = output;
    this.#handlers = handlers;
  }

  /** Reads until the input ends, the client no longer reads, or a line is too long. Owed answers then come back `undefined`. */
  async read(input: AsyncIterable<Uint8Array | string>): Promise<void> {
    // Stays for good: a failed write may be reported after the conversation, and unheard it would end the process.
    this.#output.on('error', () => this.#end());
    try {
      for await (const line of linesOf(input)) {
        if (line === undefined) this.#refuse(null, INVALID_REQUEST, 'Line too long');
        if (line === undefined || this.#ended) break;
        if (line.trim() !== '') this.#receive(line);
      }
    } catch {
      // A broken input is an ended one.
    }
    for (const settle of this.#owed.values()) settle(undefined);
    this.#owed.clear();
  }

  /** Waits for the answers that are still being worked on; nothing is written after it. */
  async finish(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
    this.#ended = true;
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  request(method: string, params: object): { id: number; answer: Promise<PeerAnswer> } {
    const id = this.#nextId++;
    const answer = new Promise<PeerAnswer>((resolve) => this.#owed.set(id, resolve));
    if (this.#ended) this.#settle(id, undefined);
    else this.#write({ id, method, params });
    return { id, answer };
  }

  /** Resolves when the client has taken enough of what was written; also when it never will. */
  drained(): Promise<void> {
    const output = this.#output;
    if (!output.writableNeedDrain || output.destroyed || this.#ended) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        output.off('drain', done).off('close', done).off('error', done);
        resolve();
      };
      output.on('drain', done).on('close', done).on('error', done);
    });
  }

  #receive(line: string): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch {
      return this.#refuse(null, PARSE_ERROR, 'Parse error');
    }
    const message = asRecord(parsed);
    if (!message || message['jsonrpc'] !== '2.0') return this.#refuse(null, INVALID_REQUEST, 'Invalid request');
    const { id, method, params } = message;
    if (typeof method === 'string') {
      if (id === undefined) this.#handlers.notification(method, params);
      else if (typeof id === 'string' || Number.isInteger(id)) this.#serve(id as RpcId, method, params);
      else this.#refuse(null, INVALID_REQUEST, 'Invalid request id');
    } else if (typeof id === 'number' && this.#owed.has(id)) {
      this.#settle(id, Object.hasOwn(message, 'result') ? { result: message['result'] } : undefined);
    } else if (!Object.hasOwn(message, 'result') && !Object.hasOwn(message, 'error')) {
      this.#refuse(null, INVALID_REQUEST, 'Invalid request');
    }
  }

  #serve(id: RpcId, method: string, params: unknown): void {
    const work = (async () => this.#handlers.request(method, params, id))().then(
      (result) => {
        this.#write({ id, result: result instanceof Followed ? result.result : result });
        if (result instanceof Followed) result.follow();
      },
      (error: unknown) => {
        if (error instanceof Refusal) this.#refuse(id, error.code, error.message, error.data);
        else this.#refuse(id, INTERNAL_ERROR, 'Internal error');
      },
    );
    this.#atWork.add(work);
    void work.then(() => this.#atWork.delete(work));
  }

  #settle(id: number, answer: PeerAnswer): void {
    this.#owed.get(id)?.(answer);
    this.#owed.delete(id);
  }

  #refuse(id: RpcId, code: number, message: string, data?: unknown): void {
    this.#write({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  #end(): void {
    this.#ended = true;
    for (const id of [...this.#owed.keys()]) this.#settle(id, undefined);
  }

  #write(message: object): void {
    if (!this.#ended) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

export const methodNotFound = (): Refusal => new Refusal(METHOD_NOT_FOUND, 'Method not found');
