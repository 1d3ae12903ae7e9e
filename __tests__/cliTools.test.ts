import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { clearUp, cli, folder, leftAlive, scripted } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const FILES = {
  name: 'files',
  command: '/opt/SECRET/mcp-files',
  args: ['--root', '/'],
  env: [{ name: 'A', value: 'b' }],
};
const GIT = { name: 'git', command: '/usr/bin/mcp-git', args: [], env: [] };

/** Where a file of declarations stands; what is no text is written as JSON. */
function declared(content: unknown): string {
  const path = join(folder(), 'tools.json');
  writeFileSync(path, typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content));
  return path;
}

describe('--tools', () => {
  it.each([
    ['a new session', []],
    ['a session that is loaded', ['--load', 'session-1']],
  ])('hands %s the declarations of the file', async (_, options) => {
    const tools = declared([FILES, { name: 'git', command: '/usr/bin/mcp-git', type: 'stdio' }]);
    const { code, stdout } = await cli(['run', '--tools', tools, ...options, 'hi', '--', ...scripted('tools')]);
    expect([code, JSON.parse(stdout)]).toEqual([0, [FILES, GIT]]);
  });

  it('is also read from ACP_TURNSTILE_TOOLS, and goes before it', async () => {
    const env = { ACP_TURNSTILE_TOOLS: declared([FILES]) };
    const byVariable = await cli(['run', 'hi', '--', ...scripted('tools')], '', env);
    expect(JSON.parse(byVariable.stdout)).toEqual([FILES]);
    const byOption = await cli(['run', '--tools', declared([GIT]), 'hi', '--', ...scripted('tools')], '', env);
    expect(JSON.parse(byOption.stdout)).toEqual([GIT]);
  });

  it('leaves out what an empty variable names', async () => {
    const { code, stdout } = await cli(['run', 'hi', '--', ...scripted('tools')], '', { ACP_TURNSTILE_TOOLS: '' });
    expect([code, stdout]).toEqual([0, '[]\n']);
  });

  it('is told of by its code and its variable, and starts nothing', async () => {
    const started = join(folder(), 'started');
    const agent = ['touch', started];
    const env = { ACP_TURNSTILE_TOOLS: declared([{ ...FILES, command: 'SECRET' }]) };
    const { code, stdout, stderr } = await cli(['probe', '--', ...agent], '', env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: .*from env 'ACP_TURNSTILE_TOOLS' is invalid\. command-not-absolute \(server 1\): /);
    expect(stderr).not.toContain('SECRET');
    expect(existsSync(started)).toBe(false);
    expect(leftAlive()).toEqual([]);
  });

  it.each<[string, () => string]>([
    ['no-such-file', () => join(folder(), 'SECRET')],
    ['no-such-file', () => join(declared('[]'), 'SECRET')],
    ['not-a-file', folder],
    ['not-a-file', () => '/dev/zero'],
    ['not-json', () => declared('[{"SECRET"')],
    ['not-json', () => declared(Buffer.from([0x5b, 0xff, 0x5d]))],
    ['too-large', () => declared(JSON.stringify([FILES]).padEnd(64 * 1024 + 1))],
    ['not-a-list', () => declared({ mcpServers: { SECRET: FILES } })],
    ['too-many-servers', () => declared(Array.from({ length: 9 }, (_, i) => ({ ...GIT, name: `git${i}` })))],
    ['not-stdio (server 2)', () => declared([GIT, { type: 'http', name: 'SECRET', url: 'https://SECRET' }])],
    ['reserved-name (server 1)', () => declared([{ ...GIT, name: 'ACP-Turnstile' }])],
    ['bad-env (server 1)', () => declared([{ ...GIT, env: { SECRET: 'SECRET' } }])],
  ])('refuses by the code %s, without a word of the file', async (says, path) => {
    const file = path();
    const { code, stdout, stderr } = await cli(['run', '--tools', file, 'hi', '--', ...scripted('tools')]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`is invalid. ${says}: `);
    expect(stderr.replace(file, '')).not.toContain('SECRET');
  });

  it('does not wait for a pipe that nobody writes to', async () => {
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { code, stderr } = await cli(['run', '--tools', pipe, 'hi', '--', ...scripted('tools')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('not-a-file')]);
  });

  it('is relative to where it is typed, not to --cwd', async () => {
    const elsewhere = join(folder(), 'elsewhere');
    mkdirSync(elsewhere);
    const { code, stderr } = await cli([
      ...['run', '--tools', 'no-such.json', '--cwd', elsewhere, 'hi', '--'],
      ...scripted('tools'),
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no-such-file')]);
  });
});
