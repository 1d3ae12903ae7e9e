import { serialize } from '../framing/frameWriter.js';
import { INTERNAL_ERROR, type IncomingRequest, type RpcId } from './messages.js';

/** Takes the line of an answer. */
type Send = (line: string) => void;

/**
 * The agent's requests that we have not answered. Its ids are its own: 1 and "1" are two requests, the same id twice
 * is two requests as well, and neither has to do with an id of ours.
 */
export class OpenRequests implements Iterable<IncomingRequest> {
  readonly #byId = new Map<RpcId, IncomingRequest[]>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  accept(id: RpcId, method: string, params: unknown): IncomingRequest {
    const request = new Incoming(id, method, params, (line) => {
      this.#forget(request);
      this.#send(line);
    });
    const same = this.#byId.get(id);
    if (same === undefined) this.#byId.set(id, [request]);
    else same.push(request);
    return request;
  }

  /** The oldest open request with this id, of this very type: what `$/cancel_request` names. */
  find(id: RpcId): IncomingRequest | undefined {
    return this.#byId.get(id)?.[0];
  }

  *[Symbol.iterator](): IterableIterator<IncomingRequest> {
    for (const same of this.#byId.values()) yield* same;
  }

  clear(): void {
    this.#byId.clear();
  }

  #forget(request: IncomingRequest): void {
    const same = this.#byId.get(request.id);
    const at = same?.indexOf(request) ?? -1;
    if (at < 0) return;
    if (same?.length === 1) this.#byId.delete(request.id);
    else same?.splice(at, 1);
  }
}

class Incoming implements IncomingRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
  #answer: Send | undefined;

  constructor(id: RpcId, method: string, params: unknown, answer: Send) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.#answer = answer;
  }

  get answered(): boolean {
    return this.#answer === undefined;
  }

  respond(result: unknown): void {
    if (this.answered) return;
    this.#give(resultLine(this.id, result) ?? errorLine(this.id, INTERNAL_ERROR, 'Internal error'));
  }

  refuse(code: number, message: string): void {
    if (this.answered) return;
    this.#give(errorLine(this.id, code, message));
  }

  #give(line: string): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(line);
  }
}

/** A result that has no JSON form is our own fault, but the agent is owed an answer all the same. */
function resultLine(id: RpcId, result: unknown): string | undefined {
  try {
    // Without this a function, say, would leave a response with neither result nor error.
    const json = JSON.stringify(result ?? null) as string | undefined;
    return json === undefined ? undefined : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}\n`;
  } catch {
    return undefined;
  }
}

function errorLine(id: RpcId, code: number, message: string): string {
  return serialize({ jsonrpc: '2.0', id, error: { code, message } });
}
