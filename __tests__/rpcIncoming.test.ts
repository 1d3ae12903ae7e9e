import { OpenRequests } from '../src/rpc/incoming.js';
import type { IncomingRequest, RpcId } from '../src/rpc/messages.js';

function bench(): { open: OpenRequests; sent: unknown[]; lines: string[]; accept(id: RpcId): IncomingRequest } {
  const lines: string[] = [];
  const sent: unknown[] = [];
  const open = new OpenRequests((line) => {
    lines.push(line);
    sent.push(JSON.parse(line));
  });
  return { open, sent, lines, accept: (id) => open.accept(id, 'm', { a: 1 }) };
}

describe('a request of the agent', () => {
  it('is answered once: the first answer counts, later ones do nothing', () => {
    const { sent, accept } = bench();
    const request = accept(1);
    expect(request.answered).toBe(false);
    request.respond({ ok: true });
    expect(request.answered).toBe(true);
    request.respond({ ok: false });
    request.refuse(-32_601, 'Method not found');
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }]);
  });

  it('can be refused', () => {
    const { sent, accept } = bench();
    const request = accept('a');
    request.refuse(-32_601, 'Method not found');
    request.respond({});
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'a', error: { code: -32_601, message: 'Method not found' } }]);
  });

  it.each([1, 0, -1.5, '1', '', 'a"b\\\n', '\ud800', null])('gets its id back as it was: %j', (id) => {
    const { sent, accept } = bench();
    accept(id).respond({});
    accept(id).refuse(-1, 'no');
    expect(sent).toMatchObject([{ id }, { id }]);
  });

  it.each([[undefined], [null]])('gets a result of %s as null', (result) => {
    const { lines, accept } = bench();
    accept(1).respond(result);
    expect(lines).toEqual(['{"jsonrpc":"2.0","id":1,"result":null}\n']);
  });

  it.each([
    ['a bigint', 1n],
    [
      'a cycle',
      Object.assign(
        {},
        {
          get self() {
            return this;
          },
        },
      ),
    ],
    ['a function', () => {}],
    ['a symbol', Symbol('s')],
    ['no JSON form', { toJSON: () => undefined }],
  ])('gets an internal error where our result has no JSON form: %s', (_, result) => {
    const { sent, accept } = bench();
    accept(1).respond(result);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'Internal error' } }]);
  });

  it('is answered in the order of the answers, not of the requests', () => {
    const { sent, accept } = bench();
    const [first, second] = [accept(1), accept(2)];
    second.respond('b');
    first.respond('a');
    expect(sent).toMatchObject([{ id: 2 }, { id: 1 }]);
  });
});

describe('open requests', () => {
  it('with ids 1 and "1" are two', () => {
    const { open, accept, sent } = bench();
    const [number, string] = [accept(1), accept('1')];
    expect([open.find(1), open.find('1')]).toEqual([number, string]);
    number.respond('n');
    expect([open.find(1), open.find('1')]).toEqual([undefined, string]);
    expect(sent).toHaveLength(1);
  });

  it('with the same id are two, found oldest first, and each is answered', () => {
    const { open, accept, sent } = bench();
    const [first, second] = [accept(7), accept(7)];
    expect(open.find(7)).toBe(first);
    first.respond('a');
    expect(open.find(7)).toBe(second);
    second.respond('b');
    expect(open.find(7)).toBeUndefined();
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 7, result: 'a' },
      { jsonrpc: '2.0', id: 7, result: 'b' },
    ]);
  });

  it('can be listed, and are listed no more once answered or cleared', () => {
    const { open, accept } = bench();
    const requests = [accept(1), accept('1'), accept(null), accept(1)];
    expect(new Set(open)).toEqual(new Set(requests));
    requests[1]!.respond({});
    expect([...open]).toHaveLength(3);
    open.clear();
    expect([...open]).toEqual([]);
  });
});
