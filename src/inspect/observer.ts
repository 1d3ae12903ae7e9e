/** What can be watched of a connection, by a recorder or a live page. Off, it costs a comparison a frame. */
import type { Decision } from '../policy/permission.js';

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

/** None of these may keep what they are given for long, and what they throw is only counted. */
export interface Observer {
  frame?(seen: FrameSeen): void;
  /** A line that was no message. */
  skipped?(seen: { at: number; line: string }): void;
  transition?(seen: TransitionSeen): void;
  decision?(seen: { at: number; decision: Decision }): void;
  /** The connection is over, and nothing more comes. */
  closed?(seen: { at: number; reason: string }): void;
}
