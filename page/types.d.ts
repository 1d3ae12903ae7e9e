/** What the page is told, by the types of what tells it. */
import type { Decision, Stats, TransitionSeen, WaitSeen } from '../src/index.js';

export type { Decision, Stats, TransitionSeen, WaitSeen };

export interface HeaderLine {
  t: number;
  recording: number;
  startedAt: string;
  text: boolean;
}
export interface FrameLine {
  t: number;
  d: 'in' | 'out';
  b: number;
  m: Record<string, any>;
}
export type StepLine = { t: number } & Omit<TransitionSeen, 'at'>;
export interface DecisionLine {
  t: number;
  decision: Partial<Decision>;
}
export interface GapLine {
  t: number;
  gap: number;
  b: number;
}
export interface Tick {
  t: number;
  stats: Stats;
  waits: WaitSeen[];
}
export interface SkippedLine {
  t: number;
  skipped: number;
}
export interface FullLine {
  t: number;
  full: true;
}
export interface ClosedLine {
  t: number;
  closed: string;
}

/** One thing that happened, as it is listed and stepped through. */
export type Entry = {
  n: number;
  t: number;
  /** Lower case: what the filter looks in. */
  search?: string;
} & (
  | { kind: 'header'; line: HeaderLine }
  | { kind: 'frame'; line: FrameLine; about: About }
  | { kind: 'step'; line: StepLine }
  | { kind: 'decision'; line: DecisionLine }
  | { kind: 'gap'; line: GapLine }
  | { kind: 'tick'; line: Tick }
  | { kind: 'skipped'; line: SkippedLine }
  | { kind: 'full'; line: FullLine }
  | { kind: 'closed'; line: ClosedLine }
);

/** A frame in words. */
export interface About {
  form: 'request' | 'answer' | 'refusal' | 'update' | 'notification';
  /** Of an answer: of what it answers, where that was seen. */
  method: string;
  /** What kind of update, or whom it concerns. */
  detail: string;
  id: string;
  sessionId: string;
  /** Of an answer: ms since its request. */
  after?: number;
}

export interface Actor {
  path: string;
  chart: string;
  states: readonly string[];
  status: string;
  t: number;
}

export interface Question {
  key: string;
  t: number;
  id: string;
  sessionId: string;
  toolCallId: string;
  toolKind: string;
  title: string;
  options: string[];
}
