import { describe, expect, it } from '@jest/globals';
import { initializeParams, readInitialize, supportedVersions } from '../src/wire/negotiate.js';

const client = { name: 'host', version: '1.0.0' };
const NOTHING = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

describe('the offer', () => {
  it('of 2 carries a body for each version, with fs and terminal refused explicitly', () => {
    expect(initializeParams(2, client)).toStrictEqual({
      protocolVersion: 2,
      info: client,
      capabilities: {},
      clientInfo: client,
      clientCapabilities: NOTHING,
    });
  });

  it('of 1 is pure version 1', () => {
    expect(initializeParams(1, { ...client, title: 'Host' })).toStrictEqual({
      protocolVersion: 1,
      clientInfo: { name: 'host', title: 'Host', version: '1.0.0' },
      clientCapabilities: NOTHING,
    });
  });

  it('sends no member of the client beside name, title and version, and no _meta', () => {
    const more = { ...client, _meta: { vendor: true }, secret: 'x' };
    expect(JSON.stringify(initializeParams(2, more))).not.toMatch(/_meta|secret/);
  });

  // prettier-ignore
  it.each([
    [{},                                              NOTHING,                                                                            {}],
    [{ fs: { read: true } },                          { fs: { readTextFile: true, writeTextFile: false }, terminal: false },              {}],
    [{ fs: { read: true, write: true } },             { fs: { readTextFile: true, writeTextFile: true }, terminal: false },               {}],
    [{ terminal: true },                              { ...NOTHING, terminal: true },                                                     {}],
    [{ elicitation: {} },                             NOTHING,                                                                            {}],
    [{ elicitation: { form: true } },                 { ...NOTHING, elicitation: { form: {} } },                                          { elicitation: { form: {} } }],
    [{ elicitation: { form: true, url: true } },      { ...NOTHING, elicitation: { form: {}, url: {} } },                                 { elicitation: { form: {}, url: {} } }],
    [{ elicitation: { form: false, url: true } },     { ...NOTHING, elicitation: { url: {} } },                                           { elicitation: { url: {} } }],
  ])('with handlers %j advertises what they serve', (handlers, v1, v2) => {
    expect(initializeParams(1, client, handlers)['clientCapabilities']).toStrictEqual(v1);
    const offer = initializeParams(2, client, handlers);
    expect([offer['clientCapabilities'], offer['capabilities']]).toStrictEqual([v1, v2]);
  });
});

describe('the answer', () => {
  const info = { name: 'a', version: '1' };

  // prettier-ignore
  it.each([
    // the answer                                                                          asked  read as
    [{ protocolVersion: 1, agentCapabilities: {} },                                           2, 'agreed 1'],
    [{ protocolVersion: 1, agentCapabilities: {} },                                           1, 'agreed 1'],
    [{ protocolVersion: 1 },                                                                  2, 'agreed 1'],
    [{ protocolVersion: 1, info, capabilities: {} },                                          2, 'agreed 1'],
    [{ protocolVersion: 2, info, capabilities: {} },                                          2, 'agreed 2'],
    [{ protocolVersion: 2, info },                                                            2, 'agreed 2'],
    [{ protocolVersion: 2, info: {}, agentCapabilities: {} },                                 2, 'agreed 2'],
    [{ protocolVersion: 2, capabilities: {} },                                                2, 'agreed 2'],
    [{ protocolVersion: 2, info: [], capabilities: {}, agentCapabilities: {} },               2, 'echo 1'],
    [{ protocolVersion: 2, agentCapabilities: {}, agentInfo: info },                          2, 'echo 1'],
    [{ protocolVersion: 2, agentInfo: info },                                                 2, 'echo 1'],
    [{ protocolVersion: 2, info: 'a', capabilities: null },                                   2, 'echo 1'],
    [{ protocolVersion: 2 },                                                                  2, 'echo 1'],
    [{ protocolVersion: 2, agentCapabilities: {} },                                           1, 'agreed 1'],
    [{ protocolVersion: 2 },                                                                  1, 'agreed 1'],
    [{ protocolVersion: 2, info, capabilities: {} },                                          1, 'agreed 2'],
  ])('%j to an offer of %d is %s', (answer, asked, expected) => {
    const reading = readInitialize(answer, asked as 1 | 2);
    expect(reading.kind === 'unsupported' ? 'unsupported' : `${reading.kind} ${reading.facts.version}`).toBe(expected);
  });

  it.each([['1'], ['2'], [true], [1.5], [0], [-1], [3], [99], ['2024-11-05'], [null], [undefined], [[1]], [{}]])(
    'of version %j is unsupported, in either shape',
    (protocolVersion) => {
      expect(readInitialize({ protocolVersion, agentCapabilities: {} }, 1)).toEqual({ kind: 'unsupported' });
      expect(readInitialize({ protocolVersion, info, capabilities: {} }, 2)).toEqual({ kind: 'unsupported' });
    },
  );

  it.each([[null], [undefined], ['ok'], [2], [[{ protocolVersion: 1 }]]])('%j is unsupported', (result) => {
    expect(readInitialize(result, 2)).toEqual({ kind: 'unsupported' });
  });

  it('of a version that the caller does not accept is unsupported, an echo among them', () => {
    expect(readInitialize({ protocolVersion: 1 }, 2, [2]).kind).toBe('unsupported');
    expect(readInitialize({ protocolVersion: 2, info }, 1, [1]).kind).toBe('unsupported');
    expect(readInitialize({ protocolVersion: 2, agentCapabilities: {} }, 2, [2]).kind).toBe('unsupported');
    expect(readInitialize({ protocolVersion: 2, agentCapabilities: {} }, 1, [1]).kind).toBe('agreed');
  });

  it('keeps what it can read beside members that it cannot', () => {
    const result = {
      protocolVersion: 1,
      agentInfo: { name: 7, title: null, version: '3' },
      agentCapabilities: 'all',
      authMethods: [
        { id: 'key', name: 'Key' },
        { id: 'login', type: 'terminal', name: 7 },
        { id: 'odd', type: 7 },
        { id: 'none', type: null },
        { methodId: 'late', id: 'early', type: 'agent', name: 'Late' },
        { id: 5, name: 'no id' },
        { id: '' },
        'text',
        null,
      ],
    };
    const reading = readInitialize(result, 1);
    expect(reading).toEqual({
      kind: 'agreed',
      facts: {
        version: 1,
        name: '',
        agentVersion: '3',
        capabilities: {},
        authMethods: [
          { id: 'key', type: 'agent', name: 'Key', raw: result.authMethods[0] },
          { id: 'login', type: 'terminal', name: 'login', terminal: { args: [], env: {} }, raw: result.authMethods[1] },
          { id: 'odd', type: 'unknown', name: 'odd', raw: result.authMethods[2] },
          { id: 'none', type: 'agent', name: 'none', raw: result.authMethods[3] },
          { id: 'late', type: 'agent', name: 'Late', raw: result.authMethods[4] },
        ],
        steers: false,
      },
    });
  });
});

describe('what else an answer says', () => {
  const answer = (more: object) => readInitialize({ protocolVersion: 1, ...more }, 1);

  // prettier-ignore
  it.each([
    [{ A: '1', B: '2' },                                      { A: '1', B: '2' }],
    [[{ name: 'A', value: '1' }, { name: 'B', value: '2' }],  { A: '1', B: '2' }],
    [[{ name: '', value: '1' }, { name: 'A=B', value: '' }, { name: 'C' }, { name: 'D', value: 'x\0y' }, 7], {}],
    ['A=1',                                                   {}],
    [undefined,                                               {}],
  ])('a login in a terminal with the environment %j', (env, read) => {
    const authMethods = [{ id: 'tty', type: 'terminal', args: ['login', 7, 'a\0b', '--x'], env }];
    expect(answer({ authMethods })).toMatchObject({
      facts: { authMethods: [{ id: 'tty', terminal: { args: ['login', '--x'], env: read } }] },
    });
  });

  it('an environment name that every object inherits is a name like any other', () => {
    const env = JSON.parse('{"__proto__":"x","constructor":"y"}') as object;
    const reading = answer({ authMethods: [{ id: 'tty', type: 'terminal', env }] });
    const read = reading.kind === 'agreed' ? reading.facts.authMethods[0]?.terminal?.env : undefined;
    expect(Object.entries(read!)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  // prettier-ignore
  it.each([
    [{ steering: { supported: true } },   true],
    [{ steering: { supported: 'true' } }, false],
    [{ steering: { supported: {} } },     false],
    [{ steering: true },                  false],
    [null,                                false],
  ])('steering with the _meta %j', (_meta, steers) => {
    expect(answer({ _meta })).toMatchObject({ facts: { steers } });
  });

  it('the model state of the whole agent, where vendors put it', () => {
    const models = { currentModelId: 'a', availableModels: [{ modelId: 'a', name: 'A' }, { modelId: 'b' }] };
    const read = {
      current: 'a',
      available: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'b' },
      ],
    };
    expect(answer({ _meta: { modelState: models } })).toMatchObject({ facts: { models: read } });
    expect(answer({ models })).toMatchObject({ facts: { models: read } });
    expect(answer({})).not.toHaveProperty('facts.models');
  });
});

describe('a refusal by -32022', () => {
  // prettier-ignore
  it.each([
    [{ requested: 2, supported: [1] },             [1]],
    [{ requested: 2, supported: [1, 2, 1] },       [2, 1]],
    [{ supported: [3, '1', 1.5, null] },           []],
    [{ supported: 1 },                             []],
    [{},                                           []],
    [[1],                                          []],
    [null,                                         []],
    [undefined,                                    []],
  ])('with data %j names %j', (data, versions) => {
    expect(supportedVersions(data)).toEqual(versions);
  });
});
