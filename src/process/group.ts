import { spawnSync } from 'node:child_process';
import { win32 } from 'node:path';
import { findLiveMember } from './procfs.js';

/** One that ends a process, unless it thinks otherwise of it. */
export type EndSignal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR1' | 'SIGUSR2';

/** The agent and what it started. Once it was seen gone it stays gone: its number may belong to somebody else by then. */
export interface ProcessGroup {
  /**
   * Is anybody left? Zombies do not count, but a leader counts until it was reaped: its exit is always known before its group
   * is gone.
   */
  alive(): boolean;
  /** Sends to all of it; false when there was nobody. Never throws. */
  signal(signal: EndSignal): boolean;
}

export interface GroupOptions {
  /** Of the leader, which on POSIX is also the group's number. */
  pid: number;
  /** Has the leader exited and been reaped? */
  leaderExited(): boolean;
  /** The group was seen gone, for the first time. */
  onGone(): void;
}

/** `pid` has to be the leader of its own group (`detached: true`), except on Windows. */
export function processGroup(options: GroupOptions): ProcessGroup {
  return process.platform === 'win32' ? new WindowsTree(options) : new PosixGroup(options);
}

class PosixGroup implements ProcessGroup {
  readonly #options: GroupOptions;
  #gone = false;
  #liveMember: number | undefined;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  alive(): boolean {
    if (this.#gone) return false;
    if (this.#exists()) return true;
    this.#gone = true;
    this.#options.onGone();
    return false;
  }

  signal(signal: EndSignal): boolean {
    return this.alive() && send(-this.#options.pid, signal) !== 'nobody';
  }

  #exists(): boolean {
    const { pid } = this.#options;
    if (!this.#options.leaderExited()) return true;
    const answer = send(-pid, 0);
    if (answer === 'nobody') return false;
    // A number is not given to a new process while a group still bears it: a process of that number, now that our leader was
    // reaped, means that our group is gone and that this one is a stranger's.
    if (send(pid, 0) !== 'nobody') return false;
    // Members of another user (setuid) may be hidden in /proc.
    if (answer === 'denied' || process.platform !== 'linux') return true;
    const member = findLiveMember(pid, this.#liveMember);
    if (typeof member === 'number') this.#liveMember = member;
    return member !== 'dead';
  }
}

function send(pid: number, signal: EndSignal | 0): 'sent' | 'denied' | 'nobody' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'denied' : 'nobody';
  }
}

const TASKKILL_TIMEOUT_MS = 2_000;

/**
 * Windows has no process groups: `taskkill /T` walks the tree from the leader, so that what outlives the leader can no longer be
 * found. Written from the manual; not run here.
 */
class WindowsTree implements ProcessGroup {
  readonly #options: GroupOptions;
  #gone = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  alive(): boolean {
    if (this.#gone) return false;
    if (!this.#options.leaderExited()) return true;
    this.#gone = true;
    this.#options.onGone();
    return false;
  }

  signal(signal: EndSignal): boolean {
    if (!this.alive()) return false;
    const args = ['/pid', String(this.#options.pid), '/T', ...(signal === 'SIGKILL' ? ['/F'] : [])];
    // By its full path: a bare name is looked for in the current directory first. Synchronous, since it also runs at 'exit'.
    const taskkill = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
    spawnSync(taskkill, args, { stdio: 'ignore', windowsHide: true, timeout: TASKKILL_TIMEOUT_MS });
    return true;
  }
}
