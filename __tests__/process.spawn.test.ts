import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killStarted, shell, start } from './support/agents.js';
import { settle } from './support/manualClock.js';

jest.setTimeout(30_000);
afterEach(killStarted);

describe('what cannot be spawned', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'process-'));
  afterAll(() => rmSync(scratch, { recursive: true }));
  const notExecutable = join(scratch, 'plain.txt');
  writeFileSync(notExecutable, 'text', { mode: 0o644 });

  it.each([
    ['an unknown command      ', () => start('/nowhere/agent', []), 'ENOENT'],
    ['a name not in PATH      ', () => start('no-such-agent-anywhere', []), 'ENOENT'],
    ['a file not executable   ', () => start(notExecutable, []), 'EACCES'],
    ['a directory that is none', () => shell('exit 0', { cwd: '/nowhere' }), 'ENOENT'],
    ['a NUL in an argument    ', () => start('/bin/sh', ['a\0b']), 'ERR_INVALID_ARG_VALUE'],
    ['a NUL in the environment', () => shell('exit 0', { env: { A: 'a\0b' } }), 'ERR_INVALID_ARG_VALUE'],
    ['too long an argument    ', () => start('/bin/sh', ['x'.repeat(8 * 1024 * 1024)]), 'E2BIG'],
    ['no command at all       ', () => start('', []), 'ERR_INVALID_ARG_VALUE'],
  ])(
    '%s fails after spawnAgent returned, once, and everything on the object still answers',
    async (_, attempt, code) => {
      const { agent, calls, failed } = attempt();
      expect(calls).toEqual([]);
      const read = agent.readable.getReader().read();
      await failed;
      await settle();
      expect(calls).toEqual(['failed']);
      expect(agent.spawnErrorCode).toBe(code);
      expect(agent).toMatchObject({ pid: undefined, exit: undefined });
      expect(await read).toEqual({ done: true });
      await expect(agent.writable.getWriter().write(Buffer.from('x'))).rejects.toThrow();
      expect(agent.stderr.tail()).toBe('');
      expect(agent.signalGroup('SIGTERM')).toBe(false);
      expect(agent.groupAlive()).toBe(false);
      await new Promise<void>((done) => agent.whenGroupGone(done));
      agent.closeStdin();
      agent.dispose();
    },
  );

  it('says nothing more once it is disposed of', async () => {
    const { agent, calls } = start('/nowhere/agent', []);
    agent.dispose();
    await settle();
    await settle();
    expect(calls).toEqual([]);
  });
});

describe('the environment', () => {
  it('is replaced by the one given, without its undefined values', async () => {
    const { line } = shell('echo "${HOME-none} ${GIVEN-none} ${HOLE-none}" >&2', {
      env: { GIVEN: 'yes', HOLE: undefined },
    });
    expect(await line).toBe('none yes none');
  });

  it('is inherited when none is given, and the directory is the one named', async () => {
    const { line } = shell('echo "$PATH $PWD" >&2', { cwd: '/' });
    expect(await line).toBe(`${process.env['PATH']} /`);
  });
});
