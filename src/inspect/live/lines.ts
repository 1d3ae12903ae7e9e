/** What the page is told: the lines of a recording, and a few more that only a live connection has. */
import type { Stats } from '../../rpc/stats.js';
import type { WaitSeen } from '../observer.js';
import type { RecordedLine } from '../recording.js';
import { shown } from '../redact.js';

export type LiveLine =
  | RecordedLine
  /** Frames that were counted and not shown, for they came too fast; `b` is their bytes. */
  | { t: number; gap: number; b: number }
  /** How counters and clocks stood. */
  | Tick;

export interface Tick {
  t: number;
  stats: Readonly<Stats>;
  waits: readonly WaitSeen[];
}

/** Waits that one tick tells of. */
const MOST_WAITS = 32;

/** Session ids are the agent's word. */
export const waitsShown = (waits: readonly WaitSeen[]): WaitSeen[] =>
  waits
    .slice(-MOST_WAITS)
    .map((wait) => (wait.sessionId === undefined ? wait : { ...wait, sessionId: String(shown(wait.sessionId)) }));
