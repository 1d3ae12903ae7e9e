/** Stands in for src/process/agentProcess.ts where a test says so: the path that is being walked plays the process. */
import type { AgentProcess, SpawnOptions } from '../../../src/process/agentProcess.js';

let launch: ((options: SpawnOptions) => AgentProcess) | undefined;

export function launchWith(fn: ((options: SpawnOptions) => AgentProcess) | undefined): void {
  launch = fn;
}

export function spawnAgent(options: SpawnOptions): AgentProcess {
  if (!launch) throw new Error('no path is being walked');
  return launch(options);
}
