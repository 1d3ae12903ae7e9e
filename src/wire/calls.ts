import type { Call, Dialect, SessionParams } from './normal.js';

type McpWriter = (servers: readonly unknown[]) => unknown[];

/** Params of what opens a session. The list of servers is complete each time: agents do not restore an old one. */
export function sessionParams(p: SessionParams, mcpServers: McpWriter): Record<string, unknown> {
  const { cwd, additionalDirectories } = p;
  const params = { cwd, mcpServers: mcpServers(p.mcpServers) };
  return additionalDirectories === undefined ? params : { ...params, additionalDirectories };
}

type Common =
  | 'newSession'
  | 'resumeSession'
  | 'forkSession'
  | 'listSessions'
  | 'closeSession'
  | 'deleteSession'
  | 'prompt'
  | 'cancel'
  | 'cancelToolCall'
  | 'cancelTerminal'
  | 'steer'
  | 'setMode'
  | 'setModel';

/**
 * The calls that both versions write alike but for the MCP servers. `session/set_mode` and `session/set_model` are not v2's: they
 * are for an agent that reports `modes` or `models` under v2 all the same, and so may serve them.
 */
export const commonCalls = (mcpServers: McpWriter): Pick<Dialect, Common> => ({
  newSession: (p) => ({ method: 'session/new', params: sessionParams(p, mcpServers) }),
  resumeSession: (sessionId, p) => ({
    method: 'session/resume',
    params: { sessionId, ...sessionParams(p, mcpServers) },
  }),
  forkSession: (sessionId, p) => ({ method: 'session/fork', params: { sessionId, ...sessionParams(p, mcpServers) } }),
  listSessions: ({ cwd, cursor }): Call => ({
    method: 'session/list',
    params: { ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) },
  }),
  closeSession: (sessionId) => ({ method: 'session/close', params: { sessionId } }),
  deleteSession: (sessionId) => ({ method: 'session/delete', params: { sessionId } }),
  prompt: (sessionId, blocks) => ({ method: 'session/prompt', params: { sessionId, prompt: blocks } }),
  cancel: (sessionId) => ({ method: 'session/cancel', params: { sessionId } }),
  // v2's, and only where the item itself says so.
  cancelToolCall: (sessionId, toolCallId) => ({ method: 'tool_call/cancel', params: { sessionId, toolCallId } }),
  cancelTerminal: (sessionId, terminalId) => ({ method: 'terminal/cancel', params: { sessionId, terminalId } }),
  // An agent that knows of `idleBehavior` then starts no turn that nobody asked for.
  steer: (sessionId, blocks) => ({
    method: '_session/steering',
    params: { sessionId, prompt: blocks, _meta: { steering: { idleBehavior: 'promptRequired' } } },
  }),
  setMode: (sessionId, modeId) => ({ method: 'session/set_mode', params: { sessionId, modeId } }),
  setModel: (sessionId, modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
});
