/** Asks the tests about a tree: what, if anything, sees that it is wrong. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Several times what the slowest needs: a mutant that hangs is dead too. */
const LIMIT_MS = 300_000;

/** In this order, each only if those before saw nothing. The agent's books come first; the charts' states are not asked. */
const JUDGES = [
  { name: 'books', tests: (chart) => [`paths.${chart}`] },
  { name: 'books', tests: (chart) => CHARTS.filter((one) => one !== chart).map((one) => `paths.${one}`) },
  { name: 'memory', tests: () => ['semantics', 'sessionClosing', 'regressions'] },
  { name: 'case', tests: () => ['cases.test'] },
];
const CHARTS = ['session', 'turn', 'connection', 'process'];

/** The suite that is most likely to see it. */
function chartOf(file) {
  if (file.includes('connection') || file.includes('handshake') || file.includes('hub')) return 'connection';
  if (file.includes('rocess')) return 'process';
  return file === 'machines/turn.ts' ? 'turn' : 'session';
}

function jest(folder, patterns) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        'node_modules/jest/bin/jest.js',
        ...['--runInBand', '--silent', '--reporters=default', '--json', `--outputFile=${report}`, '--rootDir', folder],
        ...patterns.map((pattern) => `__tests__/${pattern}`),
      ],
      {
        cwd: folder,
        env: { ...process.env, PATHS_STATES: 'off', PATHS_BAIL: '1', THOROUGH: '' },
        stdio: 'ignore',
        detached: true,
      },
    );
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      process.kill(-child.pid, 'SIGKILL');
    }, LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (late) resolve({ what: 'it hangs', seen: true });
      else resolve(code === 0 ? undefined : firstFailure(report));
    });
  });
}

/** The first test that failed; `seen: false`: none did, something else went wrong, which tells nothing of the promises. */
function firstFailure(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return { what: 'the run ended without a report', seen: false };
  }
  for (const { assertionResults } of results) {
    const failed = assertionResults.find((result) => result.status === 'failed');
    if (failed) return { what: `${firstLine(failed.failureMessages[0] ?? '')} | ${failed.title}`, seen: true };
  }
  const broken = results.find(({ status }) => status !== 'passed');
  return { what: firstLine(broken?.message ?? 'the run failed without a failed test'), seen: false };
}

const firstLine = (message) => (message.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 200);

/** `undefined`: nothing sees it. */
export async function judge(folder, file) {
  for (const { name, tests } of JUDGES) {
    const failure = await jest(folder, tests(chartOf(file)));
    if (failure?.seen) return { judge: name, what: failure.what };
  }
  return undefined;
}
