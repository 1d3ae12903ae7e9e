/** Model, effort and mode over a connection: found wherever the agent put them, sent in its spelling, confirmed by it. */
import { describe, expect, it } from '@jest/globals';
import type { Session } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { OPTION_FIXTURES, optionFixture } from './support/optionFixtures.js';
import { connected, INITIALIZED, opened, type ClientFrame, type World } from './support/scriptedAgent.js';

const option = (id: string, category: string | undefined, values: string[], current = values[0]): object => ({
  id,
  name: id,
  ...(category === undefined ? {} : { category }),
  type: 'select',
  currentValue: current,
  options: values.map((value) => ({ value, name: value })),
});
/** Answers a call with what it says, once the test has looked. */
async function answering<T>(
  world: World,
  call: () => Promise<T>,
  answers: unknown[],
): Promise<{ sent: ClientFrame[]; result: Promise<T> }> {
  const from = world.script.received.length;
  const result = call();
  void result.catch(() => {});
  for (const answer of answers) {
    await settle();
    const frame = world.script.received.at(-1)!;
    world.script.send({ id: frame.id, result: answer });
  }
  await settle();
  return { sent: world.script.received.slice(from), result };
}

describe('select', () => {
  // prettier-ignore
  it.each([
    [1, (id: string, value: string) => ({ sessionId: 's-1', configId: id, value })],
    [2, (id: string, value: string) => ({ sessionId: 's-1', configId: id, type: 'id', value })],
  ] as const)('in version %d goes model, effort, mode, by category, then by well-known id', async (version, params) => {
    const renamed = (o: object): object => (version === 1 ? o : { ...o, id: undefined, configId: (o as { id: string }).id });
    const models = option('engine', 'model', ['m-1', 'm-2']);
    const efforts = option('reasoning_effort', undefined, ['Low', 'X-High']);
    const modes = option('mode', undefined, ['ask', 'code']);
    const list = (...current: string[]): object => ({
      configOptions: [models, efforts, modes].map((o, i) => renamed({ ...o, currentValue: current[i] })),
    });
    const world = await connected({}, INITIALIZED[version]);
    const session = await opened(world, 's-1', list('m-1', 'Low', 'ask'));
    expect(session.options.models).toMatchObject({ current: 'm-1', available: [{ id: 'm-1' }, { id: 'm-2' }] });
    const select = (): Promise<object> => session.select({ mode: 'code', effort: 'xhigh', model: 'm-2' });
    const { sent, result } = await answering(world, select, [
      list('m-2', 'Low', 'ask'),
      list('m-2', 'X-High', 'ask'),
      list('m-2', 'X-High', 'code'),
    ]);
    expect(sent.map((frame) => frame.params)).toEqual([
      params('engine', 'm-2'),
      params('reasoning_effort', 'X-High'),
      params('mode', 'code'),
    ]);
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['session/set_config_option']));
    expect(await result).toEqual({ model: 'm-2', effort: 'X-High', mode: 'code' });
    expect([session.options.efforts.current, session.options.modes.current]).toEqual(['X-High', 'code']);
  });

  it('gives what the agent says is in effect, which may not be what was asked for', async () => {
    const world = await connected();
    const models = option('model', 'model', ['a', 'b']);
    const session = await opened(world, 's-1', { configOptions: [models] });
    const { result } = await answering(world, () => session.select({ model: 'b' }), [{ configOptions: [models] }]);
    expect(await result).toEqual({ model: 'a' });
  });

  it('drives legacy models and modes, which confirm by their answer alone', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', {
      models: {
        currentModelId: 'a',
        availableModels: [
          { modelId: 'a', name: 'A' },
          { modelId: 'b', name: 'B' },
        ],
      },
      modes: {
        currentModeId: 'x',
        availableModes: [
          { id: 'x', name: 'X' },
          { id: 'y', name: 'Y' },
        ],
      },
    });
    const { sent, result } = await answering(world, () => session.select({ model: 'b', mode: 'y' }), [null, {}]);
    expect(sent.map(({ method, params }) => [method, params])).toEqual([
      ['session/set_model', { sessionId: 's-1', modelId: 'b' }],
      ['session/set_mode', { sessionId: 's-1', modeId: 'y' }],
    ]);
    expect(await result).toEqual({ model: 'b', mode: 'y' });
    expect([session.options.models.current, session.options.modes.current]).toEqual(['b', 'y']);
  });

  it.each(['session result', 'initialize'])(
    'finds the model state that vendors put into _meta of the %s',
    async (where) => {
      const _meta = { modelState: { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'b' }] } };
      const world = await connected({}, { ...INITIALIZED[1], ...(where === 'initialize' ? { _meta } : {}) });
      const session = await opened(world, 's-1', where === 'initialize' ? {} : { _meta });
      expect(session.options.models).toMatchObject({ current: 'a', available: [{ id: 'a' }, { id: 'b' }] });
      const { sent } = await answering(world, () => session.select({ model: 'b' }), [{}]);
      expect(sent).toMatchObject([{ method: 'session/set_model' }]);
    },
  );

  it('stops at the first failure, and says what is offered; nothing is sent for what is not', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', {
      configOptions: [option('model', 'model', ['a', 'b']), option('mode', 'mode', ['x', 'y'])],
    });
    const select = (): Promise<unknown> => failed(session.select({ model: 'b', effort: 'high', mode: 'y' }));
    const { sent, result } = await answering(world, select, [{}]);
    expect(sent.map(({ params }) => params?.['configId'])).toEqual(['model']);
    expect(await result).toMatchObject({ kind: 'capability-absent', capability: 'configOptions' });
    expect(await failed(session.select({ mode: 'X' }))).toMatchObject({
      kind: 'invalid-argument',
      argument: 'mode',
      offered: ['x', 'y'],
    });
    expect(session.options.models.current).toBe('b');
  });

  it('does not ask again for a method that was advertised and is missing', async () => {
    const world = await connected();
    const modes = { currentModeId: 'x', availableModes: [{ id: 'x' }, { id: 'y' }] };
    const session = await opened(world, 's-1', { modes });
    const selecting = failed(session.select({ mode: 'y' }));
    await settle();
    world.script.refuse('session/set_mode', -32601);
    expect(await selecting).toMatchObject({ kind: 'agent-error', agentCode: -32601 });
    expect(await failed(session.select({ mode: 'y' }))).toMatchObject({
      kind: 'capability-absent',
      capability: 'modes',
    });
    expect(world.script.requests('session/set_mode')).toHaveLength(1);
  });
});

describe('the options of a session', () => {
  it('are the last full list, of answers and updates in order of arrival', async () => {
    const world = await connected();
    const session = await opened(world, 's-1', { configOptions: [option('model', 'model', ['a', 'b'])] });
    const setting = session.setConfigOption('model', 'b');
    await settle();
    world.script.reply('session/set_config_option', { configOptions: [option('model', 'model', ['a', 'b'], 'b')] });
    world.script.update('s-1', {
      sessionUpdate: 'config_option_update',
      configOptions: [option('model', 'model', ['c'], 'secret')],
    });
    await setting;
    await settle();
    expect(session.options.models).toEqual({ current: 'secret', available: [{ id: 'c', name: 'c' }] });
    expect(session.options.config.map(({ id }) => id)).toEqual(['model']);
  });

  it('are read alike, flat or in groups, by either version’s names, boolean or not', async () => {
    const world = await connected({}, INITIALIZED[2]);
    const session = await opened(world, 's-1', {
      configOptions: [
        {
          configId: 'model',
          type: 'select',
          currentValue: 'b',
          options: [
            { groupId: 'fast', name: 'Fast', options: [{ value: 'a', name: 'A' }] },
            { group: 'slow', name: 'Slow', options: [{ value: 'b', name: 'B' }] },
            { value: 'c', name: 'C' },
          ],
        },
        { id: 'fast', name: 'Fast', type: 'boolean', currentValue: true },
      ],
    });
    expect(session.options.models.available.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(session.options.config).toMatchObject([
      { values: [{ value: 'a', group: 'fast' }, { value: 'b', group: 'slow' }, { value: 'c' }] },
      { id: 'fast', type: 'boolean', value: true },
    ]);
    const { sent, result } = await answering(world, () => session.setConfigOption('fast', false), [{}]);
    expect(sent[0]?.params).toEqual({ sessionId: 's-1', configId: 'fast', type: 'boolean', value: false });
    expect(await result).toBe(false);
  });
});

describe('what real agents advertise', () => {
  const choices = (session: Session): ['model' | 'effort' | 'mode', string][] => {
    const { models, efforts, modes } = session.options;
    return [
      ...models.available.map(({ id }) => ['model', id] as ['model', string]),
      ...efforts.available.map(({ id }) => ['effort', id] as ['effort', string]),
      ...modes.available.map(({ id }) => ['mode', id] as ['mode', string]),
    ];
  };

  it.each(OPTION_FIXTURES)('%s: each model, effort and mode is sent as it is spelled', async (agent) => {
    const { version, session: opening } = optionFixture(agent);
    const world = await connected({}, INITIALIZED[version]);
    const { sessionId, ...rest } = opening;
    const session = await opened(world, sessionId, rest);
    const all = choices(session);
    expect(all.length).toBeGreaterThan(2);
    if (agent === 'cursor-like') expect(all.filter(([what]) => what === 'model')).toHaveLength(43);
    for (const [what, id] of all) {
      const before = world.script.received.length;
      const { sent, result } = await answering(world, () => session.select({ [what]: id }), [{}]);
      const { value, modelId, modeId } = sent[0]?.params ?? {};
      expect(value ?? modelId ?? modeId).toBe(id);
      expect(await result).toEqual({ [what]: id });
      expect(world.script.received).toHaveLength(before + 1);
    }
  });
});
