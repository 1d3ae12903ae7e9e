import { commonCalls, sessionParams } from './calls.js';
import { advertisesV1, narrowerV1 } from './capabilities.js';
import { mcpServersV1 } from './mcpServers.js';
import type { Dialect } from './normal.js';
import { readPermission } from './permission.js';
import { readConfig, readPrompt, readSession, readSessionList } from './results.js';
import { readUpdateV1 } from './updates.js';

/** Version 1, stable, with what agents kept of its older drafts (`models`) and serve of its unstable part (`session/fork`). */
export const v1: Dialect = {
  version: 1,
  asksForServices: true,
  methodOf: (method) => method,
  ...commonCalls(mcpServersV1),
  loadSession: (sessionId, p) => ({
    method: 'session/load',
    params: { sessionId, ...sessionParams(p, mcpServersV1) },
  }),
  setConfig: (sessionId, configId, value) => ({
    method: 'session/set_config_option',
    params:
      typeof value === 'boolean' ? { sessionId, configId, type: 'boolean', value } : { sessionId, configId, value },
  }),
  authenticate: (methodId) => ({ method: 'authenticate', params: { methodId } }),
  logout: () => ({ method: 'logout', params: {} }),
  readSession,
  // Only a stop reason ends a v1 turn; an answer without one can mean nothing.
  readPrompt: (result) => {
    const prompt = readPrompt(result);
    return prompt?.stopReason === undefined ? undefined : prompt;
  },
  readConfig,
  readSessionList,
  readUpdate: readUpdateV1,
  readPermission: (params) => readPermission(params, 'unchanged'),
  advertises: advertisesV1,
  narrower: narrowerV1,
};
