/**
 * `npm test`: every check in order; the first that fails ends it. The last line of the output is always
 * `N passed, N failed`: jest's counts, and one failure for a step that fails without a failed test.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const CHECKS = ['typecheck', 'lint', 'build', 'pack:check'];
const COUNTS = /^(\d+) passed, (\d+) failed$/;

/** Runs an npm script; gives its exit code and, if it printed them, the counts, whose line is kept back. */
function run(script, args = []) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [process.env.npm_execpath, 'run', '--silent', script, '--', ...args], {
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    let counts;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = COUNTS.exec(line);
      if (match === null) console.log(line);
      else counts = { passed: Number(match[1]), failed: Number(match[2]) };
    });
    child.on('close', (code) => resolve({ code, counts }));
  });
}

async function test() {
  for (const check of CHECKS) {
    const began = performance.now();
    const { code } = await run(check);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.padEnd(10)} ${seconds} s`);
    if (code !== 0) return { passed: 0, failed: 1 };
  }
  const { code, counts = { passed: 0, failed: 1 } } = await run('jest', process.argv.slice(2));
  return code === 0 ? counts : { ...counts, failed: Math.max(counts.failed, 1) };
}

if (process.env.npm_execpath === undefined) throw new Error('Run me as `npm test`.');
const { passed, failed } = await test();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
