import fc from 'fast-check';
import { decisionLines, Ledger, LEDGER_LIMIT } from '../src/policy/ledger.js';
import type { Decision } from '../src/policy/permission.js';

const decision = (requestId: number | string, extra: Partial<Decision> = {}): Decision => ({
  requestId,
  sessionId: 's-1',
  outcome: 'cancelled',
  policy: 'cancel',
  cause: 'policy',
  latencyMs: 0,
  ...extra,
});

describe('the ledger', () => {
  it('keeps the newest thousand, in order, whatever came before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * LEDGER_LIMIT + 10 }), (count) => {
        const ledger = new Ledger();
        for (let i = 0; i < count; i++) ledger.add(decision(i));
        const kept = ledger.decisions.map(({ requestId }) => requestId);
        expect(kept).toEqual(Array.from({ length: count }, (_, i) => i).slice(-LEDGER_LIMIT));
      }),
      { numRuns: 15, examples: [[0], [999], [1000], [1001]] },
    );
  });

  it('is append-only: what was read does not change, and nobody can change it', () => {
    const ledger = new Ledger();
    const first = ledger.add(decision(1));
    const read = ledger.decisions;
    ledger.add(decision(2));
    expect(read).toEqual([first]);
    expect(() => (read as Decision[]).push(first)).toThrow(TypeError);
    expect(() => (first.cause = 'answer')).toThrow(TypeError);
  });

  it('copies what it is given', () => {
    const ledger = new Ledger();
    const given = decision(1);
    ledger.add(given);
    given.outcome = 'selected';
    expect(ledger.decisions[0]?.outcome).toBe('cancelled');
  });

  it('keeps the type of a request id', () => {
    const ledger = new Ledger();
    ledger.add(decision(1));
    ledger.add(decision('1'));
    expect(ledger.decisions.map(({ requestId }) => requestId)).toEqual([1, '1']);
  });

  it('cuts ids of an absurd length, so that a thousand of them cost little', () => {
    const ledger = new Ledger();
    const long = 'x'.repeat(1_000_000);
    const entry = ledger.add(
      decision(long, { sessionId: long, toolCallId: long, optionId: long, optionKind: long, outcome: 'selected' }),
    );
    for (const id of [entry.requestId, entry.sessionId, entry.toolCallId, entry.optionId, entry.optionKind]) {
      expect(id).toHaveLength(1024);
    }
  });

  it('exports one JSON object a line, with ids and without a word of the agent', () => {
    const ledger = new Ledger();
    ledger.add({
      ...decision('r\n1', {
        toolCallId: 't-1',
        outcome: 'selected',
        optionId: 'yes',
        optionKind: 'allow_once',
        policy: 'ask',
        cause: 'answer',
        latencyMs: 12,
      }),
      title: 'rm -rf',
    } as Decision);
    ledger.add(decision(2, { optionId: 'x', optionKind: 'Trust me and allow' }));
    ledger.add(decision(3));
    const lines = decisionLines(ledger.decisions);
    expect(lines.endsWith('\n')).toBe(true);
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        requestId: 'r\n1',
        sessionId: 's-1',
        toolCallId: 't-1',
        outcome: 'selected',
        optionId: 'yes',
        optionKind: 'allow_once',
        policy: 'ask',
        cause: 'answer',
        latencyMs: 12,
      },
      { ...decision(2), optionId: 'x', optionKind: 'other' },
      decision(3),
    ]);
    expect(lines).not.toMatch(/rm -rf|Trust/);
  });

  it('of nothing exports nothing', () => {
    expect(decisionLines([])).toBe('');
  });
});
