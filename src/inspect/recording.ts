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
  /** A line that was no message, by its length; of the agent, where no direction is given. `line`: with text only. */
  | { t: number; d?: 'in' | 'out'; skipped: number; line?: string }
  | ({ t: number } & Omit<TransitionSeen, 'at'>)
  | { t: number; decision: { [K in keyof Decision]?: unknown } }
  /** The file reached its cap; nothing more was kept. */
  | { t: number; full: true }
  | { t: number; closed: string };

export interface RecordedFrame {
  /** Of the file, from 1. */
  line: number;
  t: number;
  d: 'in' | 'out';
  b: number;
  m: Record<string, unknown>;
}

/** A line on the wire that was no message. */
export interface RecordedGarbage {
  line: number;
  t: number;
  d: 'in' | 'out';
  chars: number;
}

const Time = v.number();
const Direction = v.picklist(['in', 'out']);
const Frame = v.looseObject({ t: Time, d: Direction, b: v.number(), m: v.record(v.string(), v.unknown()) });
const Skipped = v.looseObject({ t: Time, d: v.optional(Direction, 'in'), skipped: v.number() });
const Closed = v.looseObject({ closed: v.string() });
const Full = v.looseObject({ full: v.literal(true) });
const Header = v.looseObject({ recording: v.literal(RECORDING_VERSION), text: v.boolean() });
/** A line of `fixtures/captures`: what went over the pipe, to the letter. */
const Captured = v.looseObject({ t: Time, dir: v.picklist(['client', 'agent']), line: v.string() });

export interface Recording {
  /** Prompt and file text is in it. */
  text: boolean;
  frames: readonly RecordedFrame[];
  garbage: readonly RecordedGarbage[];
  /** The last line was cut short: the recorder was killed. */
  cut: boolean;
  /** The recorder reached its cap, and what came after is not in it. */
  full: boolean;
  /** Why the connection ended; undefined where the file does not say. */
  closed: string | undefined;
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a recording, or a transcript of `fixtures/captures`. `undefined`: it is neither. A line that cannot be read is left
 * out; only the last may be cut.
 */
export function readRecording(source: string): Recording | undefined {
  const lines = source.trimEnd().split('\n');
  const first = parse(lines[0] ?? '');
  const header = v.safeParse(Header, first);
  const captured = v.is(Captured, first);
  if (!header.success && !captured) return undefined;
  const frames: RecordedFrame[] = [];
  const garbage: RecordedGarbage[] = [];
  let [cut, full, closed] = [false, false, undefined as string | undefined];
  lines.forEach((text, index) => {
    if (text === '') return;
    const line = index + 1;
    const parsed = captured ? fromCapture(parse(text)) : parse(text);
    if (parsed === undefined) cut = index === lines.length - 1;
    const frame = v.safeParse(Frame, parsed);
    const skipped = v.safeParse(Skipped, parsed);
    if (frame.success) {
      const { t, d, b, m } = frame.output;
      frames.push({ line, t, d, b, m });
    } else if (skipped.success) {
      const { t, d, skipped: chars } = skipped.output;
      garbage.push({ line, t, d, chars });
    } else if (v.is(Full, parsed)) full = true;
    else if (v.is(Closed, parsed)) ({ closed } = parsed);
  });
  return { text: header.success ? header.output.text : true, frames, garbage, cut, full, closed };
}

function fromCapture(value: unknown): unknown {
  const captured = v.safeParse(Captured, value);
  if (!captured.success) return value;
  const { t, dir, line } = captured.output;
  const d = dir === 'agent' ? 'in' : 'out';
  const m = parse(line);
  if (isRecord(m)) return { t, d, b: Buffer.byteLength(line), m };
  return line.trim() === '' ? {} : { t, d, skipped: line.length };
}

export const recordedTransition = (seen: TransitionSeen, t: number): RecordedLine => ({
  t,
  chart: seen.chart,
  actor: seen.actor,
  event: seen.event,
  from: seen.from,
  to: seen.to,
  states: seen.states,
  status: seen.status,
});
