/**
 * The agent's process, or the byte streams that stand in for one.
 *
 * THEORY OF OPERATION. A connection invokes one of these while it lives. The chart decides only *how hard* we are
 * asking the agent to leave; it never sees a byte. Shutting down has three stages, each bounded by a named delay:
 * stdin is closed, the process group is sent SIGTERM, the group is sent SIGKILL. A stage ends early when nobody is left.
 * The leader of the group may exit by itself at any time; what it leaves behind (grandchildren that hold our pipe) is
 * ended from SIGTERM on, because there is no stdin left to close. Over a caller's own transport there is no process:
 * the effects close and cancel the streams, and "exited" means that the readable side ended.
 *
 * `process.exited` is sent when the leader is gone *and* what it wrote has been read, so that nothing it said is lost.
 */
import { assign, setup } from 'xstate';

export interface ProcessInput {
  /** How long the agent may take to leave after its stdin was closed. */
  closeGraceMs: number;
}

export interface ProcessContext extends ProcessInput {
  /** Did the operating system start it? */
  spawned: boolean;
}

export type ProcessEvent =
  /** The operating system started the command (over a transport: at once). */
  | { type: 'process.spawned' }
  /** It could not: no such command, no permission, no such folder. */
  | { type: 'process.spawnFailed' }
  /** The leader exited and its output was read; `groupGone`: and nobody of its group is left. */
  | { type: 'process.exited'; groupGone: boolean }
  /** The last member of the group is gone. */
  | { type: 'process.gone' }
  /** The connection wants it to end. */
  | { type: 'user.close' };

export interface ProcessOutput {
  leaves: 'exited' | 'neverSpawned';
}

const TERM_GRACE_MS = 2_000;
const KILL_GRACE_MS = 2_000;

export const processMachine = setup({
  types: {
    context: {} as ProcessContext,
    events: {} as ProcessEvent,
    input: {} as ProcessInput,
    output: {} as ProcessOutput,
    meta: {} as { wire?: string },
  },
  actions: {
    /** Start the command; answers with `process.spawned` or `process.spawnFailed`. */
    spawn: () => {},
    /** Tell the connection that frames may flow. */
    reportRunning: () => {},
    /** Tell the connection that the agent is dead although others of its group are not. */
    reportDeath: () => {},
    closeInput: () => {},
    signalGroup: (_, _params: { signal: 'SIGTERM' | 'SIGKILL' }) => {},
  },
  guards: {
    nobodyLeft: (_, params: { groupGone: boolean }) => params.groupGone,
  },
  delays: {
    closeGrace: ({ context }) => context.closeGraceMs,
    termGrace: TERM_GRACE_MS,
    killGrace: KILL_GRACE_MS,
  },
}).createMachine({
  id: 'process',
  context: ({ input }) => ({ ...input, spawned: false }),
  initial: 'spawning',
  output: ({ context }) => ({ leaves: context.spawned ? 'exited' : 'neverSpawned' }),
  states: {
    spawning: {
      description: 'The command has been handed to the operating system; nothing is on the wire yet.',
      entry: 'spawn',
      on: {
        'process.spawned': { target: 'running', actions: assign({ spawned: true }) },
        'process.spawnFailed': 'exited',
        'user.close': 'stdinClosed',
      },
    },
    running: {
      description: 'The agent runs and its pipes are open.',
      entry: 'reportRunning',
      on: {
        'process.exited': [
          { guard: { type: 'nobodyLeft', params: ({ event }) => ({ groupGone: event.groupGone }) }, target: 'exited' },
          { target: 'terminating', actions: 'reportDeath' },
        ],
        'user.close': 'stdinClosed',
      },
    },
    stdinClosed: {
      description: 'First stage: the end of stdin is the protocol’s own way to ask an agent to leave.',
      entry: 'closeInput',
      after: { closeGrace: 'terminating' },
      on: {
        'process.spawned': { actions: assign({ spawned: true }) },
        'process.spawnFailed': 'exited',
        'process.exited': [
          { guard: { type: 'nobodyLeft', params: ({ event }) => ({ groupGone: event.groupGone }) }, target: 'exited' },
          { target: 'terminating' },
        ],
      },
    },
    terminating: {
      description: 'Second stage: SIGTERM to the whole group.',
      entry: { type: 'signalGroup', params: { signal: 'SIGTERM' } },
      after: { termGrace: 'killing' },
      on: {
        'process.gone': 'exited',
        'process.exited': {
          guard: { type: 'nobodyLeft', params: ({ event }) => ({ groupGone: event.groupGone }) },
          target: 'exited',
        },
      },
    },
    killing: {
      description: 'Third stage: SIGKILL to the whole group. What survives it cannot be waited for.',
      entry: { type: 'signalGroup', params: { signal: 'SIGKILL' } },
      after: { killGrace: 'exited' },
      on: {
        'process.gone': 'exited',
        'process.exited': {
          guard: { type: 'nobodyLeft', params: ({ event }) => ({ groupGone: event.groupGone }) },
          target: 'exited',
        },
      },
    },
    exited: {
      description: 'Nobody of the group is left, or nobody ever was.',
      type: 'final',
    },
  },
});
