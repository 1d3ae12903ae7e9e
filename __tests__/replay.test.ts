/** `replay`: a recording as the agent that it was made of, and as the client. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { speakable } from '../src/replay/placeholders.js';
import { clearUp, cli, cliMain, demoAgent, folder, leftAlive, start } from './support/cli.js';

jest.setTimeout(120_000);
afterEach(clearUp);

const SAID = 'I would like to write a file. \nThe file is written.\n';
/** By version, then with text or without. */
const made = new Map<string, string>();
const own = async (...args: string[]): Promise<string[]> => [process.execPath, await cliMain(), ...args];

beforeAll(async () => {
  for (const version of ['1', '2']) {
    for (const flags of [['--with-text'], []]) {
      const file = join(folder(), 'r.jsonl');
      const agent = await own('record', '-o', file, ...flags, '--', ...(await demoAgent()));
      const run = await cli(['run', '--protocol', version, '--allow', 'edit', 'write', '--', ...agent]);
      expect(run).toMatchObject({ code: 0, stdout: SAID });
      made.set([version, ...flags].join(' '), readFileSync(file, 'utf8'));
    }
  }
  await clearUp();
}, 120_000);

/** A file of its own, perhaps with something changed in it. */
function recording(name: string, change: (text: string) => string = (text) => text): string {
  const file = join(folder(), 'r.jsonl');
  writeFileSync(file, change(made.get(name)!));
  return file;
}
const without = (pattern: RegExp) => (text: string) =>
  text
    .split('\n')
    .filter((line) => !pattern.test(line))
    .join('\n');

describe('replay --as agent', () => {
  it.each(['1', '2'])('says what the demo agent had said, in version %s', async (version) => {
    const agent = await own('replay', recording(`${version} --with-text`), '--as', 'agent');
    const run = await cli(['run', '--protocol', version, '--allow', 'edit', 'write', '--', ...agent]);
    expect(run).toMatchObject({ code: 0, stdout: SAID, stderr: '' });
    expect(leftAlive()).toEqual([]);
  });

  it.each(['1', '2'])('plays a recording without text by placeholders, in version %s', async (version) => {
    const agent = await own('replay', recording(version), '--as', 'agent');
    const run = await cli(['run', '--json', '--protocol', version, '--allow', 'edit', 'write', '--', ...agent]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('"outcome":"completed"');
    expect(run.stdout).not.toContain('would like');
  });

  it('answers by the ids of the live client, in whatever type they are', async () => {
    const agent = await own('replay', recording('1 --with-text'), '--as', 'agent');
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'initialize', params: {} })}\n`;
    const { stdout, code, stderr } = await cli(agent.slice(2), input);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'mine', result: { protocolVersion: 1 } });
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(/expected {2}session\/new\n {2}got {7}the end of its words/),
    ]);
  });

  it.each([
    ['another answer to its question', ['write'], /expected .*selected.*\n.*got .*cancelled/],
    [
      'another call',
      ['--model', 'demo-large', '--allow', 'edit', 'write'],
      /expected +session\/prompt\n.*got +session\/set_/,
    ],
  ])('says where the client goes another way: by %s', async (_what, args, words) => {
    const agent = await own('replay', recording('2 --with-text'), '--as', 'agent');
    const run = await cli(['run', '--verbose', ...args, '--', ...agent]);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(words);
    expect(run.stderr).toContain('code 8');
  });

  it('does not wait for ever', async () => {
    const agent = await own('replay', recording('2'), '--as', 'agent', '--wait', '200ms');
    const { child, ended } = await start(agent.slice(2));
    const { code, stderr } = await ended;
    child.stdin.end();
    expect([code, stderr]).toEqual([8, expect.stringMatching(/expected {2}initialize\n {2}got {7}nothing for/)]);
  });
});

describe('replay --as client', () => {
  it.each(['1', '2'])('finds the demo agent the same, in version %s', async (version) => {
    const file = recording(`${version} --with-text`);
    const run = await cli(['replay', file, '--as', 'client', '--', ...(await demoAgent())]);
    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^the same, \d+ words of the agent compared\n$/),
      stderr: '',
    });
    expect(leftAlive()).toEqual([]);
  });

  it('tells of the first divergence: which line, what was expected, what came', async () => {
    const file = recording('2 --with-text');
    const older = await cli(['replay', file, '--as', 'client', '--', ...(await demoAgent('--protocol', '1'))]);
    expect(older).toMatchObject({
      code: 8,
      stdout: `diverged from line 3 of ${file}\n  expected  the answer to initialize: 2\n  got       the answer to initialize: 1\n`,
    });
    const other = recording('2 --with-text', (text) =>
      text.replaceAll('"stopReason":"end_turn"', '"stopReason":"refusal"'),
    );
    const json = await cli(['replay', other, '--as', 'client', '--json', '--', ...(await demoAgent())]);
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout)).toMatchObject({
      same: false,
      expected: 'session/update state_update idle refusal',
      got: 'session/update state_update idle end_turn',
    });
  });

  it('minds neither the pieces in which an answer comes nor the updates that come at any time', async () => {
    const chunks = /agent_message_chunk/;
    let kept = false;
    const fewer = recording('1 --with-text', (text) =>
      text
        .split('\n')
        .filter((line) => !chunks.test(line) || (kept = !kept))
        .join('\n'),
    );
    const quieter = recording('1 --with-text', without(/available_commands_update|session_info_update|usage_update/));
    for (const file of [fewer, quieter]) {
      const run = await cli(['replay', file, '--as', 'client', '--', ...(await demoAgent())]);
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('the same')]);
    }
  });

  it('says that a recording without text has no prompts, and what is sent instead', async () => {
    const run = await cli(['replay', recording('1'), '--as', 'client', '--', ...(await demoAgent())]);
    expect(run.stderr).toMatch(/has no text: prompts are sent as "Say hello\." \(record --with-text/);
    expect([run.code, run.stdout]).toEqual([8, expect.stringContaining('diverged from line')]);
  });

  it('tells of an agent that says nothing, dies, or cannot be started', async () => {
    const file = recording('1');
    const as = async (...agent: string[]): Promise<unknown> => {
      const { code, stdout } = await cli(['replay', file, '--as', 'client', '--wait', '300ms', '--', ...agent]);
      return [code, stdout.split('\n')[2]];
    };
    expect(await as(process.execPath, '-e', 'process.stdin.resume()')).toEqual([8, '  got       nothing for 300 ms']);
    expect(await as(process.execPath, '-e', '0')).toEqual([8, '  got       the end of its words']);
    expect(await as('no-such-agent')).toEqual([7, undefined]);
    expect(leftAlive()).toEqual([]);
  });
});

describe('the command line of replay', () => {
  it.each([
    [['replay', 'x'], /--as/],
    [['replay', 'x', '--as', 'editor'], /agent, client/],
    [['replay', '/no/file', '--as', 'agent'], /no such file/],
    [['replay', 'x', '--as', 'client'], /missing the agent's command/],
    [['replay', 'x', '--as', 'agent', '--', 'y'], /takes no agent/],
  ])('says what is wrong with %j', async (args, words) => {
    expect(await cli(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) });
  });
});

describe('what stands for a value that is not told', () => {
  it('is left out unless it is a text', () => {
    expect(
      speakable({ a: '[object]', b: '[3 chars]', c: [1, '[2 more]'], d: '[number]', e: {}, _meta: '[object]' }),
    ).toEqual({ b: '[3 chars]', c: [1], e: {} });
  });
});
