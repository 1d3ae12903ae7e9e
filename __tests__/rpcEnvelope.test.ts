import { classify } from '../src/rpc/envelope.js';

const of = (line: string): unknown => classify(JSON.parse(line) as Record<string, unknown>);
const response = (answer: unknown, id: unknown = 1): unknown => ({ kind: 'response', id, answer });
const failure = (code: number, message?: string, data?: unknown): unknown =>
  response({ kind: 'error', code, message, data });

describe('an object with a method', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}', 1],
    ['{"id":1,"method":"m","params":{"a":1}}', 1],
    ['{"id":"1","method":"m","params":{"a":1}}', '1'],
    ['{"id":"","method":"m","params":{"a":1}}', ''],
    ['{"id":null,"method":"m","params":{"a":1}}', null],
    ['{"id":0,"method":"m","params":{"a":1}}', 0],
    ['{"id":-1.5,"method":"m","params":{"a":1}}', -1.5],
    ['{"id":1,"method":"m","params":{"a":1},"result":1,"error":2}', 1],
    ['{"jsonrpc":"1.0","id":1,"method":"m","params":{"a":1}}', 1],
  ])('and an id is a request: %s', (line, id) => {
    expect(of(line)).toEqual({ kind: 'request', id, method: 'm', params: { a: 1 } });
  });

  it.each([
    ['{"jsonrpc":"2.0","method":"m"}', undefined],
    ['{"method":"m","params":null}', null],
    ['{"method":"m","params":[1]}', [1]],
    ['{"method":"m","params":"x","result":1}', 'x'],
  ])('and none is a notification: %s', (line, params) => {
    expect(of(line)).toEqual({ kind: 'notification', method: 'm', params });
  });

  it('may have an empty name', () => {
    expect(of('{"method":""}')).toMatchObject({ kind: 'notification', method: '' });
  });
});

describe('an object with an id and no method', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"a":1}}', response({ kind: 'result', result: { a: 1 } })],
    ['{"id":"1","result":0}', response({ kind: 'result', result: 0 }, '1')],
    ['{"id":1,"result":false}', response({ kind: 'result', result: false })],
    ['{"id":1,"result":null}', response({ kind: 'result', result: null })],
    ['{"id":1,"result":{},"error":null}', response({ kind: 'result', result: {} })],
    ['{"id":1,"result":null,"error":null}', response({ kind: 'result', result: null })],
  ])('succeeds: %s', (line, envelope) => {
    expect(of(line)).toEqual(envelope);
  });

  it.each([
    ['{"id":1,"error":{"code":-32000,"message":"m","data":[1]}}', failure(-32_000, 'm', [1])],
    ['{"id":1,"error":{"code":5,"message":"m"},"result":null}', failure(5, 'm')],
    ['{"id":1,"error":{}}', failure(-32_603)],
    ['{"id":1,"error":{"code":"E_FAIL","message":"m"}}', failure(-32_603, 'm')],
    ['{"id":1,"error":{"code":true,"message":42}}', failure(-32_603)],
    ['{"id":1,"error":{"code":1.5}}', failure(-32_603)],
    ['{"id":1,"error":{"code":1e400}}', failure(-32_603)],
    ['{"id":1,"error":{"code":1,"data":null}}', failure(1, undefined, null)],
  ])('fails: %s', (line, envelope) => {
    expect(of(line)).toEqual(envelope);
  });

  it.each([
    '{"id":1,"result":{},"error":{"code":1,"message":"m"}}',
    '{"id":1,"result":false,"error":{}}',
    '{"id":1,"result":{},"error":"boom"}',
    '{"id":1,"error":"boom"}',
    '{"id":1,"error":42}',
    '{"id":1,"error":false}',
    '{"id":1,"error":[]}',
    '{"id":1,"error":null}',
    '{"id":1,"error":"boom","result":null}',
  ])('is malformed: %s', (line) => {
    expect(of(line)).toEqual(response({ kind: 'malformed' }));
  });

  it('may have the id null, which belongs to nobody', () => {
    expect(of('{"id":null,"result":1}')).toEqual(response({ kind: 'result', result: 1 }, null));
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"id":"1","type":"text"}', '1'],
    ['{"id":null}', null],
  ])('is hollow without result and error: %s', (line, id) => {
    expect(of(line)).toEqual({ kind: 'hollow', id });
  });
});

describe('any other object is no message', () => {
  it.each([
    '{}',
    '{"type":"text","content":"bare chunk"}',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}',
    '{"result":{}}',
    '{"id":1,"method":12,"params":{}}',
    '{"id":1,"method":null,"result":{}}',
    '{"method":null}',
    '{"method":{}}',
    '{"id":true,"method":"m"}',
    '{"id":{},"method":"m"}',
    '{"id":[1],"method":"m"}',
    '{"id":true,"result":1}',
    '{"id":{},"error":{"code":1}}',
    '{"id":1e400,"method":"m"}',
    '{"__proto__":{"id":1,"method":"m"}}',
  ])('%s', (line) => {
    expect(of(line)).toEqual({ kind: 'skip' });
  });
});
