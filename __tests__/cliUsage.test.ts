import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { clearUp, cli } from './support/cli.js';

jest.setTimeout(60_000);
afterAll(clearUp);

describe('a mistake at the command line', () => {
  it.each([
    ['no prompt', ['run'], /missing required argument 'prompt'/],
    [
      'no agent',
      ['run', 'hi'],
      /missing the agent's command: put it last, after `--`\n.*run \[options\] <prompt> -- <command>/,
    ],
    ['nothing behind the dashes', ['run', 'hi', '--'], /missing the agent's command/],
    ['no dashes', ['run', 'hi', 'codex-acp'], /too many arguments.*\n.*Quote the prompt/],
    ['an unknown command', ['rnu', 'hi'], /unknown command 'rnu'\n.*Did you mean run\?/],
    ['an unknown option', ['run', '--modle', 'x', 'hi', '--', 'a'], /unknown option '--modle'\n.*--model/],
    ['a bare number for a duration', ['run', '--idle', '30', 'hi', '--', 'a'], /no unit: 30s, 30m or 30h\?/],
    ['an unknown unit', ['run', '--max', '5d', 'hi', '--', 'a'], /300ms, 30s, 5m or 2h/],
    ['no time at all', ['run', '--max', '0s', 'hi', '--', 'a'], /longer than nothing/],
    [
      'an unknown kind of tool',
      ['run', '--allow', 'read,wirte', 'hi', '--', 'a'],
      /'wirte' is no kind.*read, edit, delete, move/,
    ],
    [
      'two ways to answer',
      ['run', '--allow', 'read', '--ask', 'hi', '--', 'a'],
      /'--allow <kinds>' cannot be used with option '--ask'/,
    ],
    ['nobody to ask', ['run', '--ask', 'hi', '--', 'a'], /--ask needs a terminal/],
    ['one stdin for two things', ['run', '--ask', '-', '--', 'a'], /reads your answers from stdin/],
    ['an empty prompt', ['run', ' ', '--', 'a'], /the prompt is empty/],
    ['an unknown version', ['run', '--protocol', '3', 'hi', '--', 'a'], /It is 1 or 2/],
    ['a folder that is not there', ['run', '--cwd', '/no/such', 'hi', '--', 'a'], /no such folder/],
    ['an agent for a command that has its own', ['demo', '--', 'a'], /demo takes no agent/],
    [
      'an option of the agent before the dashes',
      ['run', 'hi', '--acp'],
      /'--acp'\n.*after `--`.*`acp-turnstile help run`/,
    ],
    ['a command that is none at all', ['foo'], /unknown command 'foo'\n`acp-turnstile help` tells more\.\n/],
    ['a picture of all charts', ['graph', '--format', 'svg'], /graph connection --format svg\n.*connection, session/],
    ['a shell that it does not know', ['completion', 'tcsh'], /'tcsh' is invalid.*bash, zsh, fish/],
    ['a doctor without an agent', ['doctor'], /missing the agent's command.*\n.*doctor \[options\] -- <command>/],
    ['a probe without an agent', ['probe'], /missing the agent's command.*\n.*probe \[options\] -- <command>/],
  ])('(%s) exits with 1 and says which, on stderr', async (_, args, says) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(says);
  });
});

describe('help', () => {
  it('is printed on stderr, with exit code 1, where nothing was asked for', async () => {
    const { code, stdout, stderr } = await cli([]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Usage: acp-turnstile');
  });

  it.each([
    [['--help']],
    [['run', '--help']],
    [['help', 'probe']],
    [['demo', '-h']],
    [['doctor', '-h']],
    [['graph', '-h']],
    [['completion', '-h']],
    [['demo-agent', '--help']],
  ])('is printed on stdout by %j, in lines of at most 80 columns', async (args) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: acp-turnstile/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await cli(['--version'])).stdout).toBe(`${version}\n`);
  });
});
