import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

// Ratios within one run, with room: a slow or busy machine is slow for both.
jest.setTimeout(60_000);

const MOST_TIMES = 4;
const ROOT = process.cwd();
let work: string;

/** The bench beside a build of the sources as they are, so that the guard never judges an old one. */
beforeAll(() => {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  work = mkdtempSync(join(ROOT, '.tmp/bench-'));
  for (const folder of ['src', 'machines']) {
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath, entry.name);
      const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
      });
      const output = join(work, 'dist', relative(ROOT, file).replace(/\.ts$/, '.js'));
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, outputText);
    }
  }
  writeFileSync(join(work, 'package.json'), readFileSync(join(ROOT, 'package.json')));
  symlinkSync(join(ROOT, 'node_modules'), join(work, 'node_modules'));
  for (const entry of readdirSync(join(ROOT, 'bench'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const copy = join(work, relative(ROOT, file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(file));
  }
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
