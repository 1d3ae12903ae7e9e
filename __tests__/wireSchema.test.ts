import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dialectOf } from '../src/wire/dialect.js';
import { initializeParams } from '../src/wire/negotiate.js';
import type { Call } from '../src/wire/normal.js';

/** The published schemas, as the reference SDK ships them. */
interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  anyOf?: Schema[];
  allOf?: Schema[];
  'x-method'?: string;
  'x-side'?: string;
}
type Published = Schema & { $defs: Record<string, Schema> };

const SCHEMAS = '../node_modules/@agentclientprotocol/sdk/schema';
const published = (version: 1 | 2, file: string): Published =>
  JSON.parse(readFileSync(new URL(`${SCHEMAS}/v${version}/${file}.json`, import.meta.url), 'utf8'));

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const STABLE = { 1: published(1, 'schema'), 2: published(2, 'schema') };
const UNSTABLE = { 1: published(1, 'schema.unstable'), 2: published(2, 'schema.unstable') };
for (const version of [1, 2] as const) {
  ajv.addSchema(STABLE[version], `v${version}`);
  ajv.addSchema(UNSTABLE[version], `v${version}-unstable`);
}

/** What the client sends under this method: a request or a notification that the agent takes. */
const definitionOf = (schema: Published, method: string): string | undefined =>
  Object.keys(schema.$defs).find((name) => {
    const { 'x-method': of, 'x-side': side } = schema.$defs[name]!;
    return of === method && side === 'agent' && /(Request|Notification)$/.test(name);
  });

/** The members that a definition knows, in all its branches. */
const knownMembers = (schema: Published, at: Schema): string[] => [
  ...Object.keys(at.properties ?? {}),
  ...[...(at.anyOf ?? []), ...(at.allOf ?? [])].flatMap((branch) => knownMembers(schema, branch)),
  ...(at.$ref === undefined ? [] : knownMembers(schema, schema.$defs[at.$ref.split('/').at(-1)!]!)),
];

function faults(version: 1 | 2, { method, params }: Call): unknown {
  const stable = definitionOf(STABLE[version], method);
  const [schema, key] =
    stable === undefined ? [UNSTABLE[version], `v${version}-unstable`] : [STABLE[version], `v${version}`];
  const name = stable ?? definitionOf(schema, method);
  if (name === undefined) return `${method} is not in the schemas of version ${version}`;
  const validate = ajv.getSchema(`${key}#/$defs/${name}`)!;
  if (!validate(params)) return validate.errors;
  const known = knownMembers(schema, schema.$defs[name]!);
  return Object.keys(params).filter((member) => !known.includes(member));
}

const mcpServers = [
  { name: 'bare', command: '/bin/bare' },
  { type: 'stdio', name: 'typed', command: '/bin/typed', args: ['-v'], env: [{ name: 'A', value: '1' }] },
  { type: 'http', name: 'http', url: 'https://example.test/mcp' },
];
const p = { cwd: '/work', mcpServers, additionalDirectories: ['/more'] };
const plain = { cwd: '/work', mcpServers: [] };

describe.each([1, 2] as const)('everything written in version %d', (version) => {
  const d = dialectOf(version);
  it.each<[string, Call]>([
    ['session/new', d.newSession(p)],
    ['session/new without extras', d.newSession(plain)],
    ['loading', d.loadSession('s', p)],
    ['session/resume', d.resumeSession('s', p)],
    ['session/fork, which is unstable', d.forkSession('s', p)],
    ['session/list', d.listSessions({})],
    ['session/list of a folder', d.listSessions({ cwd: '/work', cursor: 'c' })],
    ['session/close', d.closeSession('s')],
    ['session/delete', d.deleteSession('s')],
    ['session/prompt', d.prompt('s', [{ type: 'text', text: 'hi' }])],
    ['session/cancel', d.cancel('s')],
    ['a choice', d.setConfig('s', 'model', 'm')],
    ['a switch', d.setConfig('s', 'fast', true)],
    ['authentication', d.authenticate('key')],
    ['logout', d.logout()],
  ])('%s conforms to the published schema, with no member that it does not know', (_name, call) => {
    expect(faults(version, call)).toEqual([]);
  });
});

describe('what only version 2 has', () => {
  it.each<[string, Call]>([
    ['tool_call/cancel', dialectOf(2).cancelToolCall('s', 't')],
    ['terminal/cancel', dialectOf(2).cancelTerminal('s', 't')],
  ])('%s conforms', (_name, call) => {
    expect(faults(2, call)).toEqual([]);
  });
});

describe('what only version 1 has', () => {
  it('session/set_mode conforms, and is no word of version 2', () => {
    expect(faults(1, dialectOf(1).setMode('s', 'ask'))).toEqual([]);
    expect(faults(2, dialectOf(2).setMode('s', 'ask'))).toMatch(/not in the schemas/);
  });
});

describe('the offer', () => {
  const client = { name: 'host', title: 'Host', version: '1.0.0' };
  const elicitation = { form: true, url: true };

  it('of 1 conforms, with and without handlers', () => {
    const handlers = { fs: { read: true, write: true }, terminal: true, elicitation };
    for (const params of [initializeParams(1, client), initializeParams(1, client, handlers)]) {
      expect(faults(1, { method: 'initialize', params })).toEqual([]);
    }
  });

  it('of 2 is valid under both versions, each reading its own members and not knowing the other’s', () => {
    for (const params of [initializeParams(2, client), initializeParams(2, client, { elicitation })]) {
      expect(faults(2, { method: 'initialize', params })).toEqual(['clientInfo', 'clientCapabilities']);
      expect(faults(1, { method: 'initialize', params })).toEqual(['info', 'capabilities']);
    }
  });
});

describe('the check itself', () => {
  it('finds a member that is missing, of a wrong type, or not known', () => {
    expect(faults(1, { method: 'session/new', params: { cwd: '/work' } })).toMatchObject([{ keyword: 'required' }]);
    expect(faults(2, { method: 'session/new', params: { cwd: 5 } })).toMatchObject([{ keyword: 'type' }]);
    expect(faults(2, { method: 'session/close', params: { sessionId: 's', force: true } })).toEqual(['force']);
    expect(faults(1, { method: 'auth/login', params: { methodId: 'key' } })).toMatch(/not in the schemas/);
  });
});
