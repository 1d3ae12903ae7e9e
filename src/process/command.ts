import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../framing/clock.js';
import { arm } from '../framing/alarm.js';
import type { ExitInfo } from './agentProcess.js';
import { guard, release } from './exitGuard.js';
import { processGroup, type ProcessGroup } from './group.js';
import { BoundedTail } from './stderrTail.js';
import { pollUntilGone } from './untilGone.js';

/** After the exit the pipes are read until they end or have been quiet: whoever inherited one can hold it open for ever. */
const QUIET_MS = 50;
const LAST_WORDS_MS = 1_000;

export interface CommandOptions {
  /** A file or a name looked up in `PATH`; never a shell's command line. */
  command: string;
  args: readonly string[];
  cwd: string | undefined;
  /** Replaces `process.env`, as in `child_process.spawn`. */
  env: Record<string, string | undefined> | undefined;
  /** The last so many bytes of stdout and stderr together are kept; 16 MiB at most. */
  outputBytes: number;
  clock: Clock;
  /** After TERM, before KILL. */
  killGraceMs: number;
}

/** A command that runs as the leader of a group of its own, with no stdin. */
export interface Command {
  /** The last of its output, from a character boundary on. */
  output(): { text: string; truncated: boolean };
  /** Once it has exited and its last words were read. */
  readonly exit: ExitInfo | undefined;
  readonly exited: Promise<ExitInfo>;
  /** TERM for the whole group, and KILL a grace later; `now`: KILL at once. Idempotent. */
  kill(now?: boolean): void;
}

/** Rejects with the system's error where it cannot be started, whatever the reason. */
export async function runCommand(options: CommandOptions): Promise<Command> {
  const { command, args, cwd, env } = options;
  const child = spawn(command, [...args], {
    cwd,
    env,
    shell: false,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  // From the moment of the fork, not from 'spawn': it may have ended by then.
  const running = new RunningCommand(child, options);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return running;
}

class RunningCommand implements Command {
  exit: ExitInfo | undefined;
  readonly exited: Promise<ExitInfo>;
  readonly #options: CommandOptions;
  readonly #tail: BoundedTail;
  readonly #group: ProcessGroup | undefined;
  #leaderExited = false;
  #disarm: (() => void) | undefined;
  #leaving = false;
  #heardAt = 0;

  constructor(child: ChildProcess, options: CommandOptions) {
    this.#options = options;
    this.#tail = new BoundedTail(options.outputBytes);
    child.on('error', () => {}); // of a start that failed, which rejects; of a kill, which is not ours
    for (const pipe of [child.stdout, child.stderr]) if (pipe) this.#keep(pipe);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#leaderExited = true;
        this.#group?.alive(); // the last of a group takes itself out of the guard
        this.#lastWords(child, () => {
          this.exit = { code, signal };
          resolve(this.exit);
        });
      });
    });
    const { pid } = child;
    if (pid === undefined) return;
    const group = processGroup({ pid, leaderExited: () => this.#leaderExited, onGone: () => this.#gone() });
    this.#group = group;
    guard(group);
  }

  output(): { text: string; truncated: boolean } {
    return { text: this.#tail.tail(), truncated: this.#tail.truncated };
  }

  kill(now = false): void {
    const group = this.#group;
    if (!group) return;
    const { clock, killGraceMs } = this.#options;
    if (now) {
      this.#disarm?.();
      if (group.signal('SIGKILL')) this.#seeOff(group);
    } else if (!this.#disarm && group.signal('SIGTERM')) {
      this.#disarm = arm(clock, killGraceMs, () => this.kill(true));
    }
  }

  #lastWords(child: ChildProcess, done: () => void): void {
    const { clock } = this.#options;
    const exitedAt = clock.now();
    this.#heardAt = exitedAt;
    let disarm = (): void => {};
    const over = (): void => {
      disarm();
      child.removeListener('close', over);
      child.stdout?.destroy();
      child.stderr?.destroy();
      done();
    };
    const look = (): void => {
      const left = Math.min(this.#heardAt + QUIET_MS, exitedAt + LAST_WORDS_MS) - clock.now();
      if (left <= 0) over();
      else disarm = arm(clock, left, look);
    };
    child.once('close', over);
    look();
  }

  /** Until nobody of the group is left to be killed at the end of the program. */
  #seeOff(group: ProcessGroup): void {
    if (this.#leaving) return;
    this.#leaving = true;
    pollUntilGone(
      () => group.alive(),
      this.#options.clock,
      () => {},
    );
  }

  #gone(): void {
    this.#disarm?.();
    if (this.#group) release(this.#group);
  }

  /** Decoded apart: the bytes of one pipe must not fall into a character of the other. */
  #keep(pipe: Readable): void {
    const decoder = new StringDecoder('utf8');
    const keep = (text: string): void => {
      if (text !== '') this.#tail.append(Buffer.from(text, 'utf8'));
    };
    pipe.on('error', () => {});
    pipe.on('data', (chunk: Buffer) => {
      this.#heardAt = this.#options.clock.now();
      keep(decoder.write(chunk));
    });
    pipe.on('end', () => keep(decoder.end()));
  }
}
