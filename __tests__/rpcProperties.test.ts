import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { Answer, IncomingRequest } from '../src/rpc/messages.js';
import { settle } from './support/manualClock.js';
import { rpcBench } from './support/rpcBench.js';

// A property is many tests, and the machine may have others to do.
jest.setTimeout(60_000);

const REQUESTS = 6;

/** What an agent may write about the ids 1 to 6, and others. */
const answering = fc.record({
  id: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: REQUESTS + 2 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: REQUESTS + 2 }).map(String) },
    fc.constantFrom<unknown>(null, '01', ' 1', '1.0', 0, -1, 1.5, true),
  ),
  body: fc.constantFrom<object>(
    { result: 1 },
    { result: null },
    { error: { code: -1, message: 'm' } },
    { result: 1, error: null },
    { result: 1, error: { code: 1 } },
    { error: 'boom' },
    {},
  ),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), with: answering }) },
  { weight: 3, arbitrary: fc.constant({ do: 'ask' as const }) },
  fc.constant({ do: 'noise' as const }),
  fc.constant({ do: 'wait' as const }),
);
const ending = fc.constantFrom('end', 'fail', 'close', 'too large');

/** The rule, written again: the id of ours that an answer means, if any. */
function meant(id: unknown, open: Set<number>): number | undefined {
  const named = [...open].find((own) => own === id || String(own) === id);
  return named;
}

describe('correlation', () => {
  it('settles each request exactly once, by its own answer or by the end, whatever the order of things', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), ending, async (steps, how) => {
        const { connection, agent, source, stats, clock } = rpcBench();
        const got: [number, Answer['kind']][] = [];
        const expected: [number, Answer['kind']][] = [];
        const open = new Set<number>();
        let stray = 0;
        let skipped = 0;
        for (const act of steps) {
          if (act.do === 'ask' && open.size < REQUESTS) {
            const { id } = connection.request('m', {}, (answer) => void got.push([id, answer.kind]));
            open.add(id);
          } else if (act.do === 'answer') {
            const { id, body } = act.with;
            agent({ jsonrpc: '2.0', id, ...body });
            const own = meant(id, open);
            if (own !== undefined) {
              open.delete(own);
              expected.push([own, kindOf(body)]);
            } else if (typeof id === 'boolean' || Object.keys(body).length === 0) {
              skipped++;
            } else {
              stray++;
            }
            // An answer is read before the next request is made: the model has no answers under way.
            await settle();
          } else if (act.do === 'noise') {
            agent('noise');
            skipped++;
          } else {
            await settle();
          }
        }
        await settle();
        if (how === 'end') source.end();
        else if (how === 'fail') source.fail();
        else if (how === 'close') void connection.close();
        else agent('x'.repeat(20_000));
        for (const id of open) expected.push([id, 'closed']);
        await settle();
        expect(got).toEqual(expected);
        expect(stats).toMatchObject({ strayResponses: stray, skippedFrames: skipped });
        expect(clock.pending()).toBe(0);
      }),
      { numRuns: 100 },
    ));
});

describe('the id of an agent request', () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.constant(null),
  );

  it('goes back as it came, once for each request, in the order of the answers', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(id, fc.nat(), fc.boolean()), { maxLength: 10 }), async (asked) => {
        const { agent, log, sink } = rpcBench();
        agent(...asked.map(([value]) => ({ jsonrpc: '2.0', id: value, method: 'm' })));
        await settle();
        const requests = log as IncomingRequest[];
        const order = asked.map((_, i) => i).sort((a, b) => asked[a]![1] - asked[b]![1]);
        for (const i of order) {
          const ok = asked[i]![2];
          if (ok) requests[i]!.respond(i);
          else requests[i]!.refuse(i, 'no');
          requests[i]!.respond('again');
        }
        await settle();
        expect(sink.messages()).toEqual(
          order.map((i) => ({
            jsonrpc: '2.0',
            id: asked[i]![0],
            ...(asked[i]![2] ? { result: i } : { error: { code: i, message: 'no' } }),
          })),
        );
      }),
    ));
});

function kindOf(body: { result?: unknown; error?: unknown }): Answer['kind'] {
  const failed = typeof body.error === 'object' && body.error !== null;
  if (failed && body.result === undefined) return 'error';
  return 'result' in body && (body.error ?? undefined) === undefined ? 'result' : 'malformed';
}
