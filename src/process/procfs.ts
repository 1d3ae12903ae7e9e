import { readFileSync, readdirSync } from 'node:fs';

/** A process in `/proc`, as far as the membership of a group asks. */
interface Stat {
  group: number;
  dead: boolean;
}

/** proc(5): `pid (comm) state ppid pgrp … num_threads …`; the command may itself hold spaces and parentheses. */
export function parseStat(text: string): Stat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  if (state === undefined || group === undefined) return undefined;
  // A process whose main thread has returned shows as a zombie while its other threads still run.
  const threads = Number(fields[17]);
  return { group: Number(group), dead: state === 'X' || state === 'x' || (state === 'Z' && threads <= 1) };
}

function stat(pid: number): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined; // it went away since it was listed
  }
}

function isLiveMember(group: number, pid: number): boolean {
  const found = stat(pid);
  return found !== undefined && found.group === group && !found.dead;
}

function scan(group: number): { live: number | undefined; dead: number[] } {
  const dead: number[] = [];
  for (const name of listed()) {
    const pid = Number(name);
    const found = Number.isInteger(pid) ? stat(pid) : undefined;
    if (found?.group !== group) continue;
    if (!found.dead) return { live: pid, dead };
    dead.push(pid);
  }
  return { live: undefined, dead };
}

function listed(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/**
 * A live member of a group that the kernel says exists; `'dead'` when only zombies are left of it (the first process of a container
 * often reaps nobody); `'unknown'` when `/proc` does not settle it. `hint`, a member seen before, saves the search while it lives.
 */
export function findLiveMember(group: number, hint?: number): number | 'dead' | 'unknown' {
  if (hint !== undefined && isLiveMember(group, hint)) return hint;
  const first = scan(group);
  if (first.live !== undefined) return first.live;
  // A listing is no snapshot: a member that forks and exits meanwhile is in neither half. It leaves another zombie, or none.
  const second = scan(group);
  if (second.live !== undefined) return second.live;
  const same = first.dead.length === second.dead.length && first.dead.every((pid, i) => pid === second.dead[i]);
  return same && first.dead.length > 0 ? 'dead' : 'unknown';
}
