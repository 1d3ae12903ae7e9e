/** The examples, run as they would be in a project that has the package installed. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { builtPackage, clearUp, type Ended, folder, leftAlive, startNode } from './support/cli.js';

jest.setTimeout(60_000);

const root = fileURLToPath(new URL('..', import.meta.url));
let project = '';

beforeAll(async () => {
  project = folder();
  cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true });
  const installed = join(project, 'node_modules/acp-turnstile');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(await builtPackage(), 'dist'), join(installed, 'dist'));
  symlinkSync(join(root, 'node_modules/xstate'), join(project, 'node_modules/xstate'));
});
afterAll(clearUp);

const ran = (name: string, ...args: string[]): Promise<Ended> =>
  startNode([join('examples', name), ...args], {}, project).ended;

describe('examples', () => {
  it('smallest.mjs streams an answer and says how it ended', async () => {
    const { code, stdout, stderr } = await ran('smallest.mjs');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Hello from the demo agent\..*\ncompleted\n$/);
    expect(leftAlive()).toEqual([]);
  });

  it('orchestrator.mjs lets each of three agents do what its own policy allows, and has it in the ledger', async () => {
    const { code, stdout, stderr } = await ran('orchestrator.mjs');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'reader   completed; edit cancelled; wrote nothing',
        'writer   completed; edit completed; wrote acp-turnstile-demo.txt',
        'watcher  completed; search completed; wrote nothing',
        '',
        'who was allowed what:',
        'reader   cancelled - (byKind, policy)',
        'writer   selected allow_once (ask, answer)',
        '',
      ].join('\n'),
    );
    const ledger = stderr.trim().split('\n');
    expect(ledger.map((line) => (JSON.parse(line) as { outcome: string }).outcome)).toEqual(['cancelled', 'selected']);
    expect(leftAlive()).toEqual([]);
  });

  it('orchestrator.mjs ends every agent when the budget that they share is spent', async () => {
    const { code, stdout } = await ran('orchestrator.mjs', '50');
    expect(code).toBe(0);
    expect(stdout.match(/^(reader|writer|watcher) +failed: absolute in phase \w+$/gm)).toHaveLength(3);
    expect(leftAlive()).toEqual([]);
  });

  it('transport.mjs talks over a socket to an agent that it does not own', async () => {
    const { code, stdout, stderr } = await ran('transport.mjs');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Hello from the demo agent\..*\ncompleted over a socket, \d+ frames in\nthe agent has left with code 0\n$/,
    );
    expect(leftAlive()).toEqual([]);
  });

  it('modelBased.mjs goes every way through a turn that the chart has, and sees where the agent ends', async () => {
    const { code, stdout, stderr } = await ran('modelBased.mjs');
    expect([code, stderr]).toEqual([0, '']);
    for (const way of [
      /^nothing but the prompt +completed, in turn\.ended$/m,
      /^user\.cancel +cancelled, in turn\.ended$/m,
      /^clock\.bound +absolute, in turn\.released$/m,
      /^transport\.closed +agent-exited, in turn\.gone$/m,
      /^8 ways through a turn, \d+ edges of its chart seen:$/m,
    ]) {
      expect(stdout).toMatch(way);
    }
    expect(leftAlive()).toEqual([]);
  });

  it('modelBased.mjs fails for an agent that does not stop when it is told to', async () => {
    const deaf = [process.execPath, join(root, 'fixtures/cli/agent.mjs'), 'stubborn'];
    const { code, stderr } = await ran('modelBased.mjs', ...deaf);
    expect([code, stderr]).toEqual([1, expect.stringContaining('turn.wedged is not among')]);
    expect(leftAlive()).toEqual([]);
  });

  it('are all run here, and all in the README', () => {
    const names = readdirSync(join(root, 'examples')).filter((name) => name !== 'demoAgent.mjs');
    const tests = readFileSync(fileURLToPath(import.meta.url), 'utf8');
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(names.filter((name) => !tests.includes(`ran('${name}'`))).toEqual([]);
    expect(names.filter((name) => !readme.includes(`examples/${name}`))).toEqual([]);
  });
});
