/** An agent's process that does what a path says, and knows how a process has to be asked to leave. */
import type { AgentProcess, ExitInfo, SpawnOptions } from '../../../src/process/agentProcess.js';
import type { Bookkeeper } from './bookkeeper.js';

/** The stages of the shut-down, in milliseconds (rule: end of stdin, then SIGTERM, then SIGKILL). */
export const CLOSE_GRACE_MS = 3_000;
export const TERM_GRACE_MS = 2_000;
export const KILL_GRACE_MS = 2_000;

export class FakeProcess implements AgentProcess {
  readonly pid = 4_242;
  readonly readable: AgentProcess['readable'];
  readonly writable: AgentProcess['writable'];
  readonly stderr = { tail: (): string => '' };
  exit: ExitInfo | undefined;
  readonly wrongs: string[] = [];
  readonly signals: { signal: string; at: number }[] = [];
  /** The leader is gone, since when. */
  exitedAt: number | undefined;
  groupGone = false;
  started = false;
  /** A chart or a port of the client is broken: it ends what it can, at once. */
  broken = false;
  #failed = false;
  #callbacks: SpawnOptions | undefined;
  #whenGone: (() => void) | undefined;

  constructor(
    readonly options: SpawnOptions,
    readonly script: Bookkeeper,
  ) {
    this.#callbacks = options;
    ({ readable: this.readable, writable: this.writable } = script.transport);
  }

  get disposed(): boolean {
    return this.#callbacks === undefined;
  }

  /** Nobody of it is left, or ever was. */
  get over(): boolean {
    return this.#failed || this.groupGone;
  }

  // --- what happens to it ---

  spawned(): void {
    this.started = true;
    this.#callbacks?.onSpawned();
  }

  failed(): void {
    this.#failed = true;
    this.#callbacks?.onSpawnFailed();
  }

  /** The leader exits; unless it was the last of its group, somebody holds its pipe. */
  exits(groupGone: boolean): void {
    this.exit = { code: 0, signal: null };
    this.exitedAt = this.options.clock.now();
    this.groupGone = groupGone;
    if (groupGone) this.script.pipe.end();
    this.#callbacks?.onExit(this.exit);
  }

  /** So does the last one that it left behind. */
  goes(): void {
    this.groupGone = true;
    this.script.pipe.end();
    if (!this.disposed) this.#whenGone?.();
  }

  // --- what the client does to it ---

  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    const at = this.options.clock.now();
    const { wrongs, signals, script } = this;
    if (this.groupGone) wrongs.push(`${signal} to nobody`);
    if (signals.some((sent) => sent.signal === signal)) wrongs.push(`a second ${signal}`);
    const term = signals.find((sent) => sent.signal === 'SIGTERM');
    if (this.broken) {
      // No stages any more.
    } else if (signal === 'SIGTERM') {
      const asked = script.stdinEndedAt;
      const patient = asked !== undefined && at - asked >= CLOSE_GRACE_MS;
      if (!patient && this.exitedAt === undefined) wrongs.push('SIGTERM before the close grace was over');
    } else if (!term || at - term.at < TERM_GRACE_MS) {
      wrongs.push('SIGKILL before the grace after SIGTERM was over');
    }
    signals.push({ signal, at });
    return !this.groupGone;
  }

  groupAlive(): boolean {
    return !this.over;
  }

  whenGroupGone(done: () => void): () => void {
    this.#whenGone = done;
    return () => (this.#whenGone = undefined);
  }

  closeStdin(): void {
    this.wrongs.push('stdin is closed by the wire, behind what is queued, and not here');
  }

  dispose(): void {
    this.#callbacks = undefined;
  }

  /** Nothing of it may be left: it went by itself, or was killed. */
  left(): string[] {
    const killed = this.signals.some(({ signal }) => signal === 'SIGKILL');
    return [
      ...(this.disposed ? [] : ['a process was not let go']),
      ...(this.over || killed ? [] : ['a process was left alive']),
    ];
  }
}
