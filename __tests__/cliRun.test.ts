import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { clearUp, cli, demoAgent, folder, leftAlive, scripted } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const run = (agent: readonly string[], ...options: string[]) => cli(['run', ...options, 'hello', '--', ...agent]);

describe('run', () => {
  it.each(['1', '2'])(
    'streams the text of a version %s agent to stdout, and nothing else anywhere',
    async (version) => {
      const { code, stdout, stderr } = await run(await demoAgent('--protocol', version));
      expect(stdout).toBe(
        'Hello from the demo agent. I think nothing and know nothing, but I speak the protocol. (demo-small, effort medium)\n',
      );
      expect([code, stderr]).toEqual([0, '']);
      expect(leftAlive()).toEqual([]);
    },
  );

  it('begins each message on a line of its own', async () => {
    const { stdout } = await run(scripted('messages'));
    expect(stdout).toBe('One and.\nTwo.\nThree.\n');
  });

  it('hands text on as it is where stdout is no terminal', async () => {
    const { stdout } = await run(scripted('escapes'));
    expect(stdout).toBe('\u001b]0;title\u0007red \u001b[31mtext\u001b[0m\n');
  });

  it('reads the prompt from stdin where it is a dash', async () => {
    const { code, stdout } = await cli(['run', '-', '--', ...scripted('echo')], 'first line\nsecond line');
    expect([code, stdout]).toEqual([0, 'first line\nsecond line\n']);
  });

  it('keeps replayed history out of the text', async () => {
    const { code, stdout } = await run(scripted('echo'), '--load', 'session-1');
    expect([code, stdout]).toEqual([0, 'hello\n']);
  });

  it('holds an agent that is faster than whoever reads, and loses nothing', async () => {
    const { code, stdout } = await run(scripted('flood', 8_000));
    expect(code).toBe(0);
    expect(stdout).toBe(`${Array.from({ length: 8_000 }, (_, i) => `${i} `.padEnd(1024, '.')).join('')}\n`);
  });

  it('gives the agent what stands behind the dashes, options that look like ours included', async () => {
    const script = 'console.error(JSON.stringify(process.argv.slice(1)))';
    const { stderr } = await cli([
      'run',
      '--verbose',
      'hi',
      '--',
      process.execPath,
      '-e',
      script,
      '--',
      '--json',
      '--',
    ]);
    expect(stderr).toContain('["--json","--"]');
  });
});

describe('what run allows', () => {
  const wrote = (cwd: string): boolean => existsSync(join(cwd, 'acp-turnstile-demo.txt'));
  const write = async (...options: string[]) => {
    const cwd = folder();
    const ended = await cli(['run', '--cwd', cwd, ...options, 'write', '--', ...(await demoAgent())]);
    return { ...ended, wrote: wrote(cwd) };
  };

  it('is nothing by default, and the end says how to allow it', async () => {
    const { code, stderr, ...rest } = await write();
    expect([code, rest.wrote]).toEqual([0, false]);
    expect(stderr).toContain('1 request for permission was answered `cancelled`.');
    expect(stderr).toContain('--allow edit, or --ask');
  });

  it('is what --allow names', async () => {
    const { code, stderr, ...rest } = await write('--allow', 'read,edit');
    expect([code, rest.wrote, stderr]).toEqual([0, true, '']);
  });

  it('is nothing that --allow does not name', async () => {
    const { stderr, ...rest } = await write('--allow', 'read', '--allow', 'search');
    expect(rest.wrote).toBe(false);
    expect(stderr).toContain('--allow read,search,edit, or --ask');
  });

  it('is nothing of a tool that names no kind', async () => {
    const { stdout, stderr } = await run(scripted('asks'), '--allow', 'execute');
    expect(stdout).toBe('ask-0: yes, ask-1: cancelled, ask-2: cancelled\n');
    expect(stderr).toContain('2 requests for permission were answered `cancelled`.');
    expect(stderr).toContain('--allow execute,edit (for some of them --ask only), or --ask');
  });
});

describe('what run chooses', () => {
  it('is the model, effort and mode of its options', async () => {
    const { stdout } = await run(await demoAgent(), '--model', 'demo-large', '--effort', 'MAX', '--mode', 'plan');
    expect(stdout).toContain('(demo-large, effort max)');
  });

  it.each([
    ['--model', 'the agent offers demo-small, demo-large.'],
    ['--effort', 'the agent offers low, medium.'],
    ['--mode', 'the agent offers ask, plan.'],
  ])('is refused with what there is where %s is not on offer', async (option, offers) => {
    const { code, stdout, stderr } = await run(await demoAgent(), option, 'nonsense');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${option}: ${offers}`);
  });

  it('is refused where the agent has none of it', async () => {
    const { code, stderr } = await run(scripted('echo'), '--model', 'any');
    expect(code).toBe(1);
    expect(stderr).toMatch(/capability-absent in phase request.*\n.*leave out --model/);
  });
});

describe('an end that is no completion', () => {
  it.each([
    ['refusal', 5, /^refused: .*\(refusal\)/],
    ['limit', 5, /^limit: .*\(max_tokens\)/],
    ['odd', 5, /^other: /],
    ['error', 5, /^error: agent-error in phase turn.*code -32603.*\n.*--verbose/],
    ['dies', 7, /^error: agent-exited in phase turn.*code 3.*\n.*--verbose/],
    ['version', 7, /^error: version-unsupported in phase initialize.*\n.*--protocol/],
    ['auth', 3, /^error: auth-required in phase session.*\n.*key, by-env \(set SOME_API_KEY\), by-hand.*`--auth key`/],
  ])('of the kind "%s" exits with %i and says what to do', async (behaviour, exitCode, says) => {
    const { code, stdout, stderr } = await run(scripted(behaviour));
    expect(code).toBe(exitCode);
    expect(stderr).toMatch(says);
    expect(stdout).toBe(behaviour === 'dies' ? 'half a sen\n' : '');
    expect(`${stderr}${stdout}`).not.toContain('SECRET');
    expect(leftAlive()).toEqual([]);
  });

  it.each([
    ['--idle', 'silent', /^error: idle in phase \w+.*bound idle.*\n.*1s \(--idle\)/],
    ['--max', 'chatty', /^error: absolute in phase \w+.*bound absolute.*\n.*1s in all \(--max\)/],
  ])('by the bound of %s exits with 6 and names it', async (option, behaviour, says) => {
    const { code, stderr } = await run(scripted(behaviour), option, '1s');
    expect(code).toBe(6);
    expect(stderr).toMatch(says);
  });

  it.each([
    [
      'a command that is not there',
      ['no-such-agent'],
      /^error: spawn-failed in phase spawn.*\n +no-such-agent: command not found\./,
    ],
    [
      'a file that is not executable',
      [`${process.cwd()}/package.json`],
      /spawn-failed.*\n.*package.json: not executable\./,
    ],
    ['a program that is no agent', [process.execPath, '-e', '0'], /agent-exited in phase initialize.*\n.*speak ACP\?/],
  ])('by %s exits with 7 and says so', async (_, agent, says) => {
    const { code, stderr } = await run(agent);
    expect(code).toBe(7);
    expect(stderr).toMatch(says);
  });

  it("shows the agent's words only when asked to", async () => {
    const { stderr } = await run(scripted('error'), '--verbose');
    expect(stderr).toContain('  | SECRET-MESSAGE');
    expect(stderr).toContain('"why": "SECRET-DATA"');
    expect(stderr).toContain('  | SECRET-STDERR');
  });

  it('is none after the login that was asked for', async () => {
    expect((await run(scripted('auth'), '--auth', 'key')).code).toBe(0);
  });
});
