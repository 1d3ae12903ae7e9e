import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../framing/clock.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import { guard, release } from './exitGuard.js';
import { type EndSignal, processGroup, type ProcessGroup } from './group.js';
import { BoundedTail, type StderrTail } from './stderrTail.js';
import { byteReadable, byteWritable } from './streams.js';
import { pollUntilGone, type Poll } from './untilGone.js';

export type { StderrTail };

export interface ExitInfo {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** An agent's process and the group that it leads. Mechanism only: when to close, signal and give up is the process chart's. */
export interface AgentProcess {
  /** Undefined if it could not be spawned. On POSIX also the number of the group. */
  readonly pid: number | undefined;
  /** The agent's stdout. */
  readonly readable: ByteReadable;
  /** The agent's stdin: a broken or ended pipe rejects the write, and is never an uncaught error. */
  readonly writable: ByteWritable;
  /** The last of the agent's stderr, which is always drained. */
  readonly stderr: StderrTail;
  /** How the leader exited; the group may live on. */
  readonly exit: ExitInfo | undefined;
  /** Why it could not be spawned, as the system's code (`ENOENT`, `EACCES`, …). */
  readonly spawnErrorCode?: string | undefined;
  /** Sends to the whole group; false when there was nobody. Never throws. */
  signalGroup(signal: EndSignal): boolean;
  /** Is any member of the group alive? Zombies do not count; the leader does until `exit` is known. */
  groupAlive(): boolean;
  /** Polls until the group is gone, then calls back once: never before it has returned, nor before `onExit`. Returns what stops it. */
  whenGroupGone(done: () => void): () => void;
  /** Ends stdin after what is written already. */
  closeStdin(): void;
  /**
   * Calls nobody back from here on, destroys the pipes, and lets the event loop end. It ends no process: a group that is still alive
   * is killed when the program exits.
   */
  dispose(): void;
}

export interface SpawnOptions {
  /** A file or a name looked up in `PATH`; never a shell's command line. */
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  /** Replaces `process.env`, as in `child_process.spawn`; undefined values are left out. */
  env?: Record<string, string | undefined> | undefined;
  clock: Clock;
  onSpawned(): void;
  /** Whatever the reason, and always after `spawnAgent` has returned. */
  onSpawnFailed(): void;
  /** The leader has exited; what it had written to stderr is in the tail. Output may still be unread, or held open by others. */
  onExit(exit: ExitInfo): void;
  /** Text of the agent's, whole characters, as it comes. */
  onStderr?(text: string): void;
  /** 64 KiB by default; 16 MiB at most. */
  stderrTailBytes?: number | undefined;
  /** The agent writes to the stderr of this program itself: the tail stays empty, and `onStderr` is not called. */
  inheritStderr?: boolean | undefined;
}

const STDERR_TAIL_BYTES = 64 * 1024;

/** Spawns an agent as the leader of a group of its own. Never throws. */
export function spawnAgent(options: SpawnOptions): AgentProcess {
  let child: ChildProcess | undefined;
  let refusal: unknown;
  try {
    child = launch(options);
  } catch (error) {
    refusal = error; // what Node refuses synchronously: a NUL in a string, more arguments than the system takes
  }
  const agent = new SpawnedAgent(options, child);
  if (!child) process.nextTick(() => agent.spawnFailed(refusal));
  return agent;
}

function launch({ command, args, cwd, env, inheritStderr }: SpawnOptions): ChildProcess {
  return spawn(command, [...args], {
    cwd,
    env,
    shell: false,
    stdio: ['pipe', 'pipe', inheritStderr ? 'inherit' : 'pipe'],
    windowsHide: true,
    detached: process.platform !== 'win32', // there it would open a console, and there is no group to lead
  });
}

/** In place of a pipe that was never opened. */
function noPipe(): PassThrough {
  return new PassThrough().destroy();
}

class SpawnedAgent implements AgentProcess {
  readonly pid: number | undefined;
  readonly readable: ReturnType<typeof byteReadable>;
  readonly writable: ReturnType<typeof byteWritable>;
  readonly stderr: BoundedTail;
  exit: ExitInfo | undefined;
  spawnErrorCode: string | undefined;
  readonly #child: ChildProcess | undefined;
  readonly #group: ProcessGroup | undefined;
  readonly #stderrPipe: Readable;
  readonly #clock: Clock;
  readonly #polls = new Set<Poll>();
  #callbacks: SpawnOptions | undefined;

  constructor(options: SpawnOptions, child: ChildProcess | undefined) {
    this.#callbacks = options;
    this.#clock = options.clock;
    this.#child = child;
    this.pid = child?.pid;
    // Node leaves the pipes out when it could not even open them.
    this.readable = byteReadable(child?.stdout ?? noPipe());
    this.writable = byteWritable(child?.stdin ?? noPipe());
    this.#stderrPipe = child?.stderr ?? noPipe();
    this.stderr = new BoundedTail(options.stderrTailBytes ?? STDERR_TAIL_BYTES);
    this.#drainStderr();
    if (this.pid !== undefined) this.#group = this.#lead(this.pid);
    child?.once('spawn', () => this.#callbacks?.onSpawned());
    child?.on('error', (error) => this.spawnFailed(error));
    // Not 'close': whoever inherited the pipes can hold them open for ever.
    child?.once('exit', (code, signal) => this.#exited({ code, signal }));
  }

  spawnFailed(error: unknown): void {
    if (this.pid !== undefined || this.spawnErrorCode !== undefined) return;
    this.spawnErrorCode = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
    this.#callbacks?.onSpawnFailed();
  }

  signalGroup(signal: EndSignal): boolean {
    return this.#group?.signal(signal) ?? false;
  }

  groupAlive(): boolean {
    return this.#group?.alive() ?? false;
  }

  whenGroupGone(done: () => void): () => void {
    const poll = pollUntilGone(
      () => this.groupAlive(),
      this.#clock,
      () => {
        this.#polls.delete(poll);
        done();
      },
    );
    this.#polls.add(poll);
    return () => {
      poll.stop();
      this.#polls.delete(poll);
    };
  }

  closeStdin(): void {
    this.writable.end();
  }

  dispose(): void {
    this.#callbacks = undefined;
    for (const poll of this.#polls) poll.stop();
    this.#polls.clear();
    this.readable.destroy();
    this.writable.destroy();
    this.#stderrPipe.destroy();
    this.#child?.unref();
  }

  /** From the moment of the fork, not from 'spawn': the program may end in between. */
  #lead(pid: number): ProcessGroup {
    const group = processGroup({ pid, leaderExited: () => this.exit !== undefined, onGone: () => release(group) });
    guard(group);
    return group;
  }

  #exited(exit: ExitInfo): void {
    this.exit = exit;
    this.groupAlive(); // the last process of a group takes itself out of the guard, also after `dispose`
    this.#callbacks?.onExit(exit);
    for (const poll of [...this.#polls]) poll.look();
  }

  #drainStderr(): void {
    const decoder = new StringDecoder('utf8');
    const tell = (text: string): void => {
      if (text !== '') this.#callbacks?.onStderr?.(text);
    };
    this.#stderrPipe.on('error', () => {}); // the tail is what was read until then
    this.#stderrPipe.on('data', (chunk: Buffer) => {
      this.stderr.append(chunk);
      tell(decoder.write(chunk));
    });
    this.#stderrPipe.on('end', () => tell(decoder.end()));
  }
}
