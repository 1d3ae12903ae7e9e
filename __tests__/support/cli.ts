/** The compiled command line as a process, and a look at what it leaves behind. */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from './agents.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPTED = join(root, 'fixtures/cli/agent.mjs');

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );

const BUILDS = join(root, '.tmp');
const KEPT_MS = 3_600_000;

/**
 * `npm test` builds before it tests. Where that build is missing or older than a source, a package is made beside it: inside
 * this one, since what is compiled finds other packages from where it stands.
 */
async function freshBuild(): Promise<string> {
  const changed = Math.max(newest('src'), newest('machines'), statSync(join(root, 'scripts/bundle.mjs')).mtimeMs);
  const built = join(root, 'dist/cli.js');
  if (existsSync(built) && statSync(built).mtimeMs > changed) return root;
  const made = join(BUILDS, `package-${Math.round(changed)}`);
  if (existsSync(made)) return made;
  const making = join(BUILDS, `making-${process.pid}`);
  await promisify(execFile)(process.execPath, [join(root, 'scripts/build.mjs'), '--to', making]);
  try {
    renameSync(making, made);
  } catch {
    rmSync(making, { recursive: true, force: true }); // another worker was faster
  }
  for (const old of readdirSync(BUILDS).filter((one) => one.startsWith('package-') && join(BUILDS, one) !== made)) {
    const path = join(BUILDS, old);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
  return made;
}

let build: Promise<string> | undefined;
/** The folder of a package of these sources: `dist` is what is published of it, `build` its modules one by one. */
export const builtPackage = (): Promise<string> => (build ??= freshBuild());
export const cliMain = async (): Promise<string> => join(await builtPackage(), 'dist/cli.js');

/** How to write the agents of these tests behind `--`. */
export const scripted = (behaviour: string, number?: number): string[] => [
  process.execPath,
  SCRIPTED,
  behaviour,
  ...(number === undefined ? [] : [String(number)]),
];
export const demoAgent = async (...options: string[]): Promise<string[]> => [
  process.execPath,
  await cliMain(),
  'demo-agent',
  '--pace',
  '1',
  ...options,
];

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<Ended>;
  /** Resolves when stdout holds this text. */
  says(text: string): Promise<void>;
  /** What it holds by now. */
  stdout(): string;
}

/** In the environment of everything that a test starts, and of what that starts. */
const MARK = `ACP_TURNSTILE_TEST=${randomUUID()}`;
const folders: string[] = [];
const running = new Set<ChildProcessWithoutNullStreams>();

/** A fresh folder, for the agent to work in. */
export function folder(prefix = 'acp-turnstile-test-'): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  folders.push(path);
  return path;
}

let scratch: string | undefined;

/** What the programs that a test started have left in the folder for temporary files that they were given. */
export const leftInScratch = (): string[] => (scratch === undefined ? [] : readdirSync(scratch));

export async function start(args: readonly string[], env: Record<string, string> = {}): Promise<RunningCli> {
  return startNode([await cliMain(), ...args], env, folder());
}

/** A script of Node's, watched like the command line. */
export function startNode(args: readonly string[], env: Record<string, string>, cwd: string): RunningCli {
  const [name, value] = MARK.split('=') as [string, string];
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const child = spawn(process.execPath, args, {
    cwd,
    // Other suites run beside this one: what is left behind is looked for in a folder of its own, whose name is short
    // because what is printed of it has to fit 80 columns.
    env: { ...inherited, TMPDIR: (scratch ??= folder('t-')), ...env, [name]: value },
  });
  running.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    stdout: () => stdout,
    says: (text) => until(() => stdout.includes(text) || child.exitCode !== null),
  };
}

/** To its end, with `input` on stdin. */
export async function cli(args: readonly string[], input = '', env?: Record<string, string>): Promise<Ended> {
  const { child, ended } = await start(args, env);
  child.stdin.end(input);
  return ended;
}

/** Command lines of processes that one of these tests started, or something that they started, and that still run. */
export function leftAlive(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(MARK)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return []; // gone meanwhile, or somebody else's
      }
    });
}

/** After each test. */
export async function clearUp(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
  await until(() => running.size === 0);
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  scratch = undefined;
}
