/** The demo agent's words in both versions of the protocol: one place that knows how they differ. */
import type { Settings } from './settings.js';

export interface DemoTool {
  toolCallId: string;
  title: string;
  kind: 'edit' | 'search';
  /** `cancelled` is written as `failed` under v1, which has no such status. */
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  path: string;
  content?: string;
}
export interface PlanEntry {
  content: string;
  priority: 'high' | 'medium' | 'low';
  status: 'pending' | 'in_progress' | 'completed';
}
export type Speaker = 'user' | 'agent' | 'thought';

export const INFO = { name: 'acp-turnstile-demo', title: 'Turnstile demo agent', version: '1.0.0' };
export const PERMISSION_OPTIONS = [
  { optionId: 'demo-allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'demo-allow-session', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'demo-reject', name: 'Reject', kind: 'reject_once' },
] as const;
const COMMANDS = [
  { name: 'write', description: 'Ask for permission, then write the demo file' },
  { name: 'plan', description: 'Show a plan and work it off' },
  { name: 'think', description: 'Think before the answer' },
  { name: 'tool', description: 'Call a harmless tool' },
  { name: 'slow', description: 'Stream a long answer' },
  { name: 'refuse', description: 'End the turn as refused' },
];
const CHUNK_KIND = {
  user: 'user_message_chunk',
  agent: 'agent_message_chunk',
  thought: 'agent_thought_chunk',
} as const;
const textBlock = (text: string): object => ({ type: 'text', text });

export interface Words {
  readonly version: 1 | 2;
  initialized(): object;
  /** The result of new, load and resume, but for the id. */
  sessionResult(settings: Settings): object;
  configOptions(settings: Settings): object[];
  chunk(speaker: Speaker, messageId: string, text: string): object;
  /** A whole message, as it is replayed. */
  message(speaker: Speaker, messageId: string, text: string): object;
  tool(tool: DemoTool, first: boolean): object;
  plan(entries: readonly PlanEntry[]): object;
  permission(sessionId: string, tool: DemoTool): object;
}

const toolFields = (tool: DemoTool): object => ({
  toolCallId: tool.toolCallId,
  title: tool.title,
  kind: tool.kind,
  status: tool.status,
  locations: [{ path: tool.path }],
  ...(tool.content === undefined ? {} : { content: [{ type: 'content', content: textBlock(tool.content) }] }),
});

const v1: Words = {
  version: 1,
  initialized: () => ({
    protocolVersion: 1,
    agentInfo: INFO,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  }),
  sessionResult: (settings) => ({ modes: settings.modes(), configOptions: settings.options('id') }),
  configOptions: (settings) => settings.options('id'),
  chunk: (speaker, messageId, text) => ({ sessionUpdate: CHUNK_KIND[speaker], messageId, content: textBlock(text) }),
  message: (speaker, messageId, text) => v1.chunk(speaker, messageId, text),
  tool: (tool, first) => ({
    sessionUpdate: first ? 'tool_call' : 'tool_call_update',
    ...toolFields(tool.status === 'cancelled' ? { ...tool, status: 'failed' } : tool),
  }),
  plan: (entries) => ({ sessionUpdate: 'plan', entries }),
  permission: (sessionId, tool) => ({ sessionId, toolCall: toolFields(tool), options: PERMISSION_OPTIONS }),
};

const v2: Words = {
  version: 2,
  initialized: () => ({ protocolVersion: 2, info: INFO, capabilities: { session: { prompt: {}, mcp: {} } } }),
  sessionResult: (settings) => ({ configOptions: settings.options('configId'), availableCommands: typedCommands() }),
  configOptions: (settings) => settings.options('configId'),
  chunk: (speaker, messageId, text) => ({ sessionUpdate: CHUNK_KIND[speaker], messageId, content: textBlock(text) }),
  message: (speaker, messageId, text) => {
    const sessionUpdate = CHUNK_KIND[speaker].slice(0, -'_chunk'.length);
    return { sessionUpdate, messageId, content: [textBlock(text)] };
  },
  tool: (tool) => ({ sessionUpdate: 'tool_call_update', ...toolFields(tool) }),
  plan: (entries) => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'demo-plan', entries } }),
  permission: (sessionId, tool) => ({
    sessionId,
    title: tool.title,
    subject: { type: 'tool_call', toolCall: toolFields(tool) },
    options: PERMISSION_OPTIONS,
  }),
};

const typedCommands = (): object[] => COMMANDS.map((command) => ({ type: 'command', ...command }));

/** v1 has no commands in its session results: they follow as an update. */
export const commandsUpdate = (): object => ({
  sessionUpdate: 'available_commands_update',
  availableCommands: COMMANDS,
});
export const stateUpdate = (state: string, rest: object = {}): object => ({
  sessionUpdate: 'state_update',
  state,
  ...rest,
});

export const wordsOf = (version: 1 | 2): Words => (version === 1 ? v1 : v2);
