import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { advertisesLogout } from '../src/wire/capabilities.js';
import { readModels } from '../src/wire/configOptions.js';
import { dialectOf } from '../src/wire/dialect.js';
import { readInitialize, supportedVersions } from '../src/wire/negotiate.js';
import type { ConfigOption, ToolPatch } from '../src/wire/normal.js';
import { capturedFrames, wireFixture } from './support/wireFixtures.js';

const DIALECTS = [dialectOf(1), dialectOf(2)];

/** Names and words of the protocol, so that arbitrary JSON gets past the first check. */
const NAMES =
  'protocolVersion info agentInfo capabilities agentCapabilities authMethods methodId type name sessionId configOptions configId id group groupId options currentValue value modes currentModeId availableModes models currentModelId availableModels modelId availableCommands _meta modelState stopReason messageId usage inputTokens sessions nextCursor cwd title toolCall subject optionId kind sessionUpdate content text toolCallId status locations path line rawInput entries plan planId state error code supported session loadSession __proto__ constructor'.split(
    ' ',
  );
const WORDS =
  'agent_message_chunk user_message agent_thought tool_call tool_call_update tool_call_content_chunk plan plan_update plan_removed available_commands_update current_mode_update config_option_update usage_update state_update notice select boolean items text tool_call idle error end_turn s-1'.split(
    ' ',
  );
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, 1, 2, -1, 1.5, ''),
    fc.constantFrom(...WORDS),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 8, noNullPrototype: true }),
    fc.jsonValue(),
  ),
})).value;
/** As it comes off the wire: `__proto__` is an own member there, and numbers are what JSON can say. */
const wire = fc.tuple(json, fc.constantFrom(...WORDS)).map(([value, sessionUpdate]): unknown => {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? { sessionUpdate, ...parsed }
    : parsed;
});

function readEverything(value: unknown): void {
  for (const asked of [1, 2] as const) {
    const reading = readInitialize(value, asked);
    if (reading.kind !== 'unsupported') advertisesLogout(reading.facts);
  }
  supportedVersions(value);
  for (const d of DIALECTS) {
    d.readSession(value);
    d.readPrompt(value);
    d.readConfig(value);
    d.readSessionList(value);
    d.readPermission(value);
    const update = d.readUpdate(value);
    expect(update.raw).toBe(value);
    if ('text' in update) expect(typeof update.text).toBe('string');
    if (d.version === 1) expect(update.kind).not.toBe('state');
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  readModels(object);
  for (const d of DIALECTS) {
    const narrower = d.narrower(object);
    expect(narrower.length).toBeLessThanOrEqual(64);
    for (const path of [...narrower, ...Object.keys(object), 'promptCapabilities.image', 'auth.logout'])
      d.advertises(object, path);
  }
}

const seeds: unknown[] = [
  ...capturedFrames().map(({ body }) => body),
  ...['codex-acp-v1', 'codex-acp-v2', 'pi'].flatMap((agent) => [
    wireFixture(agent).initialize,
    wireFixture(agent).sessionNew,
  ]),
];

/** A captured payload with one member, anywhere in it, replaced. */
const damaged = fc.tuple(fc.constantFrom(...seeds), json, fc.nat()).map(([seed, value, at]) => {
  const copy = JSON.parse(JSON.stringify(seed)) as Record<string, unknown>;
  const places: [Record<string, unknown>, string][] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      collect((node as Record<string, unknown>)[key]);
    }
  };
  collect(copy);
  const [node, key] = places[at % places.length]!;
  node[key] = value;
  return copy;
});

describe('every reader', () => {
  it('takes any JSON value without a throw', () => {
    fc.assert(fc.property(wire, readEverything), { numRuns: 1500 });
  });

  it('takes captured payloads with any one member replaced by any value', () => {
    fc.assert(fc.property(damaged, readEverything), { numRuns: 1000 });
  });

  it('leaves what it reads as it was', () => {
    fc.assert(
      fc.property(wire, (value) => {
        const before = JSON.stringify(value);
        readEverything(value);
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });
});

const word = fc.string({ minLength: 1, maxLength: 12 });
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });

describe('what is written in the shapes of either version reads alike', () => {
  const option: fc.Arbitrary<ConfigOption> = fc.oneof(
    fc
      .record({ value: maybe(word), groups: fc.array(fc.tuple(maybe(word), fc.array(word, { minLength: 1 }))) })
      .chain(({ value, groups }) =>
        fc.record({ id: word, name: word, category: maybe(word) }).map((head) => ({
          ...head,
          type: 'select',
          value,
          values: groups.flatMap(([group, values]) =>
            values.map((v) =>
              group === undefined ? { value: v, name: `n-${v}` } : { value: v, name: `n-${v}`, group },
            ),
          ),
        })),
      ),
    fc
      .record({ id: word, name: word, category: maybe(word), value: maybe(fc.boolean()) })
      .map((head) => ({ ...head, type: 'boolean', values: [] })),
  );

  const written = (version: 1 | 2, o: ConfigOption): unknown => {
    const [idName, groupName] = version === 1 ? ['id', 'group'] : ['configId', 'groupId'];
    const options = o.values.map(({ value, name, group }) =>
      group === undefined ? { value, name } : { [groupName]: group, name: 'G', options: [{ value, name }] },
    );
    const { id, name, category, type, value } = o;
    const body = {
      [idName]: id,
      name,
      category,
      type,
      currentValue: value,
      ...(type === 'select' ? { options } : {}),
    };
    return JSON.parse(JSON.stringify(body));
  };

  it('config options', () => {
    fc.assert(
      fc.property(fc.array(option, { maxLength: 5 }), (config) => {
        for (const version of [1, 2] as const) {
          const configOptions = config.map((o) => written(version, o));
          for (const d of DIALECTS) {
            expect(d.readConfig({ configOptions })).toStrictEqual(config);
            expect(d.readSession({ sessionId: 's', configOptions })?.config).toStrictEqual(config);
            const update = { sessionUpdate: 'config_option_update', configOptions };
            expect(d.readUpdate(update)).toStrictEqual({ kind: 'config', config, raw: update });
          }
        }
      }),
    );
  });

  it('tool calls, in updates and in permission requests', () => {
    const location = fc
      .tuple(word, maybe(fc.nat()))
      .map(([path, line]) => (line === undefined ? { path } : { path, line }));
    const patch: fc.Arbitrary<ToolPatch> = fc.record(
      {
        toolCallId: word,
        title: word,
        kind: word,
        status: word,
        content: fc.array(fc.record({ type: fc.constantFrom('diff', 'terminal', '_x'), terminalId: word })),
        locations: fc.array(location),
        rawInput: fc.jsonValue().filter((v) => v !== null),
      },
      { requiredKeys: ['toolCallId'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(patch, (tool) => {
        for (const d of DIALECTS) {
          const update = { sessionUpdate: 'tool_call_update', ...tool };
          expect(d.readUpdate(update)).toStrictEqual({ kind: 'tool', patch: tool, raw: update });
          expect(d.readPermission({ toolCall: tool })?.tool).toStrictEqual(tool);
          expect(d.readPermission({ subject: { type: 'tool_call', toolCall: tool } })?.tool).toStrictEqual(tool);
        }
      }),
    );
  });

  it('MCP servers: what one version wrote, the other writes as it would have from the start', () => {
    const server = fc.record(
      { type: fc.constant('stdio'), name: word, command: word, args: fc.array(word), env: fc.constant([]) },
      { requiredKeys: ['name', 'command'], noNullPrototype: true },
    );
    const [v1, v2] = DIALECTS.map(
      (d) => (mcpServers: unknown[]) => d.newSession({ cwd: '/w', mcpServers }).params['mcpServers'] as unknown[],
    );
    fc.assert(
      fc.property(fc.array(server), (servers) => {
        expect(v1!(v2!(servers))).toStrictEqual(v1!(servers));
        expect(v1!(v1!(servers))).toStrictEqual(v1!(servers));
        expect(v2!(v2!(servers))).toStrictEqual(v2!(servers));
      }),
    );
  });
});
