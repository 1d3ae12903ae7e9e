import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { builtPackage } from './support/cli.js';

// Ratios within one run, with room: a slow or busy machine is slow for both.
jest.setTimeout(60_000);

const MOST_TIMES = 4;
const ROOT = process.cwd();
let work: string;

/** The bench beside a build of the sources as they are, so that the guard never judges an old one. */
beforeAll(async () => {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  work = mkdtempSync(join(ROOT, '.tmp/bench-'));
  symlinkSync(join(await builtPackage(), 'dist'), join(work, 'dist'));
  cpSync(join(ROOT, 'bench'), join(work, 'bench'), { recursive: true });
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

type Measured = Record<string, number | string | boolean>;

function measure(scenario: string, driver: string): Promise<Measured> {
  const args = ['--expose-gc', join(work, 'bench/measure.mjs'), scenario, driver, 'quick'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (text) => (output += String(text)));
    child.on('close', () => {
      try {
        const measured: Measured = JSON.parse(output);
        resolve(measured);
      } catch (error) {
        reject(new Error(`${scenario}, ${driver}: no measurement`, { cause: error }));
      }
    });
  });
}

describe('the cost of a turn, against the bare limit in the same run,', () => {
  it.each(['ours, for await', 'ours, on(update)'])(
    'is at most four times its CPU for small updates: %s',
    async (ours) => {
      let least = Infinity;
      // Once more only where the first was disturbed.
      for (let run = 0; run < 2 && least > MOST_TIMES; run++) {
        const [limit, own] = [await measure('small', 'raw'), await measure('small', ours)];
        expect(own['updates']).toBe(limit['updates']);
        least = Math.min(least, Number(own['cpuUs']) / Number(limit['cpuUs']));
      }
      expect(least).toBeLessThanOrEqual(MOST_TIMES);
    },
  );

  it('is memory that a slow consumer bounds, while cancel, permission and bound work', async () => {
    const own = await measure('slow', 'ours, for await');
    expect(own['grownMB']).toBeLessThanOrEqual(100);
    expect(own).toMatchObject({ outcome: 'cancelled', permissions: 1, bound: 'absolute' });
  });
});
