/** `record`: whatever passes through it comes out unchanged, and nothing that it does beside can be noticed. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Observer } from '../src/index.js';
import { readRecording } from '../src/inspect/recording.js';
import { byteReadable, byteWritable } from '../src/process/streams.js';
import { systemClock } from '../src/framing/clock.js';
import { Pump } from '../src/replay/pump.js';
import { WireTap } from '../src/replay/wireTap.js';
import { until } from './support/agents.js';
import { clearUp, cli, cliMain, demoAgent, folder, leftAlive, start } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

const node = (script: string): string[] => [process.execPath, '-e', script];
const ECHO = node('process.stdin.pipe(process.stdout)');

/** Bytes as an agent might write them: frames, garbage, and halves of both. */
const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'x', params: value }))),
    fc
      .constantFrom('\n', '\r\n', '\n\n', '{"jsonrpc":"2.0"', '\u2028', 'log: \u001b[31mred\n')
      .map((text) => Buffer.from(text)),
  ),
  { maxLength: 40 },
);

async function pumped(chunks: readonly Uint8Array[], observer: Observer): Promise<Buffer> {
  const [from, to] = [new PassThrough(), new PassThrough()];
  const tap = new WireTap({ observer, direction: 'in', now: () => 0, maxLineBytes: 300 });
  const pump = new Pump({
    from: byteReadable(from),
    to: byteWritable(to),
    clock: systemClock,
    tap: (chunk) => tap.push(chunk),
  });
  const out: Buffer[] = [];
  to.on('data', (chunk: Buffer) => out.push(chunk));
  for (const chunk of chunks) from.write(chunk);
  from.end();
  expect(await pump.done).toBe('ended');
  tap.end();
  return Buffer.concat(out);
}

describe('the pump', () => {
  it('passes any bytes in any chunks unchanged, also where the observer throws', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (chunks) => {
        const whole = Buffer.concat(chunks);
        const thrower: Observer = {
          frame: () => {
            throw new Error('broken');
          },
        };
        expect((await pumped(chunks, {})).equals(whole)).toBe(true);
        expect((await pumped(chunks, thrower)).equals(whole)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('tells the same messages however the bytes were cut', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 7 }), async (chunks, size) => {
        const heard = async (cut: readonly Uint8Array[]): Promise<unknown[]> => {
          const seen: unknown[] = [];
          await pumped(cut, { frame: ({ message }) => seen.push(message), skipped: ({ line }) => seen.push(line) });
          return seen;
        };
        const whole = Buffer.concat(chunks);
        const cut = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
          whole.subarray(i * size, (i + 1) * size),
        );
        expect(await heard(cut)).toEqual(await heard([whole]));
      }),
      { numRuns: 40 },
    );
  });

  it('reads no further while the other side has not taken what came', async () => {
    let take: () => void = () => {};
    let reads = 0;
    const pump = new Pump({
      from: {
        getReader: () => ({
          read: () => Promise.resolve(++reads > 3 ? { done: true } : { done: false, value: new Uint8Array(10) }),
          cancel: () => Promise.resolve(),
          releaseLock: () => {},
        }),
      },
      to: {
        getWriter: () => ({
          write: () => new Promise((resolve) => (take = resolve)),
          close: () => Promise.resolve(),
          abort: () => Promise.resolve(),
          ready: Promise.resolve(),
        }),
      },
      clock: systemClock,
      tap: () => {},
    });
    for (let taken = 1; taken <= 3; taken++) {
      await new Promise((resolve) => setImmediate(resolve));
      expect([reads, pump.quietFor(0)]).toEqual([taken, false]);
      take();
    }
    expect(await pump.done).toBe('ended');
  });
});

describe('record', () => {
  it('changes no byte either way, and delays none until its line is ended', async () => {
    const bytes = Buffer.from(
      fc.sample(fc.uint8Array({ minLength: 300_000, maxLength: 300_000 }), { numRuns: 1, seed: 7 })[0]!,
    );
    const { child, ended } = await start(['record', '-o', 'r.jsonl', '--', ...ECHO]);
    const out: Buffer[] = [];
    child.stdout.removeAllListeners('data');
    child.stdout.setEncoding('binary').on('data', (text: string) => out.push(Buffer.from(text, 'binary')));
    child.stdin.write('{"half":');
    await until(() => Buffer.concat(out).toString() === '{"half":');
    child.stdin.end(bytes);
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(Buffer.concat(out).subarray(8).equals(bytes)).toBe(true);
    expect(leftAlive()).toEqual([]);
  });

  it.each([
    ['a code', 'process.exit(9)', { code: 9, signal: null }],
    ['a signal', "process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 9e4)", { code: null, signal: 'SIGKILL' }],
  ])('ends as the agent did: by %s, with its last words passed on', async (_how, end, expected) => {
    const last = await cli([
      'record',
      '-o',
      'r.jsonl',
      '--',
      ...node(`process.stderr.write('err'); process.stdout.write('last', () => { ${end} })`),
    ]);
    expect(last).toMatchObject({ ...expected, stdout: 'last', stderr: 'err' });
  });

  it('passes signals on, and leaves no process of the agent behind that ignores them', async () => {
    const agent = `
      require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e4); process.stdout.write('child ')"], { stdio: 'inherit' });
      process.on('SIGTERM', () => process.stdout.write('heard', () => process.exit(4)));
      setInterval(() => {}, 1e4)`;
    const { child, ended, says } = await start(['record', '-o', 'r.jsonl', '--', ...node(agent)]);
    await says('child');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 4, stdout: 'child heard' });
    expect(leftAlive()).toEqual([]);
  });

  it('ends the agent when its client is gone altogether', async () => {
    const { child, ended, says } = await start([
      'record',
      '-o',
      'r.jsonl',
      '--',
      ...node("setInterval(() => process.stdout.write('tick '), 20)"),
    ]);
    await says('tick');
    child.stdin.end();
    child.stdout.destroy();
    await ended;
    expect(leftAlive()).toEqual([]);
  });

  it('is refused before anything starts where the file cannot be opened', async () => {
    const refused = await cli([
      'record',
      '-o',
      '/no/such/folder/r.jsonl',
      '--',
      ...node("process.stdout.write('ran')"),
    ]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/no such file or folder.*\n.*-o/);
    if (process.platform === 'linux')
      expect(await cli(['record', '-o', '/dev/full', '--', ...ECHO])).toMatchObject({ code: 1, stdout: '' });
  });

  it('lets the conversation go on when the disk fills up, says so, and keeps what is whole', async () => {
    const file = join(folder(), 'r.jsonl');
    const limited = `ulimit -f 8; exec "$@"`;
    const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's' } })}\n`;
    const { FORCE_COLOR: _, ...env } = process.env;
    const ended = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
      const args = ['-c', limited, 'sh', process.execPath, '', 'record', '-o', file, '--', ...ECHO];
      void cliMain().then((main) => {
        args[4] = main;
        const child = execFile('/bin/sh', args, { env }, (error, stdout, stderr) =>
          error ? reject(new Error(error.message)) : resolve({ stdout, stderr }),
        );
        child.stdin!.end(line.repeat(200));
      });
    });
    expect(ended.stdout).toBe(line.repeat(200));
    expect(ended.stderr).toMatch(/the recording has stopped \(EFBIG\); the agent goes on/);
    const recording = readRecording(readFileSync(file, 'utf8'));
    expect(recording?.cut).toBe(false);
    expect(recording?.frames.length).toBeGreaterThan(10);
  });

  it('leaves a file behind a kill that is whole up to its last full line', async () => {
    const file = join(folder(), 'r.jsonl');
    const flood = node(
      'const go = () => process.stdout.write(\'{"jsonrpc":"2.0","method":"x"}\\n\'.repeat(50), () => setImmediate(go)); go()',
    );
    const { child, ended, says } = await start(['record', '-o', file, '--', ...flood]);
    await says('jsonrpc');
    await until(() => statSync(file).size > 10_000);
    child.kill('SIGKILL');
    await ended;
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) JSON.parse(line);
    expect(readRecording(text)?.frames.length).toBe(lines.length - 1);
    await until(() => leftAlive().length === 0);
  });

  it('records a whole conversation of the library, without its words and with them', async () => {
    const file = join(folder(), 'r.jsonl');
    const through = async (...flags: string[]): Promise<string> => {
      const agent = [process.execPath, await cliMain(), 'record', '-o', file, ...flags, '--', ...(await demoAgent())];
      const { code, stdout } = await cli(['run', '--allow', 'edit', 'write SECRETprompt', '--', ...agent]);
      expect([code, stdout]).toEqual([0, 'I would like to write a file. \nThe file is written.\n']);
      return readFileSync(file, 'utf8');
    };
    const silent = await through();
    expect(silent).not.toMatch(/SECRET|The file|would like/);
    expect(await through('--with-text')).toContain('SECRETprompt');
    const recording = readRecording(silent);
    expect(recording).toMatchObject({ text: false, cut: false, closed: 'closed' });
    expect(recording?.frames.filter(({ m }) => m['method'] === 'session/request_permission')).toHaveLength(1);
  });
});
