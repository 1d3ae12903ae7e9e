import { describe, expect, it } from '@jest/globals';
import { readModels } from '../src/wire/configOptions.js';
import { dialectOf } from '../src/wire/dialect.js';

const v1 = dialectOf(1);
const v2 = dialectOf(2);
const optionsOf = (...configOptions: unknown[]) => v1.readConfig({ configOptions });

describe('a config option', () => {
  const values = [
    { value: 'low', name: 'Low' },
    { value: 'high', name: 'High' },
  ];
  const effort = { id: 'e', name: 'Effort', category: 'thought_level', type: 'select', value: 'low', values };

  it('has its identifier in configId or id, and one without is left out', () => {
    const body = { name: 'Effort', category: 'thought_level', type: 'select', currentValue: 'low', options: values };
    expect(optionsOf({ id: 'e', ...body })).toEqual([effort]);
    expect(optionsOf({ configId: 'e', ...body })).toEqual([effort]);
    expect(optionsOf({ configId: 'e', id: 'other', ...body })).toEqual([effort]);
    expect(optionsOf({ configId: 7, id: 'e', ...body })).toEqual([effort]);
    expect(optionsOf(body, { id: '', ...body }, { id: null, ...body }, null, 'e', [effort])).toEqual([]);
  });

  it('may be in groups, of either version, and in groups and flat at once', () => {
    const options = [
      { group: 'g1', name: 'One', options: [values[0], { value: 5, name: 'five' }] },
      { groupId: 'g2', name: 'Two', options: [{ value: 'mid' }] },
      values[1],
      { options: [{ value: 'bare' }] },
      { group: 'g3', name: 'Three', options: null },
    ];
    expect(optionsOf({ id: 'e', type: 'select', currentValue: 'low', options })?.[0]?.values).toStrictEqual([
      { value: 'low', name: 'Low', group: 'g1' },
      { value: 'mid', name: 'mid', group: 'g2' },
      { value: 'high', name: 'High' },
      { value: 'bare', name: 'bare' },
    ]);
  });

  // prettier-ignore
  it.each([
    // the members                                                                     type       value      how many values
    [{ type: 'select', currentValue: 'low', options: values },                         'select',  'low',     2],
    [{ type: 'select', currentValue: 'gone', options: values },                        'select',  'gone',    2],
    [{ type: 'select', options: values },                                              'select',  undefined, 2],
    [{ type: 'select', currentValue: true, options: values },                          'select',  undefined, 2],
    [{ type: 'select', currentValue: 'low', options: [1, null, { value: 2 }, 'low'] }, 'select',  'low',     0],
    [{ type: 'select', currentValue: 'low', options: 'low' },                          'select',  'low',     0],
    [{ type: 'boolean', currentValue: false },                                         'boolean', false,     0],
    [{ type: 'boolean', currentValue: 'false' },                                       'boolean', undefined, 0],
    [{ type: '_slider', currentValue: 'x', options: values },                          '_slider', 'x',       0],
    [{ type: '_slider', currentValue: 5 },                                             '_slider', undefined, 0],
    [{ currentValue: 'low', options: values },                                         'select',  'low',     2],
    [{ currentValue: true },                                                           'boolean', true,      0],
    [{},                                                                               '',        undefined, 0],
  ])('%j is read as far as it can be', (members, type, value, count) => {
    const [option] = optionsOf({ id: 'x', ...members })!;
    expect([option?.type, option?.value, option?.values.length]).toEqual([type, value, count]);
    expect([option?.name, option?.category]).toEqual(['x', undefined]);
  });

  it('is looked for among 16,384 entries of one message at most, however they are nested', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `v${i}` }));
    const whole = optionsOf({ id: 'e', type: 'select', options: many(16_383) });
    expect(whole?.[0]?.values).toHaveLength(16_383);
    const groups = Array.from({ length: 100 }, () => ({ group: 'g', options: many(1_000) }));
    const cut = optionsOf({ id: 'e', type: 'select', options: groups }, { id: 'f', type: 'boolean' });
    expect(cut?.map(({ id }) => id)).toEqual(['e']);
    expect(cut?.[0]?.values.length).toBeLessThan(16_384);
  });

  it('is absent, not an empty list, from an answer without the list', () => {
    for (const result of [{}, null, undefined, 'x', { configOptions: null }, { configOptions: {} }, [[]]]) {
      expect(v1.readConfig(result)).toBeUndefined();
    }
    expect(optionsOf()).toEqual([]);
  });
});

describe('a session result', () => {
  it.each([[v1], [v2]])('of null or nothing is an empty one, of any other non-object none', (dialect) => {
    for (const result of [null, undefined, {}]) expect(dialect.readSession(result)).toEqual({ sessionId: undefined });
    for (const result of ['s', 5, true, [{ sessionId: 's' }]]) expect(dialect.readSession(result)).toBeUndefined();
  });

  it('keeps its id only if that is a string', () => {
    expect(v1.readSession({ sessionId: 's' })).toStrictEqual({ sessionId: 's' });
    for (const sessionId of [5, null, {}, ['s']]) expect(v1.readSession({ sessionId })?.sessionId).toBeUndefined();
  });

  it('reports what is there, and nothing for what is null or of a wrong type', () => {
    const empty = {
      sessionId: 's',
      configOptions: null,
      modes: null,
      models: null,
      availableCommands: null,
      _meta: null,
    };
    expect(v1.readSession(empty)).toStrictEqual({ sessionId: 's' });
    const odd = { sessionId: 's', configOptions: {}, modes: [], models: 'x', availableCommands: 'x', _meta: 5 };
    expect(v1.readSession(odd)).toStrictEqual({ sessionId: 's' });
    expect(v2.readSession({ configOptions: [], availableCommands: [{ name: 'a' }] })).toStrictEqual({
      sessionId: undefined,
      config: [],
      commands: ['a'],
    });
  });

  it('reads modes and models by their own names for the identifier', () => {
    const result = {
      modes: {
        currentModeId: 'ask',
        availableModes: [{ id: 'ask', name: 'Ask', description: 'Asks' }, { name: 'no id' }],
      },
      models: {
        currentModelId: 5,
        availableModels: [{ modelId: 'm', name: 'M', description: null }, { id: 'n' }, 'o'],
      },
    };
    expect(v1.readSession(result)).toStrictEqual({
      sessionId: undefined,
      modes: { current: 'ask', available: [{ id: 'ask', name: 'Ask', description: 'Asks' }] },
      models: {
        current: undefined,
        available: [
          { id: 'm', name: 'M' },
          { id: 'n', name: 'n' },
        ],
      },
    });
    expect(v1.readSession({ modes: {} })).toStrictEqual({ sessionId: undefined });
  });

  it('takes model state out of _meta as a last resort', () => {
    const state = (id: string) => ({ currentModelId: id, availableModels: [{ modelId: id, name: id }] });
    const current = (result: Record<string, unknown>) => v1.readSession(result)?.models?.current;
    expect(current({ models: state('a'), _meta: { modelState: state('b') } })).toBe('a');
    expect(current({ models: null, _meta: { modelState: state('b'), models: state('c') } })).toBe('b');
    expect(current({ _meta: { modelState: null, models: state('c') } })).toBe('c');
    expect(readModels({ protocolVersion: 1, _meta: { modelState: state('grok') } })?.current).toBe('grok');
  });
});

describe('a prompt result', () => {
  // prettier-ignore
  it.each([
    [{ stopReason: 'end_turn' },                                                           { stopReason: 'end_turn' }],
    [{ stopReason: '_odd', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },   { stopReason: '_odd', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }],
    [{ stopReason: 'refusal', usage: { inputTokens: -1, outputTokens: 2.5, totalTokens: 3 } }, { stopReason: 'refusal', usage: { totalTokens: 3 } }],
    [{ stopReason: 'refusal', usage: null },                                               { stopReason: 'refusal' }],
    [{ stopReason: 'refusal', usage: {} },                                                 { stopReason: 'refusal' }],
    [{ messageId: 'm' },                                                                   { stopReason: undefined, messageId: 'm' }],
    [{ stopReason: 7, messageId: 7 },                                                      { stopReason: undefined }],
    [{},                                                                                   { stopReason: undefined }],
    [null,                                                                                 { stopReason: undefined }],
    [undefined,                                                                            { stopReason: undefined }],
    ['end_turn',                                                                           undefined],
    [[],                                                                                   undefined],
    [true,                                                                                 undefined],
  ])('%j ends a turn in either version if it has a stop reason, and else acknowledges one in v2 alone', (result, expected) => {
    expect(v2.readPrompt(result)).toStrictEqual(expected);
    expect(v1.readPrompt(result)).toStrictEqual(expected?.stopReason === undefined ? undefined : expected);
  });
});

describe('a list of sessions', () => {
  it('keeps the sessions that have an id', () => {
    const sessions = [
      { sessionId: 's', cwd: '/work', title: 'T', updatedAt: '2026-01-01T00:00:00Z' },
      { sessionId: 't', cwd: 5, title: null },
      { cwd: '/work' },
      null,
    ];
    expect(v1.readSessionList({ sessions, nextCursor: 'c' })).toStrictEqual({
      sessions: [
        { sessionId: 's', cwd: '/work', title: 'T', updatedAt: '2026-01-01T00:00:00Z' },
        { sessionId: 't', cwd: '' },
      ],
      nextCursor: 'c',
    });
  });

  it('ends where there is no cursor, and is empty where there is none', () => {
    for (const nextCursor of [null, undefined, '', 5]) {
      expect(v1.readSessionList({ sessions: [], nextCursor })).toStrictEqual({ sessions: [] });
    }
    for (const result of [null, undefined, {}, { sessions: 'x' }]) {
      expect(v1.readSessionList(result)).toStrictEqual({ sessions: [] });
    }
    for (const result of ['x', [], 5]) expect(v1.readSessionList(result)).toBeUndefined();
  });
});
