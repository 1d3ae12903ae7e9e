/** What can be watched of a connection, by a recorder or a live page. Off, it costs a comparison a frame. */
import type { Decision } from '../policy/permission.js';
import type { WatchReading } from '../policy/watch.js';
import type { Stats } from '../rpc/stats.js';

export interface FrameSeen {
  /** The clock's time, in ms. */
  at: number;
  /** `in`: from the agent. */
  direction: 'in' | 'out';
  /** The message, as it was parsed or will be written. Not to be changed. */
  message: object;
  bytes: number;
}

/** One transition of a chart, as the machine that runs took it. */
export interface TransitionSeen {
  at: number;
  /** From the root: `connection`, `connection/session.1/turn`. Slots are used again. */
  actor: string;
  chart: string;
  event: string;
  /** Ids of the states that were left for, and of those that were gone to: `turn.running`. */
  from: readonly string[];
  to: readonly string[];
  /** Ids of the leaf states after it. */
  states: readonly string[];
  status: string;
}

/** One wait for the agent, and what is left of its two clocks. */
export interface WaitSeen extends WatchReading {
  phase: 'spawn' | 'initialize' | 'authenticate' | 'session' | 'turn' | 'request' | 'close';
  sessionId?: string | undefined;
}

/** What an observer may look up while it watches: nobody is told of each change, for that would be one a frame. */
export interface Source {
  /** The clock's time, in ms. */
  now(): number;
  stats(): Readonly<Stats>;
  /** Every wait that is open, the oldest first. */
  waits(): readonly WaitSeen[];
}

/** None of these may keep what they are given for long, and what they throw is only counted. */
export interface Observer {
  /** A connection begins, before its first frame. */
  opened?(seen: { at: number; source: Source }): void;
  frame?(seen: FrameSeen): void;
  /** A line that was no message: of the agent, where no direction is given. */
  skipped?(seen: { at: number; line: string; direction?: 'in' | 'out' }): void;
  transition?(seen: TransitionSeen): void;
  decision?(seen: { at: number; decision: Decision }): void;
  /** The connection is over, and nothing more comes. */
  closed?(seen: { at: number; reason: string }): void;
}
