/** Completion as the shells themselves do it, with the scripts that the command line prints. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { clearUp, cli, folder } from './support/cli.js';

jest.setTimeout(60_000);

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

let here = '';
const scripts = new Map<string, string>();

beforeAll(async () => {
  here = folder();
  const kept = folder();
  mkdirSync(join(here, 'a folder'));
  writeFileSync(join(here, 'a file.json'), '');
  for (const shell of SHELLS) {
    const { code, stdout, stderr } = await cli(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    const path = join(kept, shell);
    writeFileSync(path, stdout);
    scripts.set(shell, path);
  }
});
afterAll(clearUp);

/** `words` is all that was typed; the last of them is completed. */
const ASK: Record<Shell, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    'source "$0"; complete -p acp-turnstile >/dev/null || exit; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _acp_turnstile; printf "%s\\n" "${COMPREPLY[@]}"',
    script,
    ...words,
  ],
  // zsh completes in its line editor only: what would be handed to that is printed.
  zsh: (script, words) => [
    '-f',
    '-c',
    `compadd() { shift; print -l -- "$@" }
     _describe() { print -l -- "\${(@)\${(P)3}%%:*}" }
     _files() { if [[ $1 == -/ ]]; then print -l -- *(/); else print -l -- *; fi }
     _command_names() { print -l -- \${(k)commands} }
     source "$0"; words=("$@"); CURRENT=$#; _acp_turnstile; true`,
    script,
    ...words,
  ],
  fish: (script, words) => [
    '--no-config',
    '-c',
    'source $argv[1]; complete -C "$argv[2]" | string replace -r "\\t.*" ""; true',
    script,
    words.join(' '),
  ],
};

async function completed(shell: Shell, line: string): Promise<string[]> {
  const words = line.split(' ');
  const { stdout } = await promisify(execFile)(shell, ASK[shell](scripts.get(shell) ?? '', words), {
    cwd: here,
    env: { PATH: process.env['PATH'], HOME: here },
  });
  const last = words.at(-1) ?? '';
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(last));
}

describe.each(SHELLS)('completion %s', (shell) => {
  if (!isThere(shell)) {
    it(`is not run: ${shell} is not installed here`, () => console.log(`not run: ${shell} is not installed here`));
    return;
  }

  it('knows every command, and every option of each, that the help knows', async () => {
    const { stdout } = await cli(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*)[ \n]/gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(expect.arrayContaining(['run', 'doctor', 'completion', 'help']));
    const offered = await completed(shell, 'acp-turnstile ');
    expect(offered.filter((word) => !word.startsWith('-')).sort()).toEqual(
      commands.filter((name) => name !== 'acp-turnstile').sort(),
    );
    for (const command of commands.filter((name) => !['help', 'acp-turnstile'].includes(name))) {
      const help = (await cli([command, '--help'])).stdout;
      const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? '');
      expect((await completed(shell, `acp-turnstile ${command} --`)).sort()).toEqual(options.sort());
    }
  });

  it.each([
    ['acp-turnstile do', ['doctor']],
    ['acp-turnstile graph --format ', ['json', 'markdown', 'mermaid', 'svg']],
    ['acp-turnstile graph s', ['session']],
    ['acp-turnstile completion ', ['bash', 'fish', 'zsh']],
    ['acp-turnstile help pr', ['probe']],
    ['acp-turnstile demo --protocol ', ['1', '2']],
    ['acp-turnstile run --model ', []],
  ])('completes `%s`', async (line, expected) => {
    const found = await completed(shell, line);
    const values = found.filter((word) => !word.startsWith('-'));
    expect(values.sort()).toEqual(expected);
  });

  it('completes folders where a folder is wanted, and files where a file is', async () => {
    const plain = (words: string[]) => words.map((word) => word.replaceAll('\\', '').replace(/\/$/, '')).sort();
    expect(plain(await completed(shell, 'acp-turnstile run --cwd '))).toEqual(['a folder']);
    expect(plain(await completed(shell, 'acp-turnstile run --tools '))).toEqual(['a file.json', 'a folder']);
  });

  it('leaves what stands after the dashes to the agent: a command, then its files', async () => {
    expect(await completed(shell, 'acp-turnstile run hi -- ca')).toContain('cat');
    const files = await completed(shell, 'acp-turnstile run hi -- cat ');
    expect(files.join()).toContain('json');
    expect(files).not.toContain('--model');
  });

  it('is code that the shell takes without a word', () => {
    expect(execFileSync(shell, ['-n', scripts.get(shell) ?? ''], { encoding: 'utf8' })).toBe('');
  });
});
