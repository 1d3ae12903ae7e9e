import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/framing/clock.js';
import { spawnAgent, type AgentProcess, type ExitInfo, type SpawnOptions } from '../../src/process/agentProcess.js';

export interface StartedAgent {
  agent: AgentProcess;
  /** Names of the callbacks, in the order in which they came. */
  calls: string[];
  exited: Promise<ExitInfo>;
  failed: Promise<void>;
  /** Resolves with the first whole line on stderr: how a script says that it is ready. */
  line: Promise<string>;
  stderr(): string;
}

const started: AgentProcess[] = [];

/** A real subprocess; `killStarted` ends it after the test, whatever came of it. */
export function start(command: string, args: readonly string[], options: Partial<SpawnOptions> = {}): StartedAgent {
  const calls: string[] = [];
  let text = '';
  let exit: (info: ExitInfo) => void = () => {};
  let fail: () => void = () => {};
  let say: (line: string) => void = () => {};
  const exited = new Promise<ExitInfo>((resolve) => (exit = resolve));
  const failed = new Promise<void>((resolve) => (fail = resolve));
  const line = new Promise<string>((resolve) => (say = resolve));
  const agent = spawnAgent({
    command,
    args,
    clock: systemClock,
    onSpawned: () => void calls.push('spawned'),
    onSpawnFailed: () => {
      calls.push('failed');
      fail();
    },
    onExit: (info) => {
      calls.push('exit');
      exit(info);
    },
    onStderr: (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) say(text.slice(0, end));
    },
    ...options,
  });
  started.push(agent);
  return { agent, calls, exited, failed, line, stderr: () => text };
}

export const shell = (script: string, options?: Partial<SpawnOptions>): StartedAgent =>
  start('/bin/sh', ['-c', script], options);
export const node = (script: string, options?: Partial<SpawnOptions>): StartedAgent =>
  start(process.execPath, ['-e', script], options);

export async function killStarted(): Promise<void> {
  for (const agent of started.splice(0)) {
    agent.signalGroup('SIGKILL');
    await until(() => !agent.groupAlive());
    agent.dispose();
  }
}

/** Nobody tells a third party that a process has gone or blocked: this asks again and again, for at most 20 s. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`still not: ${String(holds)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** By other means than the code under test: does this process run, and not merely await its parent? */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
