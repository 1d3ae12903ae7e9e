import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { clearUp, cli, demoAgent, leftAlive, leftInScratch, scripted } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const ESCAPE = '\u001b';
const wide = (text: string): string[] => text.split('\n').filter((line) => line.length > 80);
const lines = (text: string): Record<string, any>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('run --json', () => {
  it('prints the whole turn as events, one object a line, and nothing else', async () => {
    const { code, stdout, stderr } = await cli([
      'run',
      '--json',
      '--allow',
      'edit',
      'write',
      '--',
      ...(await demoAgent()),
    ]);
    expect([code, stderr]).toEqual([0, '']);
    const events = lines(stdout);
    const names = events.map(({ event }) => event);
    expect(names.filter((name) => name !== 'update' && name !== 'state')).toEqual([
      'connected',
      'session',
      'decision',
      'result',
    ]);
    expect(events.filter(({ event }) => event === 'state').map(({ of, state }) => `${of} ${state}`)).toEqual(
      expect.arrayContaining(['connection connecting', 'connection ready', 'session running', 'connection closed']),
    );
    expect(events.find(({ event }) => event === 'connected')).toMatchObject({
      agent: { name: 'acp-turnstile-demo', protocolVersion: 2 },
    });
    expect(events.find(({ event }) => event === 'decision')).toMatchObject({ outcome: 'selected', cause: 'policy' });
    expect(events.find(({ event }) => event === 'result')).toMatchObject({
      exitCode: 0,
      outcome: 'completed',
      stopReason: 'end_turn',
      text: 'I would like to write a file. The file is written.',
      stats: { strayUpdates: 0 },
    });
    const said = events.filter(({ update }) => update?.kind === 'text').map(({ update }) => update.text);
    expect(said.join('')).toBe('I would like to write a file. The file is written.');
    expect(events.every(({ at }, i) => i === 0 || at >= events[i - 1]!['at'])).toBe(true);
  });

  it('bounds each line, however large and deep the value of an agent is, and says that it did', async () => {
    const { code, stdout } = await cli(['run', '--json', 'hi', '--', ...scripted('deep')]);
    expect(code).toBe(0);
    const tool = lines(stdout).find(({ update }) => update?.kind === 'tool');
    expect(tool).toMatchObject({ cut: true, update: { toolCall: { toolCallId: 'call-1' } } });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(5 * 1024 * 1024);
  });

  it('prints replayed history as such', async () => {
    const { stdout } = await cli(['run', '--json', '--load', 'session-1', 'hi', '--', ...scripted('echo')]);
    const said = lines(stdout).filter(({ update }) => update?.kind === 'text');
    expect(said.map(({ phase, update }) => [phase, update.text])).toEqual([
      ['replay', 'REPLAYED'],
      ['turn', 'hi'],
    ]);
    expect(lines(stdout).find(({ event }) => event === 'session')).toMatchObject({ origin: 'load' });
  });

  it('ends with an error that holds no word of the agent, unless asked to', async () => {
    const quiet = await cli(['run', '--json', 'hi', '--', ...scripted('error')]);
    expect(lines(quiet.stdout).find(({ event }) => event === 'error')).toMatchObject({
      exitCode: 5,
      kind: 'agent-error',
      phase: 'turn',
      agentCode: -32603,
    });
    expect(quiet.stdout + quiet.stderr).not.toContain('SECRET');
    const { stdout } = await cli(['run', '--json', '--verbose', 'hi', '--', ...scripted('error')]);
    expect(lines(stdout).find(({ event }) => event === 'error')).toMatchObject({
      agentText: { message: 'SECRET-MESSAGE' },
    });
  });
});

describe('demo', () => {
  it.each(['1', '2'])(
    'shows every state of a version %s turn in 80 columns, and leaves nothing behind',
    async (version) => {
      const { code, stdout, stderr } = await cli(['demo', '--protocol', version]);
      expect([code, stderr]).toEqual([0, '']);
      for (const state of [
        /process +spawning/,
        /process +running/,
        /connection +live\.spawning/,
        /connection +live\.initializing/,
        /connection +live\.ready/,
        /session +opening/,
        /session +open\.turns\.idle/,
        /turn +running/,
        /session +open\.turns\.prompting/,
        /asks +edit tool: allow_once, allow_always, reject_once\?/,
        /answer +selected allow_once +by policy byKind/,
        /agent +The file is written\./,
        /turn +ended/,
        /session +closed/,
        /process +stdinClosed/,
        /connection +closed/,
        /process +exited/,
        /result +completed \(end_turn\)/,
        /wrote +acp-turnstile-demo\.txt/,
        /frames +\d+ in, \d+ out/,
      ]) {
        expect(stdout).toMatch(state);
      }
      expect(wide(stdout)).toEqual([]);
      expect(stdout).not.toContain(ESCAPE);
      expect(leftInScratch()).toEqual([]);
      expect(leftAlive()).toEqual([]);
    },
  );
});

describe('demo --json', () => {
  it('prints the same as objects, one a line', async () => {
    const { code, stdout, stderr } = await cli(['demo', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    const events = lines(stdout);
    const states = events.filter(({ event }) => event === 'state').map(({ chart, state }) => `${chart} ${state}`);
    expect(states).toEqual(expect.arrayContaining(['process running', 'turn running', 'connection closed']));
    const said = events.filter(({ event }) => event === 'text').map(({ text }) => text);
    expect(said.join('')).toContain('The file is written.');
    expect(events.find(({ name }) => name === 'result')).toMatchObject({ value: 'completed (end_turn)' });
  });
});

describe('demo-agent', () => {
  it('answers on stdout and exits at the end of stdin', async () => {
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };
    const { code, stdout } = await cli(['demo-agent'], `${JSON.stringify(initialize)}\n`);
    expect(code).toBe(0);
    expect(lines(stdout)).toMatchObject([{ id: 0, result: { protocolVersion: 1 } }]);
  });
});

describe('probe', () => {
  it('tells what the agent is, can and offers, in 80 columns', async () => {
    const { code, stdout, stderr } = await cli(['probe', '--protocol', '1', '--', ...(await demoAgent())]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('acp-turnstile-demo 1.0.0 (Turnstile demo agent)\nprotocol version 1');
    expect(stdout).toMatch(/load a session +yes/);
    expect(stdout).toMatch(/images +no/);
    expect(stdout).toMatch(/--model +demo-small +demo-small, demo-large\n/);
    expect(stdout).toMatch(/--effort +medium +low, medium\n/);
    expect(wide(stdout)).toEqual([]);
    expect(leftAlive()).toEqual([]);
  });

  it('shortens a long list unless it is asked for all of it', async () => {
    const short = await cli(['probe', '--', ...scripted('models', 30)]);
    expect(short.stdout).toContain('and 22 more (--all)');
    expect(short.stdout).not.toContain('model-30');
    const { stdout } = await cli(['probe', '--all', '--', ...scripted('models', 30)]);
    expect(stdout).toContain('model-30');
    expect(wide(short.stdout + stdout)).toEqual([]);
  });

  it('shows what an agent calls itself without its control characters, and what goes beyond this library', async () => {
    const { stdout } = await cli(['probe', '--', ...scripted('echo')]);
    expect(stdout).toContain('scripted 1 (A scripted agent)');
    expect(stdout).toMatch(/not used here +newThing\.deep/);
  });

  it('tells what is known of an agent that wants a login, and exits with 3', async () => {
    const { code, stdout, stderr } = await cli(['probe', '--', ...scripted('auth')]);
    expect(code).toBe(3);
    expect(stdout).toContain('Login methods\n  key (A key)\n  by-env (From the environment, env_var)\n');
    expect(stderr).toMatch(/^error: auth-required in phase session.*\n.*`--auth key`/);
    expect((await cli(['probe', '--auth', 'key', '--', ...scripted('auth')])).code).toBe(0);
  });

  it('is one object for programs, whatever became of it', async () => {
    const good = await cli(['probe', '--json', '--', ...scripted('models', 3)]);
    expect(JSON.parse(good.stdout)).toMatchObject({
      agent: { name: 'scripted', protocolVersion: 1, narrower: ['newThing.deep'] },
      advertises: { loadSession: true, 'promptCapabilities.audio': false },
      options: { models: { current: 'model-1', available: [{ id: 'model-1' }, { id: 'model-2' }, { id: 'model-3' }] } },
    });
    const bad = await cli(['probe', '--json', '--', 'no-such-agent']);
    expect(JSON.parse(bad.stdout)).toMatchObject({ error: { kind: 'spawn-failed', phase: 'spawn' } });
    expect(bad.code).toBe(7);
  });
});
