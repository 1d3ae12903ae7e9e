import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Person } from '../src/cli/askPerson.js';
import { Output } from '../src/cli/output.js';
import type { PermissionRequest } from '../src/index.js';
import { Screen } from './support/screen.js';

const REQUEST: PermissionRequest = {
  requestId: 1,
  sessionId: 's',
  title: 'Remove\u001b[2J everything',
  toolCall: {
    toolCallId: 't',
    kind: 'execute',
    status: 'pending',
    content: [],
    locations: [],
    rawInput: { command: 'rm' },
  },
  options: [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
  raw: {},
};

function setUp() {
  const screen = new Screen(80, 24);
  const stdin = Object.assign(new PassThrough(), { unref: () => {} });
  const tty = screen as unknown as NodeJS.WriteStream;
  const person = new Person(stdin as never, new Output({ stdout: tty, stderr: tty, env: { NO_COLOR: '1' } }));
  const abort = new AbortController();
  const ask = (request = REQUEST) => Promise.resolve(person.ask(request, { signal: abort.signal }));
  /** A terminal gives a line at a time. */
  const type = async (line: string) => {
    stdin.write(`${line}\n`);
    await new Promise(setImmediate);
  };
  return { screen, stdin, person, abort, ask, type };
}

describe('a person who is asked', () => {
  it('is shown what it is about, with the options numbered, and chooses one', async () => {
    const { screen, ask, type } = setUp();
    const answer = ask();
    await new Promise(setImmediate);
    await type('');
    expect(await answer).toBeNull();
    expect(screen.text()).toContain('The agent asks: Remove everything (execute)\n  with {"command":"rm"}\n');
    expect(screen.text()).toContain('   1  Yes  allow_once\n   2  No   reject_once\nChoose 1-2');
    const second = ask();
    await new Promise(setImmediate);
    await type('2');
    expect(await second).toBe('no');
  });

  it('says yes by no word but its number, typed after the question', async () => {
    const { ask, type } = setUp();
    await type('1'); // before there was a question
    const answer = ask();
    await new Promise(setImmediate);
    for (const line of ['yes', '0', '3', '1 2', 'y', '-1', '1.0']) await type(line);
    await type('2');
    expect(await answer).toBe('no');
  });

  it('is asked one thing at a time', async () => {
    const { screen, ask, type } = setUp();
    const answers = [ask(), ask({ ...REQUEST, title: 'Another thing' })];
    await new Promise(setImmediate);
    expect(screen.text()).not.toContain('Another thing');
    await type('1');
    expect(screen.text()).toContain('Another thing');
    await type('2');
    expect(await Promise.all(answers)).toEqual(['yes', 'no']);
  });

  it('is asked no longer when the agent withdraws the question', async () => {
    const { screen, ask, abort } = setUp();
    const answer = ask();
    await new Promise(setImmediate);
    abort.abort();
    expect(await answer).toBeNull();
    expect(screen.text()).toContain('It is no longer asked.');
  });

  it('allows nothing by leaving', async () => {
    const { stdin, ask } = setUp();
    const answers = [ask(), ask()];
    await new Promise(setImmediate);
    stdin.end();
    expect(await Promise.all(answers)).toEqual([null, null]);
  });
});
