import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ByteReader } from '../src/framing/streams.js';
import { isRunning, killStarted, node, shell, until } from './support/agents.js';
import { manualClock, settle } from './support/manualClock.js';

jest.setTimeout(30_000);
afterEach(killStarted);

const KIB = 1024;

async function readAll(reader: ByteReader): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done && next.value; next = await reader.read()) chunks.push(next.value);
  return Buffer.concat(chunks);
}

describe('a process that ends', () => {
  it('reports its exit code once, after it was spawned', async () => {
    const { agent, calls, exited } = shell('exit 7');
    expect(agent.exit).toBeUndefined();
    expect(await exited).toEqual({ code: 7, signal: null });
    expect(agent.exit).toEqual({ code: 7, signal: null });
    await settle();
    expect(calls).toEqual(['spawned', 'exit']);
  });

  it('reports the signal that ended it', async () => {
    const { exited } = shell('kill -TERM $$');
    expect(await exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('is seen to exit although a grandchild holds stdout, and the group lives until the grandchild is killed', async () => {
    const { agent, exited, line } = shell('sleep 1000 & echo $! >&2; exit 3');
    const reader = agent.readable.getReader();
    let ended = false;
    const read = reader.read().then((next) => (ended = next.done));
    expect(await exited).toEqual({ code: 3, signal: null });
    await settle();
    expect(ended).toBe(false);
    expect(agent.groupAlive()).toBe(true);
    expect(agent.signalGroup('SIGKILL')).toBe(true);
    expect(await read).toBe(true);
    await new Promise<void>((done) => agent.whenGroupGone(done));
    expect(isRunning(Number(await line))).toBe(false);
    expect(agent.signalGroup('SIGKILL')).toBe(false);
  });

  it('leaves its last words readable, on stdout and in the tail', async () => {
    const { agent, exited } = node(
      `fs.writeSync(1, 'o'.repeat(${100 * KIB})); fs.writeSync(2, 'why it failed'); process.exit(1)`,
    );
    await exited;
    expect(agent.stderr.tail()).toBe('why it failed');
    for (let turn = 0; turn < 10; turn++) await settle();
    expect((await readAll(agent.readable.getReader())).toString()).toBe('o'.repeat(100 * KIB));
  });
});

describe('the group', () => {
  it('outlives TERM while a grandchild ignores it, and dies by KILL', async () => {
    const { agent, exited, line } = shell(`sh -c 'trap "" TERM; echo $$ >&2; while :; do sleep 1000; done' & wait`);
    const grandchild = Number(await line);
    expect(agent.signalGroup('SIGTERM')).toBe(true);
    expect(await exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(agent.groupAlive()).toBe(true);
    expect(isRunning(grandchild)).toBe(true);
    agent.signalGroup('SIGKILL');
    await new Promise<void>((done) => agent.whenGroupGone(done));
    expect(agent.groupAlive()).toBe(false);
    expect(isRunning(grandchild)).toBe(false);
  });

  it('is told to be gone as soon as its only member has exited, without waiting for the next poll', async () => {
    const clock = manualClock();
    const { agent, exited } = shell('read line', { clock });
    let gone = 0;
    agent.whenGroupGone(() => gone++);
    await settle();
    expect([gone, clock.pending()]).toEqual([0, 1]);
    agent.closeStdin();
    await exited;
    await settle();
    expect([gone, clock.pending()]).toEqual([1, 0]);
  });

  it('is not told of after the wait was stopped or the process disposed of', async () => {
    const clock = manualClock();
    const { agent, exited } = shell('read line', { clock });
    let gone = 0;
    agent.whenGroupGone(() => gone++)();
    const stopLater = agent.whenGroupGone(() => gone++);
    agent.whenGroupGone(() => gone++);
    await settle();
    stopLater();
    agent.closeStdin();
    agent.dispose();
    expect(clock.pending()).toBe(0);
    await Promise.race([exited, until(() => agent.exit !== undefined)]);
    await clock.run(1_000);
    expect(gone).toBe(0);
  });
});

describe('the pipes', () => {
  it('carry bytes both ways, and the end of stdin after what was written', async () => {
    const { agent, exited } = shell('exec cat');
    const writer = agent.writable.getWriter();
    const sent = Buffer.alloc(512 * KIB, 'é🚏\n');
    const received = readAll(agent.readable.getReader());
    void writer.write(sent);
    agent.closeStdin();
    expect((await received).equals(sent)).toBe(true);
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  it('block an agent that nobody reads, and let it go on as it is read', async () => {
    const total = 8 * KIB * KIB;
    const script = `const b = Buffer.alloc(${16 * KIB}); for (let n = 0; n < ${total}; n += b.length) { fs.writeSync(1, b); fs.writeSync(2, '.'); }`;
    const { agent, stderr, exited } = node(script);
    let before = -1;
    let since = performance.now();
    await until(() => {
      const written = stderr().length;
      if (written !== before) since = performance.now();
      before = written;
      return written > 0 && performance.now() - since > 300;
    });
    expect(before * 16 * KIB).toBeLessThan(KIB * KIB);
    expect(agent.exit).toBeUndefined();
    expect(await readAll(agent.readable.getReader())).toHaveLength(total);
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  it('reject a write that the agent no longer listens to, and every later one', async () => {
    const { agent, line } = shell('exec 0<&-; echo closed >&2; sleep 1000');
    await line;
    const writer = agent.writable.getWriter();
    await expect(writer.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'EPIPE' });
    await expect(writer.write(Buffer.from('x'))).rejects.toThrow();
    await writer.close();
    await writer.ready;
    expect(agent.groupAlive()).toBe(true);
  });

  it('resolve a write when the kernel has taken it, and reject one that the agent left in the pipe', async () => {
    const { agent } = shell('exec cat >/dev/null');
    process.kill(agent.pid ?? 0, 'SIGSTOP');
    const writer = agent.writable.getWriter();
    const settled: string[] = [];
    const taken = writer.write(Buffer.alloc(4 * KIB * KIB)).then(() => settled.push('taken'));
    for (let turn = 0; turn < 10; turn++) await settle();
    expect(settled).toEqual([]);
    process.kill(agent.pid ?? 0, 'SIGCONT');
    await taken;
    process.kill(agent.pid ?? 0, 'SIGSTOP');
    const left = [writer.write(Buffer.alloc(4 * KIB * KIB)), writer.write(Buffer.alloc(1))];
    await settle();
    agent.dispose();
    await expect(left[0]).rejects.toThrow();
    await expect(left[1]).rejects.toThrow();
  });

  it('drain 8 MiB of stderr that nobody asked for into a bounded tail', async () => {
    const script = `for (let n = 0; n < 128; n++) fs.writeSync(2, 'é'.repeat(${32 * KIB})); fs.writeSync(2, 'the end')`;
    const { agent, exited } = node(script);
    expect(await exited).toEqual({ code: 0, signal: null });
    const tail = agent.stderr.tail();
    expect(tail).toMatch(/^é+the end$/);
    expect(Buffer.byteLength(tail)).toBeGreaterThan(64 * KIB - 4);
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(64 * KIB);
  });
});
