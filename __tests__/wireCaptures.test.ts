import { describe, expect, it } from '@jest/globals';
import { dialectOf } from '../src/wire/dialect.js';
import { readInitialize } from '../src/wire/negotiate.js';
import type { AgentFacts, SessionReading } from '../src/wire/normal.js';
import { capturedFrames, wireFixture } from './support/wireFixtures.js';

const factsOf = (agent: string): AgentFacts => {
  const { initialize, asked } = wireFixture(agent);
  const reading = readInitialize(initialize, asked);
  if (reading.kind !== 'agreed') throw new Error(`${agent}: ${reading.kind}`);
  return reading.facts;
};
const sessionOf = (agent: string): SessionReading =>
  dialectOf(factsOf(agent).version).readSession(wireFixture(agent).sessionNew)!;

const PATHS = {
  load: 'loadSession',
  image: 'promptCapabilities.image',
  audio: 'promptCapabilities.audio',
  embed: 'promptCapabilities.embeddedContext',
  stdio: 'mcpCapabilities.stdio',
  http: 'mcpCapabilities.http',
  sse: 'mcpCapabilities.sse',
  acp: 'mcpCapabilities.acp',
  list: 'sessionCapabilities.list',
  resume: 'sessionCapabilities.resume',
  close: 'sessionCapabilities.close',
  delete: 'sessionCapabilities.delete',
  fork: 'sessionCapabilities.fork',
  dirs: 'sessionCapabilities.additionalDirectories',
  logout: 'auth.logout',
};

describe('captured agents', () => {
  // prettier-ignore
  it.each([
    // agent               v  what it advertises, all else being no
    ['codex-acp-v1',        1, 'load image embed stdio http list resume close delete fork dirs logout'],
    ['codex-acp-v2',        2, 'load image embed stdio http list resume close delete fork dirs logout'],
    ['codex-acp-zed',       1, 'load image embed stdio http list resume close logout'],
    ['claude-agent-acp',    1, 'load image embed stdio http sse list resume close delete fork dirs'],
    ['claude-agent-acp-v2', 2, 'load image embed stdio http list resume close delete fork dirs'],
    ['gemini',              1, 'load image audio embed stdio http sse'],
    ['opencode',            1, 'load image embed stdio http sse list resume close fork'],
    ['qwen',                1, 'load image audio embed stdio http sse list resume'],
    ['pi',                  1, 'load image stdio list delete'],
  ] as const)('%s speaks version %d and advertises %s', (agent, version, advertised) => {
    const facts = factsOf(agent);
    expect(facts.version).toBe(version);
    const dialect = dialectOf(facts.version);
    const said = Object.entries(PATHS).filter(([, path]) => dialect.advertises(facts.capabilities, path));
    expect(said.map(([name]) => name).join(' ')).toBe(advertised);
  });

  // prettier-ignore
  it.each([
    ['codex-acp-v1',        '@agentclientprotocol/codex-acp',        'Codex',          '2.6.0',   'api-key:agent'],
    ['codex-acp-v2',        '@agentclientprotocol/codex-acp',        'Codex',          '2.6.0',   'api-key:agent'],
    ['codex-acp-zed',       'codex-acp',                             'Codex',          '0.16.0',  'codex-api-key:env_var openai-api-key:env_var'],
    ['claude-agent-acp',    '@agentclientprotocol/claude-agent-acp', 'Claude Agent',   '0.49.0',  ''],
    ['claude-agent-acp-v2', '@agentclientprotocol/claude-agent-acp', 'Claude Agent',   '0.101.0', ''],
    ['gemini',              'gemini-cli',                            'Gemini CLI',     '0.61.0',  'oauth-personal:agent gemini-api-key:agent vertex-ai:agent gateway:agent'],
    ['opencode',            'OpenCode',                              undefined,        '1.18.33', 'opencode-login:agent'],
    ['qwen',                'qwen-code',                             'Qwen Code',      '0.15.10', 'openai:agent qwen-oauth:agent'],
    ['pi',                  'pi-acp',                                'pi ACP adapter', '0.0.34',  'pi_terminal_login:terminal'],
  ])('%s says who it is and how it authenticates', (agent, name, title, version, methods) => {
    const facts = factsOf(agent);
    expect([facts.name, facts.title, facts.agentVersion]).toEqual([name, title, version]);
    expect(facts.authMethods.map(({ id, type }) => `${id}:${type}`).join(' ')).toBe(methods);
  });

  it.each([
    [
      'codex-acp-v1',
      'providers sessionCapabilities.title sessionCapabilities.subagents sessionCapabilities.systemPrompt',
    ],
    ['codex-acp-v2', 'providers session.title session.systemPrompt'],
    ['claude-agent-acp-v2', 'session.systemPrompt.mode.override providers'],
    ['gemini', ''],
    ['pi', ''],
  ])('what %s has and the library does not model is named', (agent, paths) => {
    const facts = factsOf(agent);
    expect(dialectOf(facts.version).narrower(facts.capabilities).join(' ')).toBe(paths);
  });

  // id/category/type=current value, and how many values there are to choose from
  // prettier-ignore
  it.each([
    ['codex-acp-v1',        'mode/mode/select=read-only 4, collaboration_mode/collaboration_mode/select=default 2, model/model/select=mock-model 10'],
    ['codex-acp-v2',        'mode/mode/select=read-only 4, collaboration_mode/collaboration_mode/select=default 2, model/model/select=mock-model 10'],
    ['codex-acp-zed',       'model/model/select=mock-model 6'],
    ['claude-agent-acp',    'mode/mode/select=default 5, model/model/select=default 5, effort/thought_level/select=default 6'],
    ['claude-agent-acp-v2', 'mode/mode/select=default 4, model/model/select=default 5, effort/thought_level/select=default 6, fast/model_config/boolean=false 0, ultracode/model_config/boolean=false 0'],
    ['gemini',              undefined],
    ['opencode',            'model/model/select=mock/mock-model 10, mode/mode/select=build 2'],
    ['qwen',                'mode/mode/select=default 4, model/model/select=$runtime|openai|mock-model(openai) 2'],
    ['pi',                  'model/model/select=mock/mock-model 1, thought_level/thought_level/select=off 1'],
  ])('the config options of %s are found', (agent, options) => {
    const found = sessionOf(agent).config?.map(
      ({ id, category, type, value, values }) => `${id}/${category}/${type}=${value} ${values.length}`,
    );
    expect(found?.join(', ')).toBe(options);
  });

  // prettier-ignore
  it.each([
    // agent               models: current, how many                 modes: current, how many
    ['codex-acp-v1',        'mock-model[medium]',                50, 'read-only', 4],
    ['codex-acp-v2',        undefined,                            0, undefined,   0],
    ['codex-acp-zed',       undefined,                            0, undefined,   0],
    ['claude-agent-acp',    undefined,                            0, 'default',   5],
    ['gemini',              'auto',                               6, 'default',   4],
    ['opencode',            undefined,                            0, undefined,   0],
    ['qwen',                '$runtime|openai|mock-model(openai)', 2, 'default',   4],
    ['pi',                  'mock/mock-model',                    1, 'off',       1],
  ])('the legacy models and modes of %s are found', (agent, model, models, mode, modes) => {
    const session = sessionOf(agent);
    expect([session.models?.current, session.models?.available.length ?? 0]).toEqual([model, models]);
    expect([session.modes?.current, session.modes?.available.length ?? 0]).toEqual([mode, modes]);
  });

  it('every session has its id, and one of late v2 its commands', () => {
    expect(sessionOf('codex-acp-v2').sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(sessionOf('codex-acp-v2').commands?.slice(0, 2)).toEqual(['plan', 'mcp']);
    expect(sessionOf('opencode').sessionId).toMatch(/^ses_/);
    expect(sessionOf('opencode').commands).toBeUndefined();
  });
});

describe('captured frames', () => {
  const KINDS: Record<string, string> = {
    agent_message_chunk: 'text',
    agent_message: 'text',
    agent_thought_chunk: 'thought',
    agent_thought: 'thought',
    user_message_chunk: 'user',
    user_message: 'user',
    available_commands_update: 'commands',
    config_option_update: 'config',
    current_mode_update: 'mode',
    session_info_update: 'info',
    terminal_update: 'terminal',
    notice: 'notice',
    state_update: 'state',
    tool_call: 'tool',
    tool_call_update: 'tool',
    usage_update: 'usage',
  };
  const frames = capturedFrames();
  const updates = frames.filter(({ body }) => 'sessionUpdate' in body);
  const permissions = frames.filter(({ body }) => !('sessionUpdate' in body));

  it.each(updates.map((frame) => [frame.version, String(frame.body['sessionUpdate']), frame] as const))(
    'v%d %s reads as what it is, with the frame beside it',
    (version, word, { body }) => {
      const update = dialectOf(version).readUpdate(body);
      expect(update.kind).toBe(KINDS[word]);
      expect(update.raw).toBe(body);
    },
  );

  it.each(permissions.map((frame) => [frame.version, frame.agent, frame] as const))(
    'a permission request in v%d of %s names its tool call and offers its options',
    (version, _agent, { body }) => {
      const permission = dialectOf(version).readPermission(body)!;
      expect(permission.sessionId).toBe(body['sessionId']);
      expect(permission.title).not.toBe('');
      expect(permission.tool?.kind).toBe('execute');
      expect(permission.options).toHaveLength((body['options'] as unknown[]).length);
      expect(permission.options.map(({ kind }) => kind)).toContain('allow_once');
      expect(permission.options.map(({ kind }) => kind)).toContain('reject_once');
    },
  );

  it('they hold both versions', () => {
    expect(updates.length).toBeGreaterThan(20);
    expect(permissions.map(({ version }) => version).sort()).toEqual([1, 2]);
  });
});
