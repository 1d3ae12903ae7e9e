/** Messages by method, form and kind: what two conversations are compared by, and what people are told of them. */
import { classify } from '../rpc/envelope.js';
import { isObject, textOf } from '../wire/values.js';

export type Message = Record<string, unknown>;

/** Where what was recorded and what happened part. */
export interface Divergence {
  /** Of the recording. */
  line: number;
  expected: string;
  got: string;
}

export const keyOf = (id: unknown): string => JSON.stringify(id ?? null);

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

export const sessionIn = (message: Message): string | undefined => textOf(member(message['params'], 'sessionId'));

function ofAnswer(message: Message, method: string | undefined): string {
  const to = `the answer to ${method ?? `request ${keyOf(message['id'])}`}`;
  const { result, error } = message;
  if (error !== undefined && error !== null) return `${to}: error ${JSON.stringify(member(error, 'code'))}`;
  const outcome = member(result, 'outcome');
  const said = [
    ...['stopReason', 'protocolVersion', 'action'].map((name) => member(result, name)),
    ...(isObject(outcome) ? [outcome['outcome'], outcome['optionId']] : []),
  ].filter((word) => typeof word === 'string' || typeof word === 'number');
  const members = isObject(result) ? Object.keys(result).filter((name) => name !== '_meta') : [];
  const has = said.length > 0 ? said.join(' ') : `a result with ${members.sort().join(', ') || 'nothing'}`;
  return `${to}: ${has}`;
}

function ofUpdate(params: unknown): string {
  const update = member(params, 'update');
  const words = ['sessionUpdate', 'kind', 'status', 'state', 'stopReason'].map((name) => textOf(member(update, name)));
  return `session/update ${words.filter((word) => word !== undefined).join(' ')}`;
}

function ofQuestion(params: unknown): string {
  const options = member(params, 'options');
  const kinds = Array.isArray(options) ? options.map((option) => textOf(member(option, 'kind')) ?? '?') : [];
  return `session/request_permission (${kinds.join(', ')})`;
}

/** One line. `method`: of the request that this is an answer to. */
export function told(message: Message, method?: string): string {
  const envelope = classify(message);
  if (envelope.kind === 'response') return ofAnswer(message, method);
  if (envelope.kind !== 'request' && envelope.kind !== 'notification') return 'no message';
  if (envelope.method === 'session/update') return ofUpdate(envelope.params);
  if (envelope.method === 'session/request_permission') return ofQuestion(envelope.params);
  return envelope.kind === 'request' ? envelope.method : `${envelope.method}, a notification`;
}
