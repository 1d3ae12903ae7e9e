import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { until } from './support/agents.js';
import { clearUp, demoAgent, leftAlive, scripted, start } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const run = (agent: readonly string[], ...options: string[]) => start(['run', ...options, 'slow', '--', ...agent]);
const lastEvent = (stdout: string, name: string): Record<string, unknown> | undefined =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .findLast(({ event }) => event === name);

/** Node itself heeds SIGINT from the start; SIGHUP only since there is a listener, which is the last one to be added. */
function heedsHangup(pid: number | undefined): boolean {
  const [, caught = '0'] = /^SigCgt:\s+(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGHUP - 1))) !== 0n;
}

describe('Ctrl-C', () => {
  it('cancels the turn, and what the agent said until then stays said', async () => {
    const { child, ended, says } = await run([...(await demoAgent()), '--pace', '50']);
    await says('word2');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([4, 'cancelled: the agent has stopped\n']);
    expect(stdout).toMatch(/^word0 word1 word2.*\n$/);
    expect(leftAlive()).toEqual([]);
  });

  it('is told to programs as a result', async () => {
    const { child, ended, says } = await run(scripted('silent'), '--json');
    await says('"text":"."');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(4);
    expect(lastEvent(stdout, 'result')).toMatchObject({ exitCode: 4, outcome: 'cancelled', cancelRequested: true });
  });

  it('kills at the second time, whatever the agent and its children ignore', async () => {
    const { child, ended, says } = await run(scripted('deaf'), '--json');
    await says('"text":"deaf "');
    child.kill('SIGINT');
    await says('"state":"cancelling"');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await until(() => leftAlive().length === 0);
  });

  it('before there is a turn ends everything', async () => {
    const { child, ended, says } = await run([process.execPath, '-e', 'setInterval(() => {}, 60000)'], '--json');
    await says('"state":"connecting"');
    await until(() => leftAlive().length > 1);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([4, '']);
    expect(lastEvent(stdout, 'error')).toMatchObject({ exitCode: 4, signal: 'SIGINT' });
    await until(() => leftAlive().length === 0);
  });

  it('while the prompt is read from stdin starts nothing', async () => {
    if (process.platform !== 'linux') return console.log('not run: there is no /proc to see when the command listens');
    const { child, ended } = await start(['run', '-', '--', ...scripted('echo')]);
    child.stdin.write('half a prom');
    await until(() => heedsHangup(child.pid));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout, stderr]).toEqual([4, '', 'cancelled by SIGINT\n']);
  });
});

describe('what else ends it from outside', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s closes the agent and exits with %i', async (signal, exitCode) => {
    const { child, ended, says } = await run(await demoAgent('--pace', '50'));
    await says('word2');
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([exitCode, `ended by ${signal}\n`]);
    expect(stdout).toMatch(/^word0 word1 word2.*\n$/);
    expect(leftAlive()).toEqual([]);
  });

  it('the end of whoever reads stdout closes the agent without a word', async () => {
    const { child, ended, says } = await run(await demoAgent('--pace', '50'));
    await says('word2');
    child.stdout.destroy();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([141, '']);
    expect(leftAlive()).toEqual([]);
  });

  it('the death of the agent is told as such, with how it died', async () => {
    const { ended, says, stdout } = await run(await demoAgent('--pace', '50'), '--json');
    await says('word2');
    process.kill(Number(lastEvent(stdout(), 'connected')?.['pid']), 'SIGKILL');
    const { code, stderr, ...rest } = await ended;
    expect(code).toBe(7);
    expect(stderr).toMatch(/^error: agent-exited in phase turn.*signal SIGKILL/);
    expect(lastEvent(rest.stdout, 'error')).toMatchObject({
      exitCode: 7,
      kind: 'agent-exited',
      phase: 'turn',
      exit: { code: null, signal: 'SIGKILL' },
    });
    expect(leftAlive()).toEqual([]);
  });
});
