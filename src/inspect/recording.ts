/** The form of a recording: JSON lines, each whole by itself, so that a crash costs at most the last one. */
import * as v from 'valibot';
import type { Decision } from '../policy/permission.js';
import type { TransitionSeen } from './observer.js';

export const RECORDING_VERSION = 1;

/** `t` is ms since the start. */
export type RecordedLine =
  | { t: number; recording: typeof RECORDING_VERSION; startedAt: string; text: boolean }
  /** `d`: from the agent (`in`) or to it (`out`). `b`: bytes of the line. */
  | { t: number; d: 'in' | 'out'; b: number; m: unknown }
  | { t: number; skipped: number }
  | { t: number; chart: string; actor: string; event: string; from: readonly string[]; to: readonly string[] }
  | { t: number; decision: Partial<Decision> }
  /** The file reached its cap; nothing more was kept. */
  | { t: number; full: true }
  | { t: number; closed: string };

export interface RecordedFrame {
  t: number;
  d: 'in' | 'out';
  b: number;
  m: Record<string, unknown>;
}

const Frame = v.looseObject({
  t: v.number(),
  d: v.picklist(['in', 'out']),
  b: v.number(),
  m: v.record(v.string(), v.unknown()),
});
const Header = v.looseObject({ recording: v.literal(RECORDING_VERSION), text: v.boolean() });

export interface Recording {
  /** Prompt and file text is in it. */
  text: boolean;
  frames: readonly RecordedFrame[];
  /** The last line was cut short: the recorder was killed. */
  cut: boolean;
}

/** `undefined`: not a recording. A line that cannot be read is left out; only the last may be cut. */
export function readRecording(source: string): Recording | undefined {
  const lines = source.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  });
  const header = v.safeParse(Header, parsed[0]);
  if (!header.success) return undefined;
  const frames = parsed.flatMap((line) => {
    const frame = v.safeParse(Frame, line);
    return frame.success ? [frame.output] : [];
  });
  return { text: header.output.text, frames, cut: parsed.at(-1) === undefined };
}

export const recordedTransition = (seen: TransitionSeen, t: number): RecordedLine => ({
  t,
  chart: seen.chart,
  actor: seen.actor,
  event: seen.event,
  from: seen.from,
  to: seen.to,
});
