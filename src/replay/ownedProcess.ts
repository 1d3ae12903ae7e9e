/** An agent's process outside of a connection: the process chart decides how it is ended, as it does for the library. */
import { createActor } from 'xstate';
import { processMachine } from '../../machines/index.js';
import type { Clock } from '../framing/clock.js';
import { type AgentProcess, type ExitInfo, spawnAgent } from '../process/agentProcess.js';

export interface OwnedOptions {
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  clock: Clock;
  /** How long it may take to leave once its stdin was closed by `close`; then SIGTERM, and SIGKILL. */
  closeGraceMs: number;
  inheritStderr?: boolean | undefined;
  /** Resolves when what the agent had written before it exited was read. */
  drained: () => Promise<void>;
}

export interface Left {
  /** Undefined: it could not be started, or could not be ended. */
  exit: ExitInfo | undefined;
  /** It could not be started, and why, as the system's code. */
  spawnErrorCode: string | undefined;
}

export class OwnedProcess {
  readonly process: AgentProcess;
  /** Nobody of its group is left. */
  readonly left: Promise<Left>;
  readonly #close: () => void;

  /** Starts it. Never throws. */
  constructor(options: OwnedOptions) {
    const { clock, closeGraceMs, drained } = options;
    let stopPolling = (): void => {};
    const start = (): AgentProcess =>
      spawnAgent({
        ...options,
        onSpawned: () => actor.send({ type: 'process.spawned' }),
        onSpawnFailed: () => actor.send({ type: 'process.spawnFailed' }),
        onExit: () => void drained().then(exited),
      });
    const exited = (): void => {
      const groupGone = !owned.groupAlive();
      actor.send({ type: 'process.exited', groupGone });
      if (!groupGone) stopPolling = owned.whenGroupGone(() => actor.send({ type: 'process.gone' }));
    };
    const actor = createActor(
      processMachine.provide({
        actions: {
          spawn: () => {},
          reportRunning: () => {},
          reportDeath: () => {},
          closeInput: () => owned.closeStdin(),
          signalGroup: (_, { signal }) => void owned.signalGroup(signal),
        },
      }),
      {
        input: { closeGraceMs },
        clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
      },
    );
    this.left = new Promise((resolve) => {
      actor.subscribe({
        complete: () => {
          stopPolling();
          resolve({ exit: owned.exit, spawnErrorCode: owned.spawnErrorCode });
        },
      });
    });
    actor.start();
    const owned = start();
    this.process = owned;
    this.#close = () => actor.send({ type: 'user.close' });
  }

  /** Ends it in stages, of which `left` is the end. Idempotent. */
  close(): void {
    this.#close();
  }
}
