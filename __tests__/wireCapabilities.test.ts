import { describe, expect, it } from '@jest/globals';
import { advertisesLogout } from '../src/wire/capabilities.js';
import { dialectOf } from '../src/wire/dialect.js';
import type { AgentFacts } from '../src/wire/normal.js';

const v1 = dialectOf(1);
const v2 = dialectOf(2);

describe('the leaf rule', () => {
  // prettier-ignore
  it.each([
    [true,      true],
    [{},        true],
    [{ x: 1 },  true],
    [false,     false],
    [null,      false],
    [undefined, false],
    ['true',    false],
    ['yes',     false],
    ['',        false],
    [1,         false],
    [0,         false],
    [[],        false],
    [[{}],      false],
  ])('%j is advertised: %j', (leaf, advertised) => {
    const paths = ['loadSession', 'promptCapabilities.audio', 'sessionCapabilities.delete', 'futureThing'];
    const v1Capabilities = {
      loadSession: leaf,
      promptCapabilities: { audio: leaf },
      sessionCapabilities: { delete: leaf },
      futureThing: leaf,
    };
    expect(paths.map((path) => v1.advertises(v1Capabilities, path))).toEqual(paths.map(() => advertised));
    const v2Capabilities = { session: { prompt: { audio: leaf }, delete: leaf }, futureThing: leaf };
    expect(paths.slice(1).map((path) => v2.advertises(v2Capabilities, path))).toEqual([1, 2, 3].map(() => advertised));
  });
});

describe('a path', () => {
  it('of v1 is answered by the members of v2 where v2 was agreed', () => {
    const capabilities = { session: { prompt: { image: {} }, mcp: { stdio: {}, http: null }, delete: {}, fork: null } };
    const said = (path: string): boolean => v2.advertises(capabilities, path);
    expect(said('promptCapabilities.image')).toBe(true);
    expect(said('promptCapabilities.audio')).toBe(false);
    expect(said('mcpCapabilities.stdio')).toBe(true);
    expect(said('mcpCapabilities.http')).toBe(false);
    expect(said('sessionCapabilities.delete')).toBe(true);
    expect(said('sessionCapabilities.fork')).toBe(false);
    expect(said('sessionCapabilities.additionalDirectories')).toBe(false);
    expect(said('session.prompt.image')).toBe(true);
  });

  it.each([
    ['loadSession'],
    ['sessionCapabilities.list'],
    ['sessionCapabilities.resume'],
    ['sessionCapabilities.close'],
  ])('%s comes with `session` in v2, and needs its own marker in v1', (path) => {
    expect(v2.advertises({ session: {} }, path)).toBe(true);
    expect(v2.advertises({ session: null }, path)).toBe(false);
    expect(v2.advertises({}, path)).toBe(false);
    expect(v1.advertises({ session: {}, sessionCapabilities: {} }, path)).toBe(false);
  });

  it('for stdio servers is always a yes in v1, which has no word for them', () => {
    expect(v1.advertises({}, 'mcpCapabilities.stdio')).toBe(true);
    expect(v2.advertises({ session: {} }, 'mcpCapabilities.stdio')).toBe(false);
  });

  it.each([
    ['__proto__'],
    ['constructor'],
    ['constructor.name'],
    ['toString'],
    ['promptCapabilities.__proto__'],
    ['promptCapabilities.constructor'],
    ['loadSession.valueOf'],
    [''],
    ['.'],
    ['promptCapabilities.'],
    ['a.b.c.d.e.f.g.h.i.j.k'],
  ])('%j finds nothing that every object inherits', (path) => {
    expect(v1.advertises({ loadSession: true, promptCapabilities: {} }, path)).toBe(false);
    expect(v2.advertises({ session: { prompt: {} } }, path)).toBe(false);
  });

  it('through a value that is no object is a no', () => {
    expect(v1.advertises({ promptCapabilities: true }, 'promptCapabilities.image')).toBe(false);
    expect(v1.advertises({ promptCapabilities: ['image'] }, 'promptCapabilities.0')).toBe(false);
  });
});

describe('logout', () => {
  const facts = (more: Partial<AgentFacts>): AgentFacts => ({
    version: 1,
    name: '',
    agentVersion: '',
    capabilities: {},
    authMethods: [],
    steers: false,
    ...more,
  });
  const authMethods = [{ id: 'key', type: 'agent', name: 'Key', raw: {} }];

  it('has its marker in v1 and comes with the authentication methods in v2', () => {
    expect(advertisesLogout(facts({ capabilities: { auth: { logout: {} } } }))).toBe(true);
    expect(advertisesLogout(facts({ authMethods }))).toBe(false);
    expect(advertisesLogout(facts({ version: 2, authMethods }))).toBe(true);
    expect(advertisesLogout(facts({ version: 2, capabilities: { auth: {} } }))).toBe(false);
  });
});

describe('what the library does not model', () => {
  // prettier-ignore
  it.each([
    [{ loadSession: true, promptCapabilities: { image: true }, auth: { logout: {} } },         []],
    [{ futureThing: { x: 1 } },                                                                ['futureThing']],
    [{ futureThing: {} },                                                                      ['futureThing']],
    [{ futureThing: true },                                                                    ['futureThing']],
    [{ futureThing: false, other: null, third: 'yes', fourth: 1, fifth: [{}] },                []],
    [{ fooCapabilities: { bar: false, baz: null } },                                           []],
    [{ fooCapabilities: { bar: true, baz: {}, no: false } },                                   ['fooCapabilities.bar', 'fooCapabilities.baz']],
    [{ _meta: { vendor: {} }, promptCapabilities: { _meta: { vendor: true } } },               []],
    [{ futureThing: { _meta: { vendor: true } } },                                             ['futureThing']],
    [{ promptCapabilities: { video: true }, mcpCapabilities: { ws: true, sse: true } },        ['promptCapabilities.video', 'mcpCapabilities.ws']],
    [{ sessionCapabilities: { list: { paged: {} }, title: {} } },                              ['sessionCapabilities.title']],
    [{ a: { b: { c: { d: { e: {} } } } } },                                                    ['a.b.c.d']],
  ])('of %j in v1 is %j', (capabilities, paths) => {
    expect(v1.narrower(capabilities)).toEqual(paths);
  });

  it('is named by the paths of v2 where v2 was agreed', () => {
    const capabilities = {
      session: { prompt: { image: {}, video: {} }, mcp: { stdio: {}, ws: {} }, fork: {}, title: {} },
      auth: { status: {} },
      providers: {},
    };
    const paths = ['session.prompt.video', 'session.mcp.ws', 'session.title', 'auth.status', 'providers'];
    expect(v2.narrower(capabilities)).toEqual(paths);
    expect(v2.narrower({ session: {}, auth: {} })).toEqual([]);
  });

  it('is cut at 64 paths, and names longer than 64 characters are left out', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`thing${i}`, {}]));
    expect(v1.narrower(many)).toHaveLength(64);
    expect(v1.narrower({ outer: many, ['x'.repeat(65)]: true })).toHaveLength(64);
    expect(v1.narrower({ ['x'.repeat(65)]: true, ['y'.repeat(64)]: true })).toEqual(['y'.repeat(64)]);
  });
});
