import fc from 'fast-check';
import { effortMatches, findEffort, PORTABLE_LEVELS } from '../src/session/effort.js';
import { advertisedEffort, modelIdAttributes, modelIdBase } from '../src/session/models.js';

describe('effort', () => {
  it('knows five levels by any name', () => {
    expect(PORTABLE_LEVELS).toEqual(['off', 'low', 'medium', 'high', 'xhigh']);
  });

  // prettier-ignore
  it.each([
    // advertised    wanted        matches
    ['high',         'high',        true],
    ['High',         'high',        true],
    ['xhigh',        'X-High',      true],
    ['extra-high',   'xhigh',       true],
    ['Extra High',   'xhigh',       true],
    ['none',         'off',         true],
    ['off',          'disabled',    true],
    ['med',          'medium',      true],
    ['max',          'MAX',         true],
    ['ultra',        'ultra',       true],
    ['max',          'xhigh',       false],
    ['ultra',        'max',         false],
    ['minimal',      'low',         false],
    ['minimal',      'off',         false],
    ['minimal',      'none',        false],
    ['high',         'xhigh',       false],
    ['default',      'medium',      false],
    ['constructor',  '__proto__',   false],
    ['',             'off',         false],
  ])('%s advertised, %s wanted: %s', (advertised, wanted, matches) => {
    expect(effortMatches(advertised, wanted)).toBe(matches);
  });

  // prettier-ignore
  it.each<[string[], string, string | undefined]>([
    [['LOW', 'low', 'Low'],            'Low',     'Low'],
    [['LOW', 'low'],                   'Low',     'LOW'],
    [['off', 'none'],                  'none',    'none'],
    [['off', 'none'],                  'None',    'none'],
    [['none', 'off'],                  'OFF',     'off'],
    [['none', 'low'],                  'off',     'none'],
    [['minimal', 'low'],               'off',     undefined],
    [['low', 'medium', 'max'],         'MAX',     'max'],
    [['low', 'medium', 'max'],         'ultra',   undefined],
    [['high', 'extra-high'],           'xhigh',   'extra-high'],
    [[],                               'low',     undefined],
  ])('of %j, %s is %s', (advertised, wanted, found) => {
    expect(findEffort(advertised, wanted)).toBe(found);
  });

  it('every advertised level can be had by its own spelling', () => {
    const aLevel = fc.oneof(fc.string(), fc.constantFrom('off', 'none', 'None', 'max', 'ultra', 'x-high', 'XHIGH'));
    fc.assert(
      fc.property(fc.uniqueArray(aLevel, { minLength: 1 }), (levels) => {
        for (const level of levels) expect(findEffort(levels, level)).toBe(level);
      }),
    );
  });
});

describe('a parameterised model identifier', () => {
  // prettier-ignore
  it.each<[string, string, Record<string, string>, string | undefined]>([
    // id                                        base           attributes                          effort
    ['gpt-5.4[effort=high,fast=true]',           'gpt-5.4',     { effort: 'high', fast: 'true' },   'high'],
    ['m[thinking=true,effort=high]',             'm',           { thinking: 'true', effort: 'high' }, 'high'],
    ['m[effort=high,thinking=true]',             'm',           { effort: 'high', thinking: 'true' }, 'high'],
    ['m[variant=low,reasoning_effort=max]',      'm',           { variant: 'low', reasoning_effort: 'max' }, 'max'],
    ['m[thinking=true]',                         'm',           { thinking: 'true' },               'true'],
    ['m[ effort = Ultra , x = 1 ]',              'm',           { effort: 'Ultra', x: '1' },        'Ultra'],
    ['m[fast=true]',                             'm',           { fast: 'true' },                   undefined],
    ['m[__proto__=x,effort=low]',                'm',           JSON.parse('{"__proto__":"x","effort":"low"}'), 'low'],
    ['openai/gpt-5',                             'openai/gpt-5', {},                                undefined],
    ['opus[1m]',                                 'opus[1m]',    {},                                 undefined],
    ['default[]',                                'default[]',   {},                                 undefined],
    ['gpt-x[low]',                               'gpt-x[low]',  {},                                 undefined],
    ['m[effort=high',                            'm[effort=high', {},                               undefined],
    ['m effort=high]',                           'm effort=high]', {},                              undefined],
    ['m[effort=high]x',                          'm[effort=high]x', {},                             undefined],
    ['m[effort=high][fast=true]',                'm[effort=high][fast=true]', {},                   undefined],
    ['m[[effort=high]]',                         'm[[effort=high]]', {},                            undefined],
    ['m[a[effort=high]',                         'm[a[effort=high]', {},                            undefined],
    ['m[effort=high,low]',                       'm[effort=high,low]', {},                          undefined],
    ['m[effort=high,]',                          'm[effort=high,]', {},                             undefined],
    ['m[effort=]',                               'm[effort=]',  {},                                 undefined],
    ['m[=high]',                                 'm[=high]',    {},                                 undefined],
    ['m[effort=a=b]',                            'm[effort=a=b]', {},                               undefined],
    ['m[effort=low,effort=high]',                'm[effort=low,effort=high]', {},                   undefined],
    ['[effort=high]',                            '[effort=high]', {},                               undefined],
    ['',                                         '',            {},                                 undefined],
  ])('%s', (id, base, attributes, effort) => {
    expect(modelIdBase(id)).toBe(base);
    expect([...modelIdAttributes(id)]).toEqual(Object.entries(attributes));
    expect(advertisedEffort(id)).toBe(effort);
  });

  it('names the same effort in whatever order its attributes come', () => {
    const attributes = ['effort=1', 'reasoning_effort=2', 'variant=3', 'thinking=4', 'fast=true'];
    fc.assert(
      fc.property(fc.shuffledSubarray(attributes), (chosen) => {
        const strongest = attributes.slice(0, 4).find((attribute) => chosen.includes(attribute));
        const id = chosen.length === 0 ? 'm' : `m[${chosen.join(',')}]`;
        expect(advertisedEffort(id)).toBe(strongest?.split('=')[1]);
      }),
    );
  });

  it('of any length is read in linear time', () => {
    const started = performance.now();
    for (const id of ['m['.repeat(500_000), `m[${'a=b,'.repeat(250_000)}`, `m[${'='.repeat(1_000_000)}]`]) {
      expect(advertisedEffort(id)).toBeUndefined();
    }
    expect(effortMatches('- '.repeat(500_000), ' -'.repeat(500_000))).toBe(true);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
