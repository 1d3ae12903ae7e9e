/**
 * Processes that carry a mark in the environment that they were started with: what an agent started inherits it, also where it
 * has left the agent's group. One that clears its environment, or belongs to another user, is not seen.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { parseStat } from './procfs.js';

export interface MarkedProcess {
  pid: number;
  /** The name of the program, as the system has it: 15 characters at most, and its own choice. */
  name: string;
}

function lookAt(pid: number, mark: string): MarkedProcess | undefined {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    if (parseStat(stat)?.dead !== false) return undefined;
    return { pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() };
  } catch {
    return undefined; // gone meanwhile, or somebody else's
  }
}

/** `mark` is `NAME=value`. Undefined where the system does not tell. */
export function markedProcesses(mark: string): MarkedProcess[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.flatMap((pid) => (pid === process.pid ? [] : (lookAt(pid, mark) ?? [])));
  } catch {
    return undefined;
  }
}
