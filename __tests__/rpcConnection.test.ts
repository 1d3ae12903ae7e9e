import { BadArgument } from '../src/rpc/badArgument.js';
import type { IncomingRequest } from '../src/rpc/messages.js';
import { settle } from './support/manualClock.js';
import { rpcBench } from './support/rpcBench.js';

const result = (value: unknown): unknown => ({ kind: 'result', result: value });
const CLOSED = { kind: 'closed' };

describe('our messages', () => {
  it('are JSON-RPC 2.0 with integer ids from 1', async () => {
    const { connection, sink, ask, stats } = rpcBench();
    expect(ask('initialize', { protocolVersion: 1 }).id).toBe(1);
    expect(ask('session/new').id).toBe(2);
    expect(await connection.notify('session/cancel', { sessionId: 's' })).toBe(true);
    expect(sink.messages()).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'session/new' },
      { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } },
    ]);
    expect(stats).toMatchObject({ framesOut: 3, bytesOut: sink.writes.join('').length });
  });

  it('leave before the pump is started, too', () => {
    const { sink, ask } = rpcBench({ started: false });
    ask('initialize');
    expect(sink.messages()).toHaveLength(1);
  });

  it('without a JSON form are refused as an argument, and nothing is sent or owed', async () => {
    const { connection, sink, log } = rpcBench();
    const ask = (): unknown => connection.request('m', { n: 1n }, (answer) => void log.push(answer));
    expect(ask).toThrow(BadArgument);
    expect(() => connection.notify('m', { n: 1n })).toThrow(expect.objectContaining({ argument: 'params' }));
    await connection.close();
    expect([sink.writes, log]).toEqual([[], []]);
  });
});

describe('an answer', () => {
  it('settles the request whose id it has, in the order in which answers come', async () => {
    const { agent, ask, log, stats } = rpcBench();
    ask('a');
    ask('b');
    agent({ id: 2, result: 'B' }, { jsonrpc: '2.0', id: '1', error: { code: -32_000, message: 'm', data: 1 } });
    await settle();
    expect(log).toEqual([
      [2, result('B')],
      [1, { kind: 'error', code: -32_000, message: 'm', data: 1 }],
    ]);
    expect(stats).toMatchObject({ framesIn: 2, strayResponses: 0 });
  });

  it.each([
    ['both for real', { result: {}, error: { code: 1, message: 'm' } }],
    ['neither', {}],
    ['an error that is no object', { error: 'boom' }],
  ])('with %s is malformed for that request', async (_, members) => {
    const { agent, ask, log, stats } = rpcBench();
    ask('a');
    agent({ jsonrpc: '2.0', id: 1, ...members });
    await settle();
    expect(log).toEqual([[1, { kind: 'malformed' }]]);
    expect(stats).toMatchObject({ framesIn: 1, skippedFrames: 0, strayResponses: 0 });
  });

  it.each([
    ['an unknown id', { id: 9, result: 1 }],
    ['the id null', { id: null, error: { code: -32_700, message: 'm' } }],
    ['another spelling of the id', { id: '01', result: 1 }],
    ['an unknown id, malformed', { id: 9, error: 'boom' }],
  ])('with %s is stray, counted and ignored', async (_, message) => {
    const { agent, ask, log, stats, sink } = rpcBench();
    ask('a');
    agent(message);
    await settle();
    expect(log).toEqual([]);
    expect(stats).toMatchObject({ framesIn: 1, strayResponses: 1 });
    expect(sink.writes).toHaveLength(1);
  });

  it('that comes twice is stray the second time', async () => {
    const { agent, ask, log, stats } = rpcBench();
    ask('a');
    ask('b');
    agent({ id: 1, result: 'x' }, { id: 1, result: 'y' });
    await settle();
    expect(log).toEqual([[1, result('x')]]);
    expect(stats.strayResponses).toBe(1);
  });

  it('settles after what came before it was delivered', async () => {
    const { agent, ask, log } = rpcBench();
    ask('session/prompt');
    agent({ method: 'u', params: 1 }, { method: 'u', params: 2 }, { id: 1, result: 'end' }, { method: 'u', params: 3 });
    await settle();
    expect(log).toEqual([
      ['u', 1],
      ['u', 2],
      [1, result('end')],
      ['u', 3],
    ]);
  });
});

describe('a request of the agent', () => {
  const takeAll = (log: unknown[]): IncomingRequest[] => log as IncomingRequest[];

  it('is a request whatever its id, and settles none of ours', async () => {
    const { agent, ask, log, sink } = rpcBench();
    ask('session/prompt');
    agent({ id: 1, method: 'fs/read_text_file', params: { path: '/x' } });
    await settle();
    const [request] = takeAll(log);
    expect(request).toMatchObject({ id: 1, method: 'fs/read_text_file', params: { path: '/x' }, answered: false });
    request!.refuse(-32_601, 'Method not found');
    expect(log).toHaveLength(1);
    expect(sink.messages()[1]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_601, message: 'Method not found' },
    });
    agent({ id: 1, result: 'end' });
    await settle();
    expect(log[1]).toEqual([1, result('end')]);
  });

  it('is found by exactly its id until it is answered', async () => {
    const { agent, log, connection } = rpcBench();
    agent({ id: 1, method: 'a' }, { id: '1', method: 'b' });
    await settle();
    const [number, string] = takeAll(log);
    expect([connection.findRequest(1), connection.findRequest('1')]).toEqual([number, string]);
    string!.respond({});
    expect(connection.findRequest('1')).toBeUndefined();
    expect([...connection.openRequests]).toEqual([number]);
  });

  it('gets its answer in the order of the answers, also while the agent does not read', async () => {
    const { agent, log, sink } = rpcBench({ stalled: true });
    agent({ id: 'a', method: 'm' }, { id: 'b', method: 'm' }, { id: 'c', method: 'm' });
    await settle();
    const [a, b, c] = takeAll(log);
    c!.respond(1);
    a!.respond(2);
    b!.respond(3);
    sink.flow();
    await settle();
    expect(sink.messages().map((message: any) => message.id)).toEqual(['c', 'a', 'b']);
  });
});

describe('a line that is no message', () => {
  it('is counted, shown, never answered, and does not touch the clock of frames', async () => {
    const { agent, log, stats, sink, clock, connection } = rpcBench();
    clock.advance(500);
    agent(
      'noise',
      '42',
      { type: 'text' },
      [{ id: 1, method: 'm' }],
      { error: { code: 1 } },
      { id: 5 },
      { id: 1, method: 2 },
    );
    await settle();
    expect(log).toEqual([
      ['skipped', 'noise'],
      ['skipped', '42'],
      ['skipped', '{"type":"text"}'],
      ['skipped', '[{"id":1,"method":"m"}]'],
      ['skipped', '{"error":{"code":1}}'],
      ['skipped', '{"id":5}'],
      ['skipped', '{"id":1,"method":2}'],
    ]);
    expect(stats).toMatchObject({ framesIn: 0, skippedFrames: 7, strayResponses: 0 });
    expect(sink.writes).toEqual([]);
    expect(connection.lastFrameAt).toBe(1_000);
  });

  it('is cut to 4,096 characters when shown', async () => {
    const { agent, log } = rpcBench();
    agent({ text: 'x'.repeat(5_000) });
    await settle();
    expect(log).toEqual([['skipped', `{"text":"${'x'.repeat(4_087)}`]]);
  });
});

describe('counters', () => {
  it('tell bytes, messages and repaired messages', async () => {
    const { source, stats, log } = rpcBench();
    const bytes = Buffer.from('{"method":"m","params":"XX"}\n{"method":"n"}\n{"a":"XX"}\n');
    for (let at = bytes.indexOf('XX'); at >= 0; at = bytes.indexOf('XX')) bytes.fill(0xff, at, at + 2);
    source.push(bytes);
    await settle();
    expect(log.slice(0, 2)).toEqual([
      ['m', '\ufffd\ufffd'],
      ['n', undefined],
    ]);
    expect(stats).toMatchObject({ bytesIn: bytes.length, framesIn: 2, repairedFrames: 1, skippedFrames: 1 });
  });

  it('the clock of frames stands at the last valid message', async () => {
    const { agent, clock, connection } = rpcBench();
    clock.advance(500);
    agent({ method: 'm' });
    await settle();
    expect(connection.lastFrameAt).toBe(1_500);
    clock.advance(500);
    agent('noise');
    await settle();
    expect(connection.lastFrameAt).toBe(1_500);
    agent({ id: 77, result: 'stray' });
    await settle();
    expect(connection.lastFrameAt).toBe(2_000);
  });

  it('tell the size of the frame that is handled', async () => {
    const sizes: number[] = [];
    const bench = rpcBench({ handlers: { notification: () => void sizes.push(bench.connection.frameBytes) } });
    bench.agent('{"method":"m"}', ' {"method":"m"}\r');
    await settle();
    expect(sizes).toEqual([14, 15]);
  });
});

describe('the end of the stream', () => {
  it('settles what is pending in the order of ids, then is told once, and nothing is written after', async () => {
    const { source, ask, log, connection, sink } = rpcBench();
    for (const method of ['a', 'b', 'c']) ask(method);
    await settle();
    source.push('{"id":2,"result":0}');
    source.end();
    await settle();
    expect(log).toEqual([
      [2, result(0)],
      [1, CLOSED],
      [3, CLOSED],
      ['end', { kind: 'ended' }],
    ]);
    expect(await connection.notify('m', {})).toBe(false);
    expect(sink.calls).toEqual(['write', 'write', 'close']);
    expect(source.calls.slice(-2)).toEqual(['cancel', 'release']);
  });

  it.each([
    [
      'a line above the cap',
      { kind: 'frame-too-large' },
      (b: ReturnType<typeof rpcBench>) => b.agent('x'.repeat(10_001)),
    ],
    ['a failed read', { kind: 'io' }, (b: ReturnType<typeof rpcBench>) => b.source.fail()],
  ])('comes with %s', async (_, end, act) => {
    const bench = rpcBench();
    bench.ask('a');
    act(bench);
    bench.agent({ id: 1, result: 'too late' });
    await settle();
    expect(bench.log).toEqual([
      [1, CLOSED],
      ['end', end],
    ]);
    expect(bench.stats.skippedFrames).toBe(0);
  });

  it('drops what waits behind a write that hangs, and bounds the closing', async () => {
    const { source, ask, log, sink, clock, connection } = rpcBench({ stalled: true });
    const [a, b] = [ask('a'), ask('b')];
    source.end();
    await settle();
    expect(log).toEqual([
      [1, CLOSED],
      [2, CLOSED],
      ['end', { kind: 'ended' }],
    ]);
    expect(await b.sent).toBe(false);
    await clock.run(1_000);
    expect(await a.sent).toBe(false);
    expect(sink.calls).toEqual(['write', 'abort']);
    await connection.close();
    expect(clock.pending()).toBe(0);
    expect(log).toHaveLength(3);
  });

  it('leaves a later request closed, once, and not from within the call', async () => {
    const { source, ask, log } = rpcBench();
    source.end();
    await settle();
    log.length = 0;
    const { sent } = ask('late');
    expect(log).toEqual([]);
    expect(await sent).toBe(false);
    expect(log).toEqual([[1, CLOSED]]);
  });

  it('may be answered by another request of ours, which is closed as well', async () => {
    const { source, connection, log } = rpcBench();
    connection.request('a', {}, () => {
      connection.request('again', {}, (answer) => void log.push(answer));
    });
    source.end();
    await settle();
    expect(log).toEqual([['end', { kind: 'ended' }], CLOSED]);
  });

  it('makes an answer to the agent a matter of nothing', async () => {
    const { source, agent, log, sink, connection } = rpcBench();
    agent({ id: 1, method: 'm' });
    source.end();
    await settle();
    expect([...connection.openRequests]).toEqual([]);
    (log[0] as IncomingRequest).respond({});
    expect(sink.writes).toEqual([]);
  });
});

describe('a failed write', () => {
  it('lets the agent finish its words: what is in the pipe is delivered, then all ends in order', async () => {
    const { agent, ask, log, sink, clock } = rpcBench();
    ask('a');
    ask('b');
    await settle();
    sink.fail();
    const { sent } = ask('c');
    expect(await sent).toBe(false);
    agent({ method: 'u' }, { id: 2, result: 'B' });
    await clock.run(40);
    agent({ method: 'v' });
    await clock.run(40);
    expect(log).toEqual([
      ['u', undefined],
      [2, result('B')],
      ['v', undefined],
    ]);
    await clock.run(10);
    expect(log.slice(3)).toEqual([
      [1, CLOSED],
      [3, CLOSED],
      ['end', { kind: 'io' }],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('ends within a second although the agent talks on', async () => {
    const { agent, log, sink, clock, connection } = rpcBench();
    sink.fail();
    await connection.notify('m', {});
    for (let i = 0; i < 40; i++) {
      agent('noise');
      await clock.run(25);
    }
    expect(log.at(-1)).toEqual(['end', { kind: 'io' }]);
  });

  it('is the end of the stream where the stream ends first', async () => {
    const { source, log, sink, connection } = rpcBench();
    sink.fail();
    await connection.notify('m', {});
    source.end();
    await settle();
    expect(log).toEqual([['end', { kind: 'ended' }]]);
  });

  it('by its bound ends at once', async () => {
    const { ask, log, clock, sink } = rpcBench({ stalled: true });
    ask('a');
    ask('b');
    await clock.run(1_000);
    expect(log).toEqual([
      [1, CLOSED],
      [2, CLOSED],
      ['end', { kind: 'write-timeout' }],
    ]);
    expect(sink.calls).toEqual(['write', 'abort']);
    expect(clock.pending()).toBe(0);
  });
});

describe('close', () => {
  it('settles what is pending within the call, lets out what is queued, and tells no end', async () => {
    const { agent, ask, log, sink, source, connection } = rpcBench({ stalled: true });
    ask('a');
    const notified = connection.notify('session/cancel', {});
    const closed = connection.close();
    expect(log).toEqual([[1, CLOSED]]);
    sink.flow();
    await closed;
    expect(await notified).toBe(true);
    agent({ method: 'late' }, { id: 1, result: 'late' });
    source.end();
    await settle();
    expect(log).toHaveLength(1);
    expect(sink.calls).toEqual(['write', 'write', 'close']);
    expect(source.calls).toEqual(['read', 'cancel', 'release']);
  });

  it('is done within its bound', async () => {
    const { ask, connection, clock, sink } = rpcBench({ stalled: true });
    const { sent } = ask('a');
    const closed = connection.close(200);
    await clock.run(200);
    await closed;
    expect(await sent).toBe(false);
    expect(sink.calls).toEqual(['write', 'abort']);
    expect(clock.pending()).toBe(0);
  });

  it('can be called any number of times, also after the end', async () => {
    const { source, connection, log, sink } = rpcBench();
    source.end();
    await settle();
    await Promise.all([connection.close(), connection.close(1)]);
    await connection.close();
    expect(log).toEqual([['end', { kind: 'ended' }]]);
    expect(sink.calls).toEqual(['close']);
  });

  it('from within a handler stops at that frame', async () => {
    const bench = rpcBench({
      handlers: {
        notification: (method) => {
          bench.log.push(method);
          void bench.connection.close();
        },
      },
    });
    bench.agent({ method: 'first' }, { method: 'second' });
    await settle();
    expect(bench.log).toEqual(['first']);
  });

  it('before the start leaves a later start without effect', async () => {
    const { connection, source, agent, log } = rpcBench({ started: false });
    await connection.close();
    connection.start();
    agent({ method: 'm' });
    await settle();
    expect([log, source.calls]).toEqual([[], ['cancel', 'release']]);
  });

  it('does not wait for a stream that never lets itself be cancelled', async () => {
    const { connection, source } = rpcBench();
    source.getReader().cancel = () => new Promise(() => {});
    await connection.close();
    expect(source.calls.at(-1)).toBe('release');
  });
});

describe('the end of our input', () => {
  it('closes the stream after what is queued, and the agent is still heard', async () => {
    const { agent, ask, log, sink, connection } = rpcBench({ stalled: true });
    ask('a');
    void connection.notify('n', {});
    const ended = connection.endInput();
    sink.flow();
    await ended;
    expect(sink.calls).toEqual(['write', 'write', 'close']);
    agent({ method: 'u' }, { id: 1, result: 'A' });
    await settle();
    expect(log).toEqual([
      ['u', undefined],
      [1, result('A')],
    ]);
  });

  it('leaves a later request closed and a later notification unsent', async () => {
    const { ask, log, connection } = rpcBench();
    await connection.endInput();
    expect(await ask('late').sent).toBe(false);
    expect(await connection.notify('late', {})).toBe(false);
    expect(log).toEqual([[1, CLOSED]]);
  });

  it('settles requests that did not get out within its bound, and ends nothing else', async () => {
    const { agent, ask, log, connection, clock } = rpcBench({ stalled: true });
    ask('a');
    ask('b');
    const ended = connection.endInput(100);
    await clock.run(100);
    await ended;
    expect(log).toEqual([
      [1, CLOSED],
      [2, CLOSED],
    ]);
    agent({ method: 'u' });
    await settle();
    expect(log).toHaveLength(3);
  });
});

describe('web streams', () => {
  it('carry a connection both ways', async () => {
    const { Connection } = await import('../src/rpc/connection.js');
    const { systemClock } = await import('../src/framing/clock.js');
    const { newStats } = await import('../src/rpc/stats.js');
    const toAgent = new TransformStream<Uint8Array, Uint8Array>();
    const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
    const ends: unknown[] = [];
    const connection = new Connection({
      readable: fromAgent.readable,
      writable: toAgent.writable,
      maxFrameBytes: 1_000,
      writeTimeoutMs: 1_000,
      clock: systemClock,
      stats: newStats(),
      handlers: { notification: () => {}, request: () => {}, skipped: () => {}, end: (end) => void ends.push(end) },
    });
    connection.start();
    const answered = new Promise((resolve) => connection.request('m', { a: 1 }, resolve));
    const agent = { reader: toAgent.readable.getReader(), writer: fromAgent.writable.getWriter() };
    const { value } = await agent.reader.read();
    expect(new TextDecoder().decode(value)).toBe('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}\n');
    await agent.writer.write(new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":7}\n'));
    expect(await answered).toEqual(result(7));
    await agent.writer.close();
    expect(await agent.reader.read()).toEqual({ done: true, value: undefined });
    expect(ends).toEqual([{ kind: 'ended' }]);
  });
});
