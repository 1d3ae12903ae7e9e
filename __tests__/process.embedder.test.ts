import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { isRunning, until } from './support/agents.js';
import { buildProcessFloor, runEmbedder, type Embedder } from './support/embedder.js';

jest.setTimeout(30_000);

const floor = buildProcessFloor(['a', 'b']);
afterAll(() => floor.remove());

const seen: number[] = [];
let embedder: Embedder | undefined;

function run(program: string): Embedder {
  return (embedder = runEmbedder(floor.dir, program));
}

/** A line of process ids that the embedder prints when its agents are up. */
async function pids(from: Embedder): Promise<number[]> {
  const found = (await from.line()).split(' ').map(Number);
  expect(found.every(isRunning)).toBe(true);
  seen.push(...found);
  return found;
}

const noneRuns = (found: readonly number[]): Promise<void> => until(() => !found.some(isRunning));

afterEach(async () => {
  embedder?.child.kill('SIGKILL');
  await embedder?.ended;
  for (const pid of seen.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
});

const LAUNCH = 'const { agent, pids } = await launch(); ';

describe('a program that ends takes its agents with it:', () => {
  it.each([
    ['process.exit             ', `${LAUNCH} say(pids); process.stdin.once('data', () => process.exit(3));`, 3],
    [
      'an uncaught exception    ',
      `${LAUNCH} say(pids); process.stdin.once('data', () => { throw new Error('x'); });`,
      1,
    ],
    [
      'an unhandled rejection   ',
      `${LAUNCH} say(pids); process.stdin.once('data', () => Promise.reject(new Error('x')));`,
      1,
    ],
    [
      'several agents, exit     ',
      `const two = [await launch(), await launch()]; say(two.map((t) => t.pids).join(' ')); process.stdin.once('data', () => process.exit(0));`,
      0,
    ],
    [
      'nothing left to do       ',
      `${LAUNCH} say(pids); process.stdin.once('data', () => { process.stdin.destroy(); agent.dispose(); });`,
      0,
    ],
    [
      'the same, while it waits ',
      `${LAUNCH} say(pids); agent.whenGroupGone(() => say('gone')); process.stdin.once('data', () => { process.stdin.destroy(); agent.dispose(); });`,
      0,
    ],
  ])('%s', async (_, program, end) => {
    const program_ = run(program);
    const found = await pids(program_);
    program_.child.stdin?.write('go\n');
    expect(await program_.ended).toBe(end);
    await noneRuns(found);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s, of which it still ends', async (signal) => {
    const program = run(`${LAUNCH} say(pids);`);
    const found = await pids(program);
    program.child.kill(signal);
    expect(await program.ended).toBe(signal);
    await noneRuns(found);
  });

  it('SIGTERM also after an agent before was closed and another one was started', async () => {
    const program = run(`
      const first = await launch();
      await new Promise((gone) => { first.agent.whenGroupGone(gone); first.agent.signalGroup('SIGKILL'); });
      first.agent.dispose();
      ${LAUNCH} say(pids);`);
    const found = await pids(program);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGTERM');
    await noneRuns(found);
  });
});

describe('a program that listens to a signal itself', () => {
  it.each([
    ['before it spawned', `process.on('SIGINT', () => say('mine')); ${LAUNCH} say(pids);`],
    ['after it spawned ', `${LAUNCH} process.on('SIGINT', () => say('mine')); say(pids);`],
    ['ahead of others  ', `${LAUNCH} process.prependListener('SIGINT', () => say('mine')); say(pids);`],
  ])('keeps control, having started to %s', async (_, program_) => {
    const program = run(`${program_} process.stdin.once('data', () => process.exit(5));`);
    const found = await pids(program);
    for (let press = 0; press < 2; press++) {
      program.child.kill('SIGINT');
      expect(await program.line()).toBe('mine');
      expect(found.every(isRunning)).toBe(true);
    }
    program.child.stdin?.write('go\n');
    expect(await program.ended).toBe(5);
    await noneRuns(found);
  });

  it.each([
    ['before', `process.once('SIGINT', () => say('mine')); ${LAUNCH} say(pids);`],
    ['after ', `${LAUNCH} process.once('SIGINT', () => say('mine')); say(pids);`],
    ['ahead ', `${LAUNCH} process.prependOnceListener('SIGINT', () => say('mine')); say(pids);`],
  ])('only once (%s it spawned) has the first one; the second ends it and its agents', async (_, program_) => {
    const program = run(program_);
    const found = await pids(program);
    program.child.kill('SIGINT');
    expect(await program.line()).toBe('mine');
    expect(found.every(isRunning)).toBe(true);
    program.child.kill('SIGINT');
    expect(await program.ended).toBe('SIGINT');
    await noneRuns(found);
  });

  it('may stop listening in its own time: the default action and our part in it are back', async () => {
    const program = run(`${LAUNCH} const mine = () => {}; process.on('SIGTERM', mine);
      setImmediate(() => { process.removeAllListeners('SIGTERM'); say(pids); });`);
    const found = await pids(program);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGTERM');
    await noneRuns(found);
  });
});

describe('libraries that raise a signal again when they are alone with it', () => {
  it.each([
    ['loaded before the agent was spawned', `polite('SIGTERM'); ${LAUNCH} say(pids);`],
    ['loaded after                       ', `${LAUNCH} polite('SIGTERM'); say(pids);`],
    [
      'a second copy of this library      ',
      `
      const { spawnAgent: other } = await import('./b/process/agentProcess.js');
      const two = [await launch(), await launch(other)]; say(two.map((t) => t.pids).join(' '));`,
    ],
  ])('do not swallow it between them and us: %s', async (_, program_) => {
    const program = run(program_);
    const found = await pids(program);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGTERM');
    await noneRuns(found);
  });
});

describe('the program', () => {
  it('has no listener of ours left on it, and no reason to go on, once its agents are gone', async () => {
    const program = run(`
      const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'newListener', 'removeListener'];
      const count = () => events.map((event) => process.listenerCount(event)).join(',');
      const before = count();
      const started = [await launch(), await launch()];
      const during = count();
      for (const { agent } of started) await new Promise((gone) => { agent.whenGroupGone(gone); agent.signalGroup('SIGKILL'); });
      say(before === count(), before === during);
      for (const { agent } of started) agent.dispose();`);
    expect(await program.line()).toBe('true false');
    expect(await program.ended).toBe(0);
  });

  it('is not ended by a write that fails while nobody awaits it', async () => {
    const program = run(`
      const { agent, pids } = await launch();
      const writer = agent.writable.getWriter();
      agent.signalGroup('SIGKILL');
      void writer.write(Buffer.alloc(1 << 22));
      await new Promise((gone) => agent.whenGroupGone(gone));
      void writer.write(Buffer.alloc(10));
      agent.closeStdin();
      setImmediate(() => agent.dispose());`);
    expect(await program.ended).toBe(0);
  });

  it('cannot act when it is ended by SIGKILL: the agent sees the end of its stdin', async () => {
    const program = run(`
      const agent = spawnAgent({ command: 'cat', args: [], clock, onSpawned: () => say(agent.pid), onSpawnFailed() {}, onExit() {} });`);
    const found = await pids(program);
    program.child.kill('SIGKILL');
    expect(await program.ended).toBe('SIGKILL');
    await noneRuns(found);
  });
});

describe('the first process of a container', () => {
  const unshare = ['unshare', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const can = spawnSync('unshare', [...unshare.slice(1), 'true']).status === 0;

  (can ? it : it.skip)(
    'reaps no grandchildren, which are gone nonetheless, and keeps the agents through signals that cannot end it',
    async () => {
      embedder = runEmbedder(
        floor.dir,
        `${LAUNCH}
      const [leader, child] = pids.split(' ').map(Number);
      const count = process.listenerCount('SIGTERM');
      process.kill(1, 'SIGTERM');
      setTimeout(() => {
        say(process.pid, count, agent.groupAlive());
        agent.whenGroupGone(() => say(fs.readFileSync('/proc/' + child + '/stat', 'utf8').split(' ')[2], agent.groupAlive()));
        agent.signalGroup('SIGKILL');
      }, 50);
      const fs = await import('node:fs');`,
        unshare,
      );
      expect(await embedder.line()).toBe('1 0 true');
      expect(await embedder.line()).toBe('Z false');
    },
  );
});
