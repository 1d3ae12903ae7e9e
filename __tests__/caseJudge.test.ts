import { describe, expect, it } from '@jest/globals';
import type { Expected } from './support/cases/caseFile.js';
import { judge, type Observed } from './support/cases/judge.js';

const expected: Expected = {
  calls: [
    { call: 'initialize', outcome: 'ok', protocolVersion: 1 },
    {
      call: 'prompt',
      outcome: { 'any-of': ['idle', 'absolute'] },
      text: 'x',
      updates: 1,
      cancelRequested: true,
      withinMs: [10, 20],
    },
  ],
  stats: { skippedFrames: 1, lateUpdates: { min: 1, max: 2 } },
  permissions: [{ requestId: '$id(p)', outcome: 'selected', optionId: 'o-allow' }],
  outOfTurnText: ['tail'],
  sessionState: { configValue: { model: 'a' }, modeId: 'ask', commands: ['plan'] },
  connection: 'closed',
  processGone: true,
  errorsExclude: ['secret'],
};

const observed = (): Observed => ({
  outcomes: [
    { call: 'initialize', outcome: 'ok', ms: 5, protocolVersion: 1 },
    { call: 'prompt', outcome: 'idle', ms: 15, text: 'x', updates: 1, cancelRequested: true },
  ],
  stats: { skippedFrames: 1, lateUpdates: 2 },
  permissions: [{ id: 7, result: { outcome: { outcome: 'selected', optionId: 'o-allow' } } }],
  outOfTurnText: ['tail'],
  sessionState: { configValue: { model: 'a' }, modeId: 'ask', commands: ['plan'] },
  connection: 'idle',
  living: [],
  verdicts: [['OK']],
  failures: [new Error('idle')],
  resolveId: (id) => (id === '$id(p)' ? 7 : id),
});

describe('the judge of the wire cases', () => {
  it('finds nothing where everything is as expected', () => {
    expect(judge(expected, observed())).toEqual([]);
  });

  it.each<[string, (seen: Observed) => void]>([
    ['call 2 prompt outcome', (seen) => (seen.outcomes[1]!.outcome = 'ok')],
    ['call 2 prompt text', (seen) => (seen.outcomes[1]!.text = 'xy')],
    ['call 2 prompt updates', (seen) => (seen.outcomes[1]!.updates = 2)],
    ['call 2 prompt cancelRequested', (seen) => delete seen.outcomes[1]!.cancelRequested],
    ['call 2 prompt ms', (seen) => (seen.outcomes[1]!.ms = 21)],
    ['call 2 prompt ms', (seen) => (seen.outcomes[1]!.ms = NaN)],
    ['call 1 initialize protocolVersion', (seen) => (seen.outcomes[0]!.protocolVersion = 2)],
    ['number of calls', (seen) => seen.outcomes.push({ call: 'close', outcome: 'ok', ms: 1 })],
    ['stats.skippedFrames', (seen) => (seen.stats = { ...seen.stats, skippedFrames: 2 })],
    ['stats.lateUpdates', (seen) => (seen.stats = { ...seen.stats, lateUpdates: 3 })],
    ['stats.skippedFrames', (seen) => (seen.stats = { lateUpdates: 1 })],
    ['permissions', (seen) => (seen.permissions = [])],
    ['permissions', (seen) => (seen.permissions[0]!.id = '7')],
    ['permissions', (seen) => (seen.permissions[0]!.result = { outcome: { outcome: 'cancelled' } })],
    ['permissions', (seen) => seen.permissions.push(seen.permissions[0]!)],
    ['outOfTurnText', (seen) => seen.outOfTurnText.push('more')],
    ['sessionState.configValue', (seen) => (seen.sessionState!.configValue = { model: 'a', effort: 'low' })],
    ['sessionState.modeId', (seen) => (seen.sessionState!.modeId = undefined)],
    ['sessionState.commands', (seen) => (seen.sessionState!.commands = [])],
    ['connection', (seen) => (seen.connection = 'open')],
    ['living processes', (seen) => seen.living.push(1)],
    ['agent 1', (seen) => (seen.verdicts = [[]])],
    ['agent 1', (seen) => (seen.verdicts = [['OK', 'FAIL not killed']])],
    ['errors without "secret"', (seen) => seen.failures.push(new Error('x', { cause: new Error('a secret') }))],
    ['errors without "secret"', (seen) => seen.failures.push(Object.assign(new Error('x'), { data: 'secret' }))],
  ])('names %s where it differs', (what, change) => {
    const seen = observed();
    change(seen);
    const problems = judge(expected, seen);
    expect(problems.map((problem) => problem.slice(0, what.length + 1))).toEqual([`${what}:`]);
  });

  it('judges a kind of connection by its reason, and no verdict is enough where the agent may be ended early', () => {
    const seen = { ...observed(), verdicts: [[]] };
    expect(judge({ ...expected, connection: 'idle', agentScriptCompletes: false }, seen)).toEqual([]);
    expect(judge({ connection: 'absolute' }, observed())).toEqual(['connection: expected "absolute", got "idle"']);
    expect(judge({ agentScriptCompletes: false }, { ...observed(), verdicts: [['FAIL x']] })).toHaveLength(1);
  });

  it('judges nothing that a case does not name', () => {
    expect(judge({}, { ...observed(), connection: 'never made', stats: undefined, sessionState: undefined })).toEqual(
      [],
    );
  });
});
