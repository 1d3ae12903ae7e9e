import { describe, expect, it } from '@jest/globals';
import { dialectOf } from '../src/wire/dialect.js';

const v1 = dialectOf(1);
const v2 = dialectOf(2);
const VERSIONS = [1, 2] as const;
const work = { cwd: '/work', mcpServers: [] };

describe('what opens a session', () => {
  // prettier-ignore
  it('is written in the words of each version', () => {
    expect(v1.newSession(work)).toStrictEqual({ method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
    expect(v2.newSession(work)).toStrictEqual({ method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
    expect(v1.loadSession('s', work)).toStrictEqual({ method: 'session/load', params: { sessionId: 's', cwd: '/work', mcpServers: [] } });
    expect(v2.loadSession('s', work)).toStrictEqual({ method: 'session/resume', params: { sessionId: 's', cwd: '/work', mcpServers: [], replayFrom: { type: 'start' } } });
    expect(v1.resumeSession('s', work)).toStrictEqual({ method: 'session/resume', params: { sessionId: 's', cwd: '/work', mcpServers: [] } });
    expect(v2.resumeSession('s', work)).toStrictEqual({ method: 'session/resume', params: { sessionId: 's', cwd: '/work', mcpServers: [] } });
    expect(v1.forkSession('s', work)).toStrictEqual({ method: 'session/fork', params: { sessionId: 's', cwd: '/work', mcpServers: [] } });
  });

  it.each(VERSIONS)('names additional directories in version %d only when they are given', (version) => {
    const dialect = dialectOf(version);
    for (const additionalDirectories of [['/a', '/b'], undefined]) {
      const p = { ...work, additionalDirectories };
      for (const call of [dialect.newSession(p), dialect.loadSession('s', p), dialect.resumeSession('s', p)]) {
        expect(Object.hasOwn(call.params, 'additionalDirectories')).toBe(additionalDirectories !== undefined);
        expect(call.params['additionalDirectories']).toEqual(additionalDirectories);
      }
    }
  });
});

describe('an MCP server', () => {
  const stdio = { name: 'a', command: '/bin/a' };
  const http = { type: 'http', name: 'h', url: 'https://h' };
  const servers = (version: 1 | 2, ...mcpServers: unknown[]): unknown =>
    dialectOf(version).newSession({ cwd: '/work', mcpServers }).params['mcpServers'];

  it('over stdio has no type in version 1, and both lists', () => {
    const full = { ...stdio, args: ['-v'], env: [{ name: 'A', value: '1' }] };
    expect(servers(1, full, { type: 'stdio', ...full })).toStrictEqual([full, full]);
    expect(servers(1, stdio, { ...stdio, args: null })).toStrictEqual(
      [1, 2].map(() => ({ ...stdio, args: [], env: [] })),
    );
  });

  it('over another transport has its headers in version 1', () => {
    const headers = [{ name: 'A', value: '1' }];
    expect(servers(1, http, { ...http, headers })).toStrictEqual([
      { ...http, headers: [] },
      { ...http, headers },
    ]);
  });

  it('has its type in version 2, and only what was given', () => {
    expect(servers(2, stdio, { ...stdio, type: 'stdio' }, http)).toStrictEqual([
      { type: 'stdio', ...stdio },
      { type: 'stdio', ...stdio },
      http,
    ]);
  });

  it('is written from a copy, and what is no object goes out as it is', () => {
    const frozen = Object.freeze({ ...stdio, type: 'stdio' });
    expect(servers(1, frozen, 'odd', null)).toStrictEqual([{ ...stdio, args: [], env: [] }, 'odd', null]);
    expect(servers(2, 'odd', null)).toStrictEqual(['odd', null]);
  });
});

describe('what is asked of a session or an agent', () => {
  const blocks = [{ type: 'text', text: 'hi' }];
  // prettier-ignore
  it.each(VERSIONS)('is written alike in both versions: %d', (version) => {
    const d = dialectOf(version);
    expect(d.version).toBe(version);
    expect(d.prompt('s', blocks)).toStrictEqual({ method: 'session/prompt', params: { sessionId: 's', prompt: blocks } });
    expect(d.cancel('s')).toStrictEqual({ method: 'session/cancel', params: { sessionId: 's' } });
    expect(d.closeSession('s')).toStrictEqual({ method: 'session/close', params: { sessionId: 's' } });
    expect(d.deleteSession('s')).toStrictEqual({ method: 'session/delete', params: { sessionId: 's' } });
    expect(d.setMode('s', 'ask')).toStrictEqual({ method: 'session/set_mode', params: { sessionId: 's', modeId: 'ask' } });
    expect(d.setModel('s', 'm')).toStrictEqual({ method: 'session/set_model', params: { sessionId: 's', modelId: 'm' } });
    expect(d.listSessions({})).toStrictEqual({ method: 'session/list', params: {} });
    expect(d.listSessions({ cwd: undefined, cursor: undefined })).toStrictEqual({ method: 'session/list', params: {} });
    expect(d.listSessions({ cwd: '/w', cursor: 'c' })).toStrictEqual({ method: 'session/list', params: { cwd: '/w', cursor: 'c' } });
  });

  // prettier-ignore
  it('names the type of a config value where the version wants it', () => {
    const method = 'session/set_config_option';
    expect(v1.setConfig('s', 'c', 'high')).toStrictEqual({ method, params: { sessionId: 's', configId: 'c', value: 'high' } });
    expect(v1.setConfig('s', 'c', false)).toStrictEqual({ method, params: { sessionId: 's', configId: 'c', type: 'boolean', value: false } });
    expect(v2.setConfig('s', 'c', 'high')).toStrictEqual({ method, params: { sessionId: 's', configId: 'c', type: 'id', value: 'high' } });
    expect(v2.setConfig('s', 'c', false)).toStrictEqual({ method, params: { sessionId: 's', configId: 'c', type: 'boolean', value: false } });
  });

  it('is authentication by its name in the version', () => {
    expect([v1.authenticate('key'), v1.logout()]).toStrictEqual([
      { method: 'authenticate', params: { methodId: 'key' } },
      { method: 'logout', params: {} },
    ]);
    expect([v2.authenticate('key'), v2.logout()]).toStrictEqual([
      { method: 'auth/login', params: { methodId: 'key' } },
      { method: 'auth/logout', params: {} },
    ]);
  });
});
