/** `acp-turnstile inspect`: what `run` does, with a page that stays up until Ctrl-C. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearUp, cli, demoAgent, leftAlive, scripted, start, type RunningCli } from './support/cli.js';
import { until } from './support/agents.js';

afterEach(clearUp);

const status = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.once('error', reject);
    asked.end();
  });

function urlOf(stdout: string): string {
  const [line = '{}'] = stdout.split('\n');
  const { event, url } = JSON.parse(line) as { event?: string; url?: string };
  expect(event).toBe('inspector');
  return url ?? '';
}

function stderrOf({ child }: RunningCli): () => string {
  let all = '';
  child.stderr.on('data', (text: string) => (all += text));
  return () => all;
}

describe('inspect', () => {
  it('prints the address, runs the turn, and keeps the page up until Ctrl-C; the exit code is that of the turn', async () => {
    const running = await start(['inspect', '--json', '--allow', 'edit', 'write a file', '--', ...(await demoAgent())]);
    const stderr = stderrOf(running);
    await running.says('"event":"result"');
    await until(() => stderr().includes('It is over; the page stays up until Ctrl-C.'));
    const url = urlOf(running.stdout());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    expect(stderr()).toContain(`The page: ${url}`);
    expect(await status(url)).toBe(200);
    expect(running.child.exitCode).toBeNull();
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
    await expect(status(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(leftAlive()).toEqual([]);
  }, 60_000);

  it('leaves stdout to the answer', async () => {
    const running = await start(['inspect', 'hello', '--', ...(await demoAgent())]);
    const stderr = stderrOf(running);
    await until(() => stderr().includes('It is over'));
    expect(running.stdout()).not.toContain('http://');
    expect(running.stdout().length).toBeGreaterThan(0);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }, 60_000);

  it('ends at once when Ctrl-C comes amid the turn, which is cancelled first', async () => {
    const running = await start([
      'inspect',
      '--json',
      'think, plan, slow',
      '--',
      ...(await demoAgent('--pace', '200')),
    ]);
    await running.says('"event":"update"');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(4);
    expect(stdout).toContain('"outcome":"cancelled"');
    expect(leftAlive()).toEqual([]);
  }, 60_000);

  it('shows an agent that died amid the turn for as long as anybody wants to look', async () => {
    const running = await start(['inspect', '--json', 'hello', '--', ...scripted('dies')]);
    const stderr = stderrOf(running);
    await until(() => stderr().includes('It is over') || running.child.exitCode !== null);
    expect(running.stdout()).toContain('"kind":"agent-exited"');
    expect(await status(urlOf(running.stdout()))).toBe(200);
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(7);
  }, 60_000);

  it('opens a session and asks nothing without a prompt', async () => {
    const running = await start(['inspect', '--json', '--', ...(await demoAgent())]);
    await running.says('"event":"session"');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain('"event":"update"');
    expect(leftAlive()).toEqual([]);
  }, 60_000);

  it('ends by itself where the agent could not be started: there is nothing to look at', async () => {
    const { code, stderr } = await cli(['inspect', 'hello', '--', 'no-such-agent-anywhere']);
    expect(code).toBe(7);
    expect(stderr).toContain('spawn-failed');
    expect(stderr).not.toContain('stays up');
  }, 60_000);

  it('names a port that is taken, and one that is none', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', () => resolve()));
    const { port } = other.address() as AddressInfo;
    const taken = await cli(['inspect', '--port', String(port), 'hello', '--', 'agent']);
    other.close();
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(`port ${port} cannot be used: it is taken`);
    const none = await cli(['inspect', '--port', '0', 'hello', '--', 'agent']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('It is a number from 1 to 65535.');
  }, 60_000);
});
