import fc from 'fast-check';
import { SessionOptionsStore, type Plan } from '../src/session/options.js';
import type { ConfigOption } from '../src/wire/normal.js';
import { OPTION_FIXTURES, optionFixture } from './support/optionFixtures.js';

const select = (id: string, values: string[], more: Partial<ConfigOption> = {}): ConfigOption => ({
  id,
  name: id,
  category: undefined,
  type: 'select',
  value: values[0],
  values: values.map((value) => ({ value, name: value.toUpperCase() })),
  ...more,
});
const boolean = (id: string, value: boolean): ConfigOption => ({
  ...select(id, []),
  type: 'boolean',
  value,
});
const withConfig = (...config: ConfigOption[]): SessionOptionsStore =>
  new SessionOptionsStore({ sessionId: 's-1', config });
const choice = (current: string | undefined, ...ids: string[]) => ({
  current,
  available: ids.map((id) => ({ id, name: id })),
});
const idsOf = (available: readonly { id: string }[]): string[] => available.map(({ id }) => id);

describe('what real agents advertise', () => {
  // prettier-ignore
  it.each([
    // agent                 models           efforts  modes
    ['codex-acp-v1',        ['mock-model', 10], [undefined, 0], ['read-only', 4]],
    ['codex-acp-v2',        ['mock-model', 10], [undefined, 0], ['read-only', 4]],
    ['codex-acp-zed',       ['mock-model', 6],  [undefined, 0], [undefined, 0]],
    ['claude-agent-acp-v1', ['default', 5],     ['default', 6], ['default', 5]],
    ['claude-agent-acp-v2', ['default', 5],     ['default', 6], ['default', 4]],
    ['gemini',              ['auto', 6],        [undefined, 0], ['default', 4]],
    ['qwen',                ['$runtime|openai|mock-model(openai)', 2], [undefined, 0], ['default', 4]],
    ['opencode',            ['mock/mock-model', 10], [undefined, 0], ['build', 2]],
    ['pi',                  ['mock/mock-model', 1],  ['off', 1], ['off', 1]],
    ['cursor-like',         ['gpt-5.4[effort=high,fast=true]', 43], [undefined, 0], ['agent', 3]],
  ])('%s has one shape', (agent, models, efforts, modes) => {
    const view = new SessionOptionsStore(optionFixture(agent).reading).view();
    const seen = [view.models, view.efforts, view.modes].map((c) => [c.current, c.available.length]);
    expect(seen).toEqual([models, efforts, modes]);
  });

  it('says of a mode what the agent says of it, whichever way it was advertised', () => {
    const saysOf = (agent: string) =>
      new SessionOptionsStore(optionFixture(agent).reading)
        .view()
        .modes.available.map(({ description }) => description);
    expect(saysOf('codex-acp-v2')[0]).toBe('Requires approval to edit files and access the internet.');
    expect(saysOf('gemini')[0]).toBe('Prompts for approval');
  });

  it.each(OPTION_FIXTURES)(
    '%s: every advertised model, effort and mode can be selected by its own spelling',
    (agent) => {
      const store = new SessionOptionsStore(optionFixture(agent).reading);
      const { models, efforts, modes } = store.view();
      const plans = [
        ...idsOf(models.available).map((id) => [id, store.plan('model', id)] as const),
        ...idsOf(efforts.available).map((id) => [id, store.plan('effort', id)] as const),
        ...idsOf(modes.available).map((id) => [id, store.plan('mode', id)] as const),
      ];
      expect(plans.length).toBeGreaterThan(2);
      for (const [id, plan] of plans) {
        const sent = 'value' in plan ? plan.value : 'modelId' in plan ? plan.modelId : 'modeId' in plan && plan.modeId;
        expect(sent).toBe(id);
      }
    },
  );

  it.each(OPTION_FIXTURES.filter((agent) => optionFixture(agent).answers.length > 0))(
    '%s: what it answered is what is in effect',
    (agent) => {
      const { reading, answers, dialect } = optionFixture(agent);
      const store = new SessionOptionsStore(reading);
      for (const { call, params, result } of answers) {
        const config = dialect.readConfig(result);
        if (call === 'session/set_mode') store.modeIs(params['modeId'] as string);
        else if (call === 'session/set_model') store.modelIs(params['modelId'] as string);
        else store.configReplaced(config!);
        const asked = (params['modeId'] ?? params['modelId'] ?? params['value']) as string | boolean;
        const { models, efforts, modes } = store.view();
        const values = store.view().config.map(({ value }) => value);
        expect([models.current, efforts.current, modes.current, ...values]).toContain(asked);
      }
    },
  );

  it('all 43 models of a Cursor-like agent are distinct and are sent under configId as they are', () => {
    const { reading, dialect } = optionFixture('cursor-like');
    const store = new SessionOptionsStore(reading);
    const ids = idsOf(store.view().models.available);
    expect(new Set(ids).size).toBe(43);
    for (const id of ids) {
      const plan = store.plan('model', id);
      expect(plan).toEqual({ via: 'config', configId: 'model', value: id, type: 'select' });
      expect(dialect.setConfig('s-1', 'model', id).params).toEqual({ sessionId: 's-1', configId: 'model', value: id });
    }
    expect(store.plan('model', 'gpt-5.4')).toMatchObject({ refused: 'invalid-argument', argument: 'model' });
  });

  it('codex has efforts only once a model that has them is selected', () => {
    const { reading, answers, dialect } = optionFixture('codex-acp-v1');
    const store = new SessionOptionsStore(reading);
    expect(store.plan('effort', 'high')).toEqual({ refused: 'capability-absent', capability: 'configOptions' });
    store.configReplaced(dialect.readConfig(answers[0]!.result)!);
    expect(store.plan('effort', 'X-High')).toEqual({
      via: 'config',
      configId: 'reasoning_effort',
      value: 'xhigh',
      type: 'select',
    });
  });
});

describe('which option is the model, the effort, the mode', () => {
  it('goes by category, then by well-known id, then by the legacy lists', () => {
    const store = new SessionOptionsStore({
      sessionId: 's-1',
      config: [select('model', ['by-id']), select('engine', ['by-category'], { category: 'model' })],
      models: choice('legacy', 'legacy'),
      modes: choice('legacy-mode', 'legacy-mode'),
    });
    expect(store.view().models.current).toBe('by-category');
    expect(store.view().modes.current).toBe('legacy-mode');
    store.configReplaced([select('model', ['by-id'])]);
    expect(store.view().models.current).toBe('by-id');
    store.configReplaced([]);
    expect(store.view().models.current).toBe('legacy');
  });

  it('takes the first of a category, which is what the agent prefers', () => {
    const store = withConfig(
      select('fast', ['a'], { category: 'thought_level' }),
      select('effort', ['b'], { category: 'thought_level' }),
    );
    expect(store.view().efforts.current).toBe('a');
  });

  it('takes the stronger id, whatever the order', () => {
    const weakest = ['thinking', 'variant', 'thought_level', 'reasoning_effort', 'effort'];
    for (let n = 1; n <= weakest.length; n++) {
      const ids = weakest.slice(0, n);
      const store = withConfig(...ids.map((id) => select(id, [`by-${id}`])));
      expect(store.view().efforts.current).toBe(`by-${ids.at(-1)!}`);
    }
  });

  it('does not take by its id what its category gives to another', () => {
    const store = withConfig(select('variant', ['a'], { category: 'model' }));
    expect(store.view().models.current).toBe('a');
    expect(store.plan('effort', 'a')).toEqual({ refused: 'capability-absent', capability: 'configOptions' });
  });

  it('ignores options that are no selection', () => {
    const store = withConfig(boolean('thinking', true), { ...select('mode', []), type: 'slider', value: 'x' });
    expect(store.view().efforts).toEqual({ current: undefined, available: [] });
    expect(store.view().modes).toEqual({ current: undefined, available: [] });
  });

  it.each(['__proto__', 'constructor', 'toString'])('is not misled by an option called %s', (id) => {
    const store = withConfig(select(id, ['a'], { category: id }));
    expect(store.view().models.available).toEqual([]);
    expect(store.planConfig(id, 'a')).toMatchObject({ via: 'config', configId: id });
    expect(store.planConfig('hasOwnProperty', 'a')).toMatchObject({ refused: 'invalid-argument' });
  });
});

describe('select', () => {
  const store = withConfig(
    select('model', ['gpt-5', 'GPT-5', 'Opus']),
    select('effort', ['low', 'Max', 'none'], { category: 'thought_level' }),
    select('mode', ['ask', 'code']),
  );

  // prettier-ignore
  it.each<['model' | 'effort' | 'mode', unknown, Plan]>([
    ['model',  'GPT-5',   { via: 'config', configId: 'model', value: 'GPT-5', type: 'select' }],
    ['model',  'opus',    { refused: 'invalid-argument', argument: 'model', offered: ['gpt-5', 'GPT-5', 'Opus'] }],
    ['model',  'OPUS',    { refused: 'invalid-argument', argument: 'model', offered: ['gpt-5', 'GPT-5', 'Opus'] }],
    ['mode',   'code',    { via: 'config', configId: 'mode', value: 'code', type: 'select' }],
    ['mode',   'Code',    { refused: 'invalid-argument', argument: 'mode', offered: ['ask', 'code'] }],
    ['effort', 'max',     { via: 'config', configId: 'effort', value: 'Max', type: 'select' }],
    ['effort', 'off',     { via: 'config', configId: 'effort', value: 'none', type: 'select' }],
    ['effort', 'ultra',   { refused: 'invalid-argument', argument: 'effort', offered: ['low', 'Max', 'none'] }],
    ['effort', undefined, { refused: 'invalid-argument', argument: 'effort', offered: ['low', 'Max', 'none'] }],
    ['model',  7,         { refused: 'invalid-argument', argument: 'model', offered: ['gpt-5', 'GPT-5', 'Opus'] }],
  ])('%s %s', (what, wanted, plan) => {
    expect(store.plan(what, wanted as string)).toEqual(plan);
  });

  it('drives the legacy lists where there is no config option', () => {
    const legacy = new SessionOptionsStore({ sessionId: 's', models: choice('a', 'a', 'b'), modes: choice('x', 'x') });
    expect(legacy.plan('model', 'b')).toEqual({ via: 'setModel', modelId: 'b' });
    expect(legacy.plan('mode', 'x')).toEqual({ via: 'setMode', modeId: 'x' });
    expect(legacy.plan('mode', 'y')).toEqual({ refused: 'invalid-argument', argument: 'mode', offered: ['x'] });
  });

  it('is refused as absent where nothing of the kind is advertised', () => {
    const bare = new SessionOptionsStore({ sessionId: 's' });
    expect((['model', 'effort', 'mode'] as const).map((what) => bare.plan(what, 'x'))).toEqual([
      { refused: 'capability-absent', capability: 'models' },
      { refused: 'capability-absent', capability: 'configOptions' },
      { refused: 'capability-absent', capability: 'modes' },
    ]);
  });
});

describe('setConfigOption', () => {
  const store = withConfig(select('effort', ['low', 'Max']), boolean('fast', false));

  // prettier-ignore
  it.each<[string, unknown, Plan]>([
    ['effort', 'Max',   { via: 'config', configId: 'effort', value: 'Max', type: 'select' }],
    ['effort', 'max',   { refused: 'invalid-argument', argument: 'value', offered: ['low', 'Max'] }],
    ['effort', true,    { refused: 'invalid-argument', argument: 'value', offered: ['low', 'Max'] }],
    ['fast',   true,    { via: 'config', configId: 'fast', value: true, type: 'boolean' }],
    ['fast',   'true',  { refused: 'invalid-argument', argument: 'value', offered: ['true', 'false'] }],
    ['speed',  'low',   { refused: 'invalid-argument', argument: 'id', offered: ['effort', 'fast'] }],
  ])('%s to %j', (id, value, plan) => {
    expect(store.planConfig(id, value as string)).toEqual(plan);
  });

  it('never drives the legacy lists', () => {
    const legacy = new SessionOptionsStore({ sessionId: 's', models: choice('a', 'a', 'b'), config: [] });
    expect(legacy.planConfig('model', 'b')).toEqual({ refused: 'capability-absent', capability: 'configOptions' });
  });
});

describe('what is in effect', () => {
  it('is what the agent says, not what was asked for', () => {
    const store = withConfig(select('model', ['m-a', 'm-b']));
    store.configReplaced([select('model', ['m-a', 'm-b'], { value: 'm-a' })]);
    expect([store.current('model'), store.currentConfig('model')]).toEqual(['m-a', 'm-a']);
  });

  it('is the acknowledged value where the answer had no list', () => {
    const store = withConfig(select('model', ['m-a', 'm-b']), boolean('fast', false));
    store.configConfirmed('model', 'm-b');
    store.configConfirmed('fast', true);
    store.configConfirmed('gone', 'x');
    expect([store.current('model'), store.currentConfig('fast'), store.currentConfig('gone')]).toEqual([
      'm-b',
      true,
      undefined,
    ]);
  });

  it('of a mode is the acknowledged one, until another is announced', () => {
    const store = new SessionOptionsStore({ sessionId: 's', modes: choice('default', 'default', 'plan', 'ask') });
    store.modeIs('plan');
    expect(store.current('mode')).toBe('plan');
    expect(store.apply({ kind: 'mode', modeId: 'ask', raw: {} })).toBe(true);
    expect(store.current('mode')).toBe('ask');
  });

  it('of a legacy model is the acknowledged one', () => {
    const store = new SessionOptionsStore({ sessionId: 's', models: choice('a', 'a', 'b') });
    store.modelIs('b');
    expect(store.view().models).toEqual(choice('b', 'a', 'b'));
  });

  it('of a mode that is an option too follows the announced mode, where the option knows it', () => {
    const store = new SessionOptionsStore({
      sessionId: 's',
      config: [select('mode', ['ask', 'code'])],
      modes: choice('ask', 'ask', 'code'),
    });
    store.modeIs('code');
    expect([store.current('mode'), store.currentConfig('mode')]).toEqual(['code', 'code']);
    store.modeIs('urn:other-words');
    expect(store.current('mode')).toBe('code');
  });

  it('may be missing, or a value that is not in the list: both are kept as they are', () => {
    const store = withConfig(
      select('model', ['m-a'], { value: undefined }),
      select('mode', ['ask'], { value: 'secret-mode' }),
    );
    expect(store.view().models).toEqual({ current: undefined, available: [{ id: 'm-a', name: 'M-A' }] });
    expect(store.current('mode')).toBe('secret-mode');
    expect(new SessionOptionsStore({ sessionId: 's', modes: choice(undefined, 'x') }).current('mode')).toBeUndefined();
  });

  it('after an announced mode of a session that reported none is that mode', () => {
    const store = new SessionOptionsStore();
    store.modeIs('plan');
    expect(store.view().modes).toEqual({ current: 'plan', available: [] });
  });

  it('survives a session result that does not report it', () => {
    const store = new SessionOptionsStore();
    store.apply({ kind: 'config', config: [select('model', ['m-a'])], raw: {} });
    store.apply({ kind: 'commands', commands: ['/init'], raw: {} });
    store.opened({ sessionId: 's', modes: choice('x', 'x') });
    expect([store.current('model'), store.current('mode'), store.commands]).toEqual(['m-a', 'x', ['/init']]);
  });

  it('comes as the same object until something changes', () => {
    const store = withConfig(select('model', ['m-a', 'm-b']));
    const before = store.view();
    expect(store.apply({ kind: 'info', raw: {} })).toBe(false);
    expect(store.view()).toBe(before);
    store.configConfirmed('model', 'm-b');
    expect(store.view()).not.toBe(before);
    expect(before.models.current).toBe('m-a');
  });

  it('is the last full list, in whatever order answers and updates came', () => {
    const aList = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })
      .map((ids) => ids.map((id) => select(id, [id])));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), aList), { minLength: 1 }), (lists) => {
        const store = withConfig(select('first', ['x']));
        for (const [asUpdate, config] of lists) {
          if (asUpdate) store.apply({ kind: 'config', config, raw: {} });
          else store.configReplaced(config);
        }
        expect(store.view().config).toBe(lists.at(-1)![1]);
      }),
    );
  });
});
