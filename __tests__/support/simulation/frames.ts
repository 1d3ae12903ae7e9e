/** What the simulated agent says, as wire objects. Every string that the library must keep to itself carries the mark. */
import type { AgentAction, AnswerHow, Setup, UpdateKind, Version } from './script.js';

/** In no error, no matter how it is printed. */
export const MARK = 'ZQX';

/** Text whose place can be found again. */
export const tokenText = (n: number): string => `${MARK}<${n}>`;
export const tokensOf = (text: string): number[] => [...text.matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));

const MODELS = ['fast', 'deep'];
const EFFORTS = ['Low', 'HIGH', 'max'];
const MODES = ['ask', 'code'];
/** The session that an update announces as a child. */
export const childOf = (n: number): string => `c-${n}`;

const CHUNK_BYTES = 700 * 1024;

const option = (version: Version, id: string, category: string, values: string[], value: string): object => ({
  [version === 1 ? 'id' : 'configId']: id,
  name: `${MARK} ${id}`,
  category,
  type: 'select',
  currentValue: value,
  options: values.map((each) => ({ value: each, name: `${MARK} ${each}` })),
});

export const configOptions = (version: Version, picked: Record<string, unknown> = {}): object[] => {
  const now = (id: string, fallback: string): string => (typeof picked[id] === 'string' ? picked[id] : fallback);
  return [
    option(version, 'model', 'model', MODELS, now('model', 'fast')),
    option(version, 'effort', 'thought_level', EFFORTS, now('effort', 'Low')),
    option(version, 'mode', 'mode', MODES, now('mode', 'ask')),
    {
      [version === 1 ? 'id' : 'configId']: 'web',
      name: `${MARK} web`,
      type: 'boolean',
      currentValue: picked['web'] === true,
    },
  ];
};

/** What a session offers, beside its id. */
export function sessionMembers({ options, version }: Setup): object {
  if (options === 'none') return {};
  if (options === 'config') return { configOptions: configOptions(version) };
  return {
    modes: { currentModeId: 'ask', availableModes: MODES.map((id) => ({ id, name: `${MARK} ${id}` })) },
    models: {
      currentModelId: 'fast',
      availableModels: MODELS.map((modelId) => ({ modelId, name: `${MARK} ${modelId}` })),
    },
  };
}

export function updateOf(a: Extract<AgentAction, { do: 'update' | 'state' }>, version: Version): object {
  const _meta = { n: a.n };
  const text = { type: 'text', text: tokenText(a.n) };
  if (a.do === 'state') {
    const { state, stopReason } = a;
    const error = stopReason === 'error' ? { error: { code: -32_050, message: MARK } } : {};
    return {
      sessionUpdate: 'state_update',
      state,
      ...(stopReason === undefined ? {} : { stopReason }),
      ...error,
      _meta,
    };
  }
  const tool = {
    toolCallId: a.tool ?? `t-${a.n}`,
    title: MARK,
    ...(a.toolKind === undefined ? {} : { kind: a.toolKind }),
  };
  const kinds: Record<UpdateKind, () => object> = {
    text: () => ({ sessionUpdate: 'agent_message_chunk', content: text }),
    message: () => ({ sessionUpdate: 'agent_message', messageId: `m-${a.n}`, content: [text] }),
    thought: () => ({ sessionUpdate: 'agent_thought_chunk', content: text }),
    user: () => ({ sessionUpdate: 'user_message_chunk', content: text }),
    tool: () => ({ sessionUpdate: a.n % 2 === 0 ? 'tool_call' : 'tool_call_update', ...tool }),
    plan: () => ({ sessionUpdate: 'plan', entries: [{ content: MARK, status: 'pending', priority: 'low' }] }),
    commands: () => ({
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'init', description: MARK }],
    }),
    mode: () => ({ sessionUpdate: 'current_mode_update', currentModeId: MODES[a.n % 2] }),
    config: () => ({ sessionUpdate: 'config_option_update', configOptions: configOptions(version) }),
    usage: () => ({ sessionUpdate: 'usage_update', used: a.n, size: 100_000 }),
    info: () => ({ sessionUpdate: 'session_info_update', title: MARK }),
    child: () => ({ sessionUpdate: 'subagent_update', sessionId: childOf(a.n) }),
    odd: () => ({ sessionUpdate: ['of_tomorrow', '__proto__', 'constructor', 'toString'][a.n % 4] }),
    malformed: () => ({ sessionUpdate: 'plan', entries: MARK }),
    big: () => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `<${a.n}>`.padEnd(CHUNK_BYTES, MARK) },
    }),
  };
  return { ...kinds[a.kind](), _meta };
}

export const permissionOf = (a: Extract<AgentAction, { do: 'ask' }>, version: Version): object => {
  const tool = a.tool ?? `t-${a.n}`;
  const toolCall = { toolCallId: tool, title: MARK, ...(a.toolKind === undefined ? {} : { kind: a.toolKind }) };
  return {
    ...(a.session === undefined ? {} : { sessionId: a.session }),
    ...(version === 1 ? { toolCall } : { title: MARK, subject: { type: 'tool_call', toolCall } }),
    options: a.options.map((kind, i) => ({ optionId: `o-${a.n}-${i}`, name: MARK, kind })),
    _meta: { n: a.n },
  };
};

/** The result of a call as an agent that keeps to the protocol gives it. */
export function goodResult(
  method: string,
  params: any,
  a: Extract<AgentAction, { do: 'answer' }>,
  setup: Setup,
): unknown {
  switch (method) {
    case 'session/new':
    case 'session/fork':
      return { sessionId: a.id, ...sessionMembers(setup) };
    case 'session/load':
    case 'session/resume':
      return sessionMembers(setup);
    case 'session/prompt':
      return a.stopReason === undefined ? {} : { stopReason: a.stopReason };
    case 'session/set_config_option':
      return { configOptions: configOptions(setup.version, { [params.configId]: params.value }) };
    case 'session/list':
      return {
        sessions: [{ sessionId: 'x-1', cwd: '/x', title: MARK }],
        ...(params.cursor === undefined && a.code === 0 ? { nextCursor: 'c-1' } : {}),
      };
    default:
      return {};
  }
}

export const error = (code: number): object => ({ code, message: MARK, data: { text: MARK } });

/** The members of an answer beside its id, and whether it can be read as a result. */
export function answerMembers(how: AnswerHow, good: unknown, code: number): object {
  switch (how) {
    case 'null':
      return { result: null };
    case 'no-stop':
    case 'no-id':
      return { result: {} };
    case 'wrong-type':
      return { result: [MARK] };
    case 'error':
      return { error: error(code) };
    case 'both':
      return { result: good, error: error(code) };
    case 'neither':
      return {};
    default:
      return { result: good };
  }
}

export const initialized = (setup: Setup, spoken: Version): object => {
  const has = new Set(setup.serves);
  const authMethods = [{ id: 'login', methodId: 'login', name: MARK }];
  const marker = (path: string): object | undefined => (has.has(path) ? {} : undefined);
  if (spoken === 2) {
    const session = {
      delete: marker('sessionCapabilities.delete'),
      fork: marker('sessionCapabilities.fork'),
      prompt: { embeddedContext: marker('promptCapabilities.embeddedContext') },
      mcp: { stdio: {} },
    };
    return { protocolVersion: 2, info: { name: MARK, version: '0' }, capabilities: { session, auth: {} }, authMethods };
  }
  const each = (...names: string[]): object =>
    Object.fromEntries(names.map((name) => [name, marker(`sessionCapabilities.${name}`)]));
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: has.has('loadSession'),
      promptCapabilities: { embeddedContext: has.has('promptCapabilities.embeddedContext') },
      sessionCapabilities: each('resume', 'close', 'list', 'delete', 'fork'),
      auth: { logout: marker('auth.logout') },
    },
    authMethods,
  };
};
