/**
 * `npm run leaks`, short: a warm-up and one round of each kind over real processes, and thousands of turns in memory. In a process of its own,
 * since in jest's neither handles nor the heap tell anything; against the sources as they are, not as they were last built.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { builtPackage } from './support/cli.js';

let library: string;
beforeAll(async () => {
  library = join(await builtPackage(), 'dist/index.js');
}, 60_000);

const leaks = (...args: string[]): Promise<{ code: number | null; output: string }> =>
  new Promise((done) => {
    const command = ['--expose-gc', 'scripts/leaks.mjs', '--from', library, ...args];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.once('close', (code) => done({ code, output }));
  });

describe('connect, turn, close', () => {
  it('leaves nothing behind, however the agent goes wrong', async () => {
    const { code, output } = await leaks('--rounds', '31', '--memory', '0');
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('nothing left behind') });
    expect(output).toMatch(/^ignores that and SIGTERM +1 +1 /m);
  }, 120_000);

  it('leaves nothing behind of thousands of turns and sessions on one connection', async () => {
    const { code, output } = await leaks('--rounds', '0', '--memory', '400', '--filling', '400');
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('nothing left behind') });
    expect(Number(/^(\d+) turns and/m.exec(output)?.[1])).toBeGreaterThan(2_000);
  }, 120_000);

  it('would be seen to leave something: each measure tells a leak that was made on purpose', async () => {
    const { code, output } = await leaks('--rounds', '2', '--memory', '0', '--only', 'no such command', '--plant');
    expect(code).toBe(1);
    const seen = [...output.matchAll(/^(\w[\w ,]*?) {2,}.* LEAK$/gm)].map(([, name]) => name);
    expect(seen).toEqual([
      'processes',
      'children, zombies too',
      'timers',
      'resources',
      'descriptors',
      'process listeners',
      'signal listeners',
      'objects of ours',
      'heap, bytes a round',
    ]);
  }, 60_000);
});
