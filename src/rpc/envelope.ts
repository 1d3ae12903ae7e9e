import { INTERNAL_ERROR, type Answer, type RpcId } from './messages.js';

/** What a JSON object is in JSON-RPC 2.0. A missing `jsonrpc` member is no reason to refuse one. */
export type Envelope =
  | { kind: 'request'; id: RpcId; method: string; params: unknown }
  | { kind: 'notification'; method: string; params: unknown }
  | { kind: 'response'; id: RpcId; answer: Answer }
  /** An id and none of method, result, error: a malformed response if we wait for that id, and otherwise no message. */
  | { kind: 'hollow'; id: RpcId }
  | { kind: 'skip' };

export const MALFORMED: Answer = { kind: 'malformed' };
const SKIP: Envelope = { kind: 'skip' };

/**
 * On the path of every frame: plain reads cost a tenth of `Object.hasOwn`. JSON has no undefined, so that it means
 * absent, and what `JSON.parse` made inherits from `Object.prototype` alone, whose keys the agent cannot set.
 */
export function classify(message: Record<string, unknown>): Envelope {
  const { id, method, params } = message;
  if (id !== undefined && !isRpcId(id)) return SKIP;
  if (typeof method === 'string') {
    return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
  }
  if (method !== undefined || id === undefined) return SKIP;
  const answer = answerOf(message.result, message.error);
  return answer === undefined ? { kind: 'hollow', id } : { kind: 'response', id, answer };
}

/** A number that JSON writes but a double does not hold (1e400) could not be given back: no id. */
function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id));
}

/** A null member reads as absent, but a null result alone is a result: what `session/load` answers. */
function answerOf(result: unknown, error: unknown): Answer | undefined {
  if (error === undefined || error === null) {
    if (result !== undefined) return { kind: 'result', result };
    return error === null ? MALFORMED : undefined;
  }
  const both = result !== undefined && result !== null;
  if (both || typeof error !== 'object' || Array.isArray(error)) return MALFORMED;
  return errorOf(error as Record<string, unknown>);
}

function errorOf({ code, message, data }: Record<string, unknown>): Answer {
  return {
    kind: 'error',
    code: Number.isInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : undefined,
    data,
  };
}
