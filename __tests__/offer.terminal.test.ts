/** The ready-made terminal handler, with real commands. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { localTerminal, type HandlerContext, type LocalTerminalOptions, type TerminalHandler } from '../src/index.js';
import { isRunning, until } from './support/agents.js';

const ends: AbortController[] = [];
afterEach(() => ends.splice(0).forEach((end) => end.abort()));

interface Bench {
  handler: TerminalHandler;
  context: HandlerContext;
  end(): void;
  run(script: string, more?: object): Promise<string>;
  output(terminalId: string): Promise<string>;
}

function bench(options: LocalTerminalOptions = {}, handler = localTerminal(options)): Bench {
  const end = new AbortController();
  ends.push(end);
  const context: HandlerContext = {
    sessionId: 's-1',
    roots: [realpathSync(tmpdir())],
    signal: new AbortController().signal,
    ended: end.signal,
  };
  return {
    handler,
    context,
    end: () => end.abort(),
    run: async (script, more = {}) =>
      (await handler.create({ command: '/bin/sh', args: ['-c', script], ...more }, context)).terminalId,
    output: async (terminalId) => (await handler.output({ terminalId }, context)).output,
  };
}
const codeOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'done',
      (error: unknown) => (error as { code?: number }).code,
    );
/** So many lines are there. */
async function said(lines: number, output: () => Promise<string>): Promise<void> {
  while ((await output()).split('\n').length <= lines) await new Promise((resolve) => setImmediate(resolve));
}
/** A command that prints its pid and waits, and a grandchild that does. */
const FAMILY = 'echo $$; sleep 1000 & echo $!; wait';
const pidsOf = (text: string): number[] => text.trim().split('\n').map(Number);

describe('a terminal', () => {
  it('runs a command in the session’s cwd, with its own variables over ours, and keeps both its outputs', async () => {
    const { handler, context, run } = bench({ env: { PATH: process.env['PATH'], MINE: 'mine' } });
    const terminalId = await run('pwd; echo "$MINE $GIVEN $HOME"; echo err >&2; exit 3', {
      env: [{ name: 'GIVEN', value: 'given' }],
    });
    expect(await handler.waitForExit({ terminalId }, context)).toEqual({ exitCode: 3, signal: null });
    const { output, truncated, exitStatus } = await handler.output({ terminalId }, context);
    expect(output.split('\n').sort()).toEqual(['', 'err', 'mine given ', realpathSync(tmpdir())].sort());
    expect([truncated, exitStatus]).toEqual([false, { exitCode: 3, signal: null }]);
  });

  it('has no stdin and no shell of its own', async () => {
    const { handler, context, run, output } = bench();
    const terminalId = await run('cat; echo over');
    await handler.waitForExit({ terminalId }, context);
    expect(await output(terminalId)).toBe('over\n');
    const literal = (await handler.create({ command: 'echo', args: ['$HOME; id'] }, context)).terminalId;
    await handler.waitForExit({ terminalId: literal }, context);
    expect(await output(literal)).toBe('$HOME; id\n');
  });

  it('is there at once, and its output can be read while it runs', async () => {
    const { handler, context, run, output } = bench();
    const terminalId = await run('echo early; sleep 1000');
    await said(1, () => output(terminalId));
    expect(await output(terminalId)).toBe('early\n');
    expect(await handler.output({ terminalId }, context)).not.toHaveProperty('exitStatus');
  });

  // prettier-ignore
  it.each([
    [10, 'aüaüaü', 'aüaüaü', false],
    [8,  'aüaüaü', 'üaüaü', true],
    [7,  'aüaüaü', 'aüaü',  true],
    [1,  'aüaüaü', '',      true],
    [0,  'abc',    '',      true],
    [4,  'x🦊',    '🦊',    true],
    [3,  'x🦊',    '',      true],
  ])('keeps the last %i bytes of %s from a character boundary on', async (outputByteLimit, text, kept, truncated) => {
    const { handler, context, run } = bench();
    const terminalId = await run(`printf '${text}'`, { outputByteLimit });
    await handler.waitForExit({ terminalId }, context);
    expect(await handler.output({ terminalId }, context)).toMatchObject({ output: kept, truncated });
  });

  it('keeps no more than its own cap, whatever the agent asks for, and all of it when it is a lot', async () => {
    const { handler, context, run } = bench({ maxOutputBytes: 3_000_000 });
    const terminalId = await run('head -c 2900000 /dev/zero | tr "\\0" x; printf end', { outputByteLimit: 9e9 });
    await handler.waitForExit({ terminalId }, context);
    const { output, truncated } = await handler.output({ terminalId }, context);
    expect([output.length, output.endsWith('xend'), truncated]).toEqual([2_900_003, true, false]);
    const more = await run('head -c 3000001 /dev/zero | tr "\\0" x');
    await handler.waitForExit({ terminalId: more }, context);
    expect(await handler.output({ terminalId: more }, context)).toMatchObject({ truncated: true });
  });

  it('has exited although a grandchild holds its pipes', async () => {
    const { handler, context, run, output } = bench();
    const terminalId = await run('sleep 1000 & echo $!');
    expect(await handler.waitForExit({ terminalId }, context)).toEqual({ exitCode: 0, signal: null });
    const [pid] = pidsOf(await output(terminalId));
    expect(isRunning(pid!)).toBe(true);
    await handler.release({ terminalId }, context);
    await until(() => !isRunning(pid!));
  });

  it('that cannot be started is refused, and takes up no place', async () => {
    const { handler, context } = bench({ maxTerminals: 1 });
    for (const command of ['/none/such', '/', 'a\0b']) {
      expect(await codeOf(() => handler.create({ command }, context))).toBe(-32603);
    }
    expect(await codeOf(() => handler.create({ command: '/bin/sh', cwd: '/none/such' }, context))).toBe(-32603);
    expect(await codeOf(() => handler.create({ command: 'true' }, context))).toBe('done');
    expect(await codeOf(() => handler.create({ command: 'true' }, context))).toBe(-32603);
  });
});

describe('the end of a terminal', () => {
  it('by kill is that of its whole group, and its output can still be read', async () => {
    const { handler, context, run, output } = bench();
    const terminalId = await run(FAMILY);
    await said(2, () => output(terminalId));
    const pids = pidsOf(await output(terminalId));
    await handler.kill({ terminalId }, context);
    expect(await handler.waitForExit({ terminalId }, context)).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    await until(() => !pids.some(isRunning));
    expect(pidsOf(await output(terminalId))).toEqual(pids);
  });

  it('by kill comes a grace later to what ignores it', async () => {
    const { handler, context, run, output } = bench({ killGraceMs: 50 });
    const terminalId = await run('trap "" TERM; echo ready; while :; do sleep 0.05; done');
    await said(1, () => output(terminalId));
    await handler.kill({ terminalId }, context);
    await handler.kill({ terminalId }, context);
    expect(await handler.waitForExit({ terminalId }, context)).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it.each(['release', 'end of the session'])('by %s is at once, and it is not there any more', async (how) => {
    const { handler, context, run, output, end } = bench();
    const terminalId = await run(`trap "" TERM; ${FAMILY}`);
    await said(2, () => output(terminalId));
    const pids = pidsOf(await output(terminalId));
    if (how === 'release') await handler.release({ terminalId }, context);
    else end();
    await until(() => !pids.some(isRunning));
    for (const call of ['output', 'waitForExit', 'kill', 'release'] as const) {
      expect(await codeOf(() => handler[call]({ terminalId }, context))).toBe(-32002);
    }
  });

  it('that came while it was being started leaves nothing behind', async () => {
    const { handler, context, end } = bench();
    const creating = codeOf(() => handler.create({ command: 'sleep', args: ['1000'] }, context));
    await Promise.resolve();
    end();
    expect(await creating).toBe(-32603);
  });

  it('is waited for until the wait is not wanted any more', async () => {
    const { handler, context, run } = bench();
    const terminalId = await run('sleep 1000');
    const gone = new AbortController();
    const waiting = handler.waitForExit({ terminalId }, { ...context, signal: gone.signal });
    gone.abort(new Error('mine'));
    await expect(waiting).rejects.toThrow('mine');
  });
});

describe('terminals', () => {
  it('of another session are not there', async () => {
    const one = bench();
    const terminalId = await one.run('sleep 1000');
    const two = bench({}, one.handler);
    expect(await codeOf(() => two.handler.output({ terminalId }, two.context))).toBe(-32002);
    expect(await codeOf(() => two.handler.kill({ terminalId }, two.context))).toBe(-32002);
    expect(await codeOf(() => one.handler.output({ terminalId }, one.context))).toBe('done');
  });

  // prettier-ignore
  it.each<[object, string]>([
    [{ maxOutputBytes: 17 * 1024 * 1024 }, 'maxOutputBytes'],
    [{ maxTerminals: -1 },                 'maxTerminals'],
    [{ killGraceMs: Infinity },            'killGraceMs'],
  ])('with illegal options %j are refused by name', (options, argument) => {
    expect(() => localTerminal(options)).toThrow(expect.objectContaining({ kind: 'invalid-argument', argument }));
  });
});
