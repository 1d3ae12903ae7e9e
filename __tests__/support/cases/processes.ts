/** Which processes of a group still live. One that only waits to be reaped does not count. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface Row {
  pid: number;
  group: number;
  state: string;
}

function fromProc(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the command may hold anything, a parenthesis too.
      const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), group: Number(group), state }];
    } catch {
      return []; // gone while we looked
    }
  });
}

function fromPs(): Row[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, group, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), group: Number(group), state };
  });
}

/** Pids that live and are one of these or in a group that one of these leads. */
export function livingOf(pids: readonly number[]): number[] {
  if (pids.length === 0) return [];
  const rows = existsSync('/proc/self/stat') ? fromProc() : fromPs();
  const wanted = new Set(pids);
  return rows
    .filter((row) => (wanted.has(row.pid) || wanted.has(row.group)) && !/^[ZX]/.test(row.state))
    .map((row) => row.pid);
}

export function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone meanwhile
    }
  }
}
