import { INTERNAL_ERROR } from './messages.js';

/** Thrown by a handler of the embedder's: the agent's request is refused by this JSON-RPC code and message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: number;

  /** @param message goes to the agent. A code that is no integer becomes -32603. */
  constructor(code: number, message = 'Refused') {
    super(message);
    this.code = Number.isSafeInteger(code) ? code : INTERNAL_ERROR;
  }
}
