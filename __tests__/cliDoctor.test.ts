import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { askingOf } from '../src/cli/asksPermission.js';
import type { Session } from '../src/index.js';
import { until } from './support/agents.js';
import { clearUp, cli, demoAgent, leftAlive, leftInScratch, scripted, start } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const wide = (text: string): string[] => text.split('\n').filter((line) => line.length > 80);

/** With bounds that a test can wait for. */
const doctor = (agent: readonly string[], ...options: string[]) => cli(['doctor', ...options, '--', ...agent]);
const SOON = ['--limit', '700ms'];

interface Found {
  verdict: string;
  exitCode: number;
  versions: {
    version: number;
    spoken: boolean;
    steps: { name: string; state: string; ms?: number; note?: string }[];
    permission?: { mode?: string; asks: boolean | 'unknown' };
    left: { pid: number; name: string }[] | null;
    error?: { kind: string };
  }[];
}
const found = (stdout: string): Found => JSON.parse(stdout) as Found;
const states = ({ versions }: Found) =>
  versions.map(({ steps }) => Object.fromEntries(steps.map(({ name, state }) => [name, state])));

describe('doctor', () => {
  it('takes an agent through every step in both versions, in 80 columns, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await doctor(await demoAgent());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^acp-turnstile-demo 1\.0\.0 \(Turnstile demo agent\)\n\n +version 1 +version 2\n/);
    for (const step of ['spawn', 'initialize', 'new session', 'close session']) {
      expect(stdout).toMatch(new RegExp(`\\n  ${step} +ok +[\\d.]+m?s +ok +[\\d.]+m?s\\n`));
    }
    expect(stdout).toMatch(/\n {2}cancel +not tried {2}--prompt +not tried {2}--prompt\n/);
    expect(stdout).toMatch(/\n {2}end +ok +[\d.]+m?s {2}on end of stdin ok +[\d.]+m?s {2}on end of stdin\n/);
    expect(stdout).toMatch(/\n {2}left behind +nothing +nothing\n/);
    expect(stdout).toContain('mode that it starts in: yes, by its own words\n  ask: Asks before it writes a file\n');
    expect(stdout).toMatch(/\nok: it can be driven, in version 1 and 2\n$/);
    expect(wide(stdout)).toEqual([]);
    expect([leftAlive(), leftInScratch()]).toEqual([[], []]);
  });

  it('prompts only where it is told to, and cancels that at once', async () => {
    const { code, stdout } = await doctor(await demoAgent(), '--prompt', '--json');
    expect(code).toBe(0);
    expect(states(found(stdout))).toMatchObject([{ cancel: 'ok' }, { cancel: 'ok' }]);
    const quiet = await doctor(scripted('dies'), '--json');
    expect([quiet.code, states(found(quiet.stdout))[0]]).toMatchObject([0, { cancel: 'not tried' }]);
  });

  it('prints one JSON object with the same', async () => {
    const { stdout, stderr } = await doctor(await demoAgent(), '--json');
    expect(stderr).toBe('');
    const report = found(stdout);
    expect(report).toMatchObject({ verdict: 'ok', exitCode: 0, agent: { name: 'acp-turnstile-demo' } });
    expect(report.versions).toMatchObject([
      { version: 1, spoken: true, permission: { mode: 'ask', asks: true }, left: [] },
      { version: 2, spoken: true, permission: { mode: 'ask', asks: true }, left: [] },
    ]);
    for (const { steps } of report.versions) {
      expect(steps.filter(({ state }) => state === 'ok').every(({ ms }) => Number.isInteger(ms))).toBe(true);
    }
  });

  it('finds no fault with an agent that speaks one version and advertises little', async () => {
    const { code, stdout, stderr } = await doctor(scripted('echo'));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\n {2}initialize +ok +[\d.]+m?s +not spoken\n/);
    expect(stdout).toMatch(/\n {2}close session +not advertised +-\n/);
    expect(stdout).toContain('unknown\n  It advertises no mode; only a turn could show it.');
    expect(stdout).toMatch(/\nok: it can be driven, in version 1\n$/);
  });

  it('offers the version alone that it is told to', async () => {
    const { stdout } = await doctor(await demoAgent(), '--protocol', '2', '--json');
    expect(found(stdout).versions.map(({ version }) => version)).toEqual([2]);
  });

  it.each([
    ['repeats what it is told', ['cat'], [], 'agent-error'],
    ['ends at once', ['false'], [], 'agent-exited'],
    ['writes without end', ['yes'], SOON, 'absolute'],
    ['says nothing', ['sleep', '60'], SOON, 'absolute'],
  ])('exits with 2 for a command that %s', async (_, agent, options, note) => {
    const { code, stdout, stderr } = await doctor(agent, ...options);
    expect(code).toBe(2);
    expect(stdout).toMatch(new RegExp(`\\n  initialize +FAILED +[\\d.]+m?s  ${note}\n`));
    expect(stdout).toMatch(/\n {2}left behind +nothing\n/);
    expect(stdout).toMatch(/\nnot ACP: it does not speak ACP\n$/);
    // One version was enough to know.
    expect(stdout).not.toContain('version 2');
    expect(stderr).toMatch(/^version 1:\nerror: /);
    expect(wide(stdout)).toEqual([]);
    expect([leftAlive(), leftInScratch()]).toEqual([[], []]);
  });

  it('exits with 1 for a command that is not there, and says so', async () => {
    const { code, stdout, stderr } = await doctor(['no-such-agent']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no-such-agent: command not found.')]);
    expect(stdout).toMatch(/\n {2}spawn +FAILED +[\d.]+m?s {2}spawn-failed\n/);
  });

  it('exits with 3 for an agent that wants a login, with its methods, and goes on once it is logged in', async () => {
    const { code, stdout, stderr } = await doctor(scripted('auth'));
    expect([code, stderr]).toEqual([3, expect.stringContaining('Its methods: key, by-env')]);
    expect(stdout).toMatch(/\n {2}new session +login needed +-\n/);
    const loggedIn = await doctor(scripted('auth'), '--auth', 'key');
    expect([loggedIn.code, loggedIn.stderr]).toEqual([0, '']);
    expect(loggedIn.stdout).toMatch(/\n {2}log in +ok /);
  });

  it('exits with 1 for an agent of another version, which it does not take for a stranger', async () => {
    const { code, stdout } = await doctor(scripted('version'), '--json');
    expect([code, found(stdout).verdict]).toEqual([1, 'failed']);
    expect(states(found(stdout))).toMatchObject([{ initialize: 'not spoken' }, { initialize: 'not spoken' }]);
  });

  it('exits with 1 for an agent that hangs after the handshake, naming the option that gives it longer', async () => {
    const { code, stdout, stderr } = await doctor(scripted('mute'), '--protocol', '1', '--limit', '2s');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--limit')]);
    expect(stdout).toMatch(/\n {2}new session +FAILED +[\d.]+s {2}request-limit\n/);
  });

  it('exits with 1 for an agent that does not stop, and ends it and its child with what it takes', async () => {
    const { code, stdout } = await doctor(scripted('deaf'), '--protocol', '1', '--prompt', '--limit', '2s', '--json');
    expect([code, states(found(stdout))[0]]).toMatchObject([1, { cancel: 'failed' }]);
    expect(found(stdout).versions[0]?.steps.find(({ name }) => name === 'end')?.note).toBe('after SIGKILL');
    expect(leftAlive()).toEqual([]);
  });

  it('finds what an agent has left running outside of its group, names it, and lets it live', async () => {
    const json = await doctor(scripted('leaves'), '--protocol', '1', '--json');
    const [left] = found(json.stdout).versions[0]?.left ?? [];
    expect([json.code, found(json.stdout).verdict, left?.name]).toEqual([1, 'failed', 'sleep']);
    process.kill(left?.pid ?? 0, 'SIGKILL');
    const { code, stdout } = await doctor(scripted('leaves'), '--protocol', '1');
    expect(stdout).toMatch(/\n {2}left behind +1 process\n\n {2}Version 1 left running: \d+ \(sleep\)\n/);
    const pid = /running: (\d+)/.exec(stdout)?.[1];
    process.kill(Number(pid), 'SIGKILL');
    expect(code).toBe(1);
    await until(() => leftAlive().length === 0);
  });

  it('is ended by Ctrl-C, and leaves neither process nor folder', async () => {
    const { child, ended } = await start(['doctor', '--', ...scripted('mute')]);
    await until(() => leftInScratch().length > 0 && leftAlive().length > 1);
    child.kill('SIGINT');
    expect((await ended).code).toBe(4);
    expect([leftAlive(), leftInScratch()]).toEqual([[], []]);
  });
});

describe('whether an agent asks', () => {
  const asks = (id: string, name?: string, description?: string) => {
    const available = [{ id, name: name ?? id, ...(description === undefined ? {} : { description }) }];
    return askingOf({ options: { modes: { current: id, available } } } as unknown as Session).asks;
  };

  // The words of the agents in fixtures/captures.
  it.each([
    [true, 'read-only', 'Read-only', 'Requires approval to edit files and access the internet.'],
    [true, 'default', 'Manual', 'Always ask before making changes'],
    [true, 'default', 'Default', 'Prompts for approval'],
    [true, 'default', 'Default', 'Standard behavior, prompts for dangerous operations'],
    [true, 'default', 'Default', 'Require approval for file edits or shell commands'],
    [false, 'agent-full-access', 'Full access', 'Unrestricted access to the internet and any file on your computer'],
    [false, 'full-access', 'Full Access', 'Codex can edit files outside this workspace without asking for approval.'],
    [false, 'yolo', 'YOLO', 'Auto-approves all tools'],
    [false, 'dontAsk', "Don't Ask", "Don't prompt for permissions, deny if not pre-approved"],
    [false, 'auto', 'Auto', 'Claude handles permission decisions'],
    [false, 'auto', 'Auto', 'Use a model classifier to approve/deny permission prompts'],
    [undefined, 'agent', 'Auto review', 'Only ask for actions detected as potentially unsafe'],
    [undefined, 'acceptEdits', 'Accept edits', 'Automatically accept all file edits'],
    [undefined, 'build', 'build', 'The default agent. Executes tools based on configured permissions.'],
    [undefined, 'plan', 'Plan', 'Read-only mode'],
    [undefined, 'off', 'Thinking: off', undefined],
  ])('is %s by the words of the mode %s', (expected, id, name, description) => {
    expect(asks(id, name, description)).toBe(expected);
  });
});
