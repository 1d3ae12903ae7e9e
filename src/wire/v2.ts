import { commonCalls, sessionParams } from './calls.js';
import { advertisesV2, narrowerV2 } from './capabilities.js';
import { mcpServersV2 } from './mcpServers.js';
import type { Dialect } from './normal.js';
import { readPermission } from './permission.js';
import { readConfig, readPrompt, readSession, readSessionList } from './results.js';
import { readUpdateV2 } from './updates.js';

/** By their names in v1: `session/load` is a resume with replay. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['session/load', 'session/resume'],
  ['authenticate', 'auth/login'],
  ['logout', 'auth/logout'],
]);

/** Version 2. Two drafts are in the field under one number and nothing tells them apart: what either says is read. */
export const v2: Dialect = {
  version: 2,
  asksForServices: false,
  methodOf: (method) => RENAMED.get(method) ?? method,
  ...commonCalls(mcpServersV2),
  loadSession: (sessionId, p) => ({
    method: 'session/resume',
    params: { sessionId, ...sessionParams(p, mcpServersV2), replayFrom: { type: 'start' } },
  }),
  setConfig: (sessionId, configId, value) => ({
    method: 'session/set_config_option',
    params: { sessionId, configId, type: typeof value === 'boolean' ? 'boolean' : 'id', value },
  }),
  authenticate: (methodId) => ({ method: 'auth/login', params: { methodId } }),
  logout: () => ({ method: 'auth/logout', params: {} }),
  readSession,
  readPrompt,
  readConfig,
  readSessionList,
  readUpdate: readUpdateV2,
  readPermission: (params) => readPermission(params, 'clear'),
  advertises: advertisesV2,
  narrower: narrowerV2,
};
