/** `fake`: the agent of a case file, from the package itself. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { filled, matches, numbered, padded } from '../src/fake/values.js';
import { clearUp, cli, cliMain, folder, leftAlive } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const caseOf = (name: string): string => fileURLToPath(new URL(`../fixtures/cases/${name}.json`, import.meta.url));
const fake = async (name: string): Promise<string[]> => [
  process.execPath,
  await cliMain(),
  'fake',
  '--case',
  caseOf(name),
];

describe('acp-turnstile fake', () => {
  it.each([
    // case, options and prompt, exit code, and a word of what is told
    ['93-clean-exit-without-answer', ['hi'], 7, 'agent-exited'],
    ['92-exit-mid-turn', ['hi'], 7, 'agent-exited'],
    ['29-unsupported-version-in-reply', ['hi'], 7, 'version-unsupported'],
    ['68-missing-stop-reason-under-v1', ['hi'], 7, 'protocol'],
  ])('plays %s to `run`', async (name, args, code, word) => {
    const run = await cli(['run', ...args, '--', ...(await fake(name))]);
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(word)]);
    expect(leftAlive()).toEqual([]);
  });

  it('says on stderr how its script ended, and ends by 8 where the client did something else', async () => {
    const [, , ...args] = await fake('93-clean-exit-without-answer');
    const wrong = await cli(args, '{"jsonrpc":"2.0","id":1,"method":"session/new"}\n');
    expect(wrong).toMatchObject({ code: 8, stdout: '', stderr: 'VERDICT FAIL expected initialize got session/new\n' });
    const garbage = await cli(args, 'hello\n');
    expect(garbage).toMatchObject({ code: 8, stderr: 'VERDICT FAIL client frame is not JSON\n' });
    const file = join(folder(), 'case.json');
    writeFileSync(
      file,
      JSON.stringify({
        agentScript: [{ raw: 'first' }, { exit: 3 }, { respawned: true }, { raw: 'second' }, { exit: 4 }],
      }),
    );
    expect(await cli(['fake', '--case', file])).toMatchObject({ code: 3, stdout: 'first', stderr: 'VERDICT OK\n' });
    expect(await cli(['fake', '--case', file, '--segment', '1'])).toMatchObject({ code: 4, stdout: 'second' });
    expect(await cli(['fake', '--case', file, '--segment', '2'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('starts 2 processes'),
    });
  });

  it.each([
    [['fake'], /--case/],
    [['fake', '--case', '/no/such'], /no such file/],
    [['fake', '--case', caseOf('../options/gemini')], /no case file/],
    [['fake', '--case', 'x', '--segment', 'one'], /a number, from 0/],
  ])('says what is wrong with %j', async (args, words) => {
    expect(await cli(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) });
  });
});

describe('the language of cases', () => {
  const ids = { current: 7, labelled: new Map<string, unknown>([['a', 9]]) };
  it('fills in ids, numbers and sizes', () => {
    expect(filled({ id: '$id', s: '$idString', l: ['$id(a)'], t: 'x${id}-${id:a}' }, ids)).toEqual({
      id: 7,
      s: '7',
      l: [9],
      t: 'x7-9',
    });
    expect(numbered({ text: 'n$i', id: '$id', l: '$id(a)' }, 3)).toEqual({ text: 'n3', id: '$id', l: '$id(a)' });
    expect(JSON.stringify(padded({ a: { b: '' } }, { path: 'a.b', frameBytes: 20, char: 'x' }))).toHaveLength(20);
  });
  it('matches by type and by what is named', () => {
    expect(matches({ a: 1, b: ['x'], c: '/p' }, { a: '$integer', b: ['$string'], c: '$absolute' })).toBe(true);
    expect(matches({ a: 1 }, { a: '$string' })).toBe(false);
    expect(matches({ b: ['x', 'y'] }, { b: ['x'] })).toBe(false);
    expect(matches([], '$object')).toBe(false);
  });
});
