/** Watches one connection for the page: what happens becomes lines, and what comes too fast to be read becomes a count. */
import type { Decision } from '../../policy/permission.js';
import type { FrameSeen, Observer, Source, TransitionSeen } from '../observer.js';
import { decided } from '../recorder.js';
import { RECORDING_VERSION, recordedTransition } from '../recording.js';
import { bodyOf } from './body.js';
import { History } from './history.js';
import { waitsShown, type LiveLine, type Tick } from './lines.js';
import { Rate } from './rate.js';

/** A stored tick lets the page step back to how counters and clocks stood. */
const TICK_EVERY_MS = 1_000;
const PERMISSION = 'session/request_permission';

const questionKey = (direction: string, id: unknown): string => `${direction} ${typeof id} ${String(id)}`;

export interface FeedOptions {
  withText: boolean;
  /** Something was added. */
  changed: () => void;
  /** A connection began, or is over: whoever looks on should know at once. */
  turned: () => void;
}

export class Feed implements Observer {
  readonly history = new History();
  /** Counts the connections: lines of one are never taken for those of another. */
  run = 0;
  readonly #o: FeedOptions;
  #source: Source | undefined;
  #start: number | undefined;
  #lastTick = -Infinity;
  #decisions = 0;
  #gap = { frames: 0, bytes: 0 };
  #mute = new Map<string, TransitionSeen>();
  /** Notifications; they are what comes by the thousand. */
  readonly #notes = new Rate(200, 4);
  readonly #calls = new Rate(1_000, 20);
  readonly #steps = new Rate(1_000, 20);
  readonly #rest = new Rate(1_000, 10);

  constructor(options: FeedOptions) {
    this.#o = options;
  }

  /** None while nothing is connected. */
  get tick(): Tick | undefined {
    const source = this.#source;
    if (!source) return undefined;
    return { t: this.#t(source.now()), stats: source.stats(), waits: waitsShown(source.waits()) };
  }

  /** What was held back is told now: how many frames were not shown, and where the actors are. */
  settle(): void {
    this.#closeGap();
    for (const seen of this.#mute.values()) this.#step({ ...seen, from: [], to: [], event: '' });
    this.#mute.clear();
    const tick = this.tick;
    if (!tick || tick.t - this.#lastTick < TICK_EVERY_MS) return;
    this.#lastTick = tick.t;
    this.#add(tick);
  }

  opened = ({ at, source }: { at: number; source: Source }): void => {
    this.run += 1;
    this.history.clear();
    this.#mute.clear();
    this.#gap = { frames: 0, bytes: 0 };
    this.#source = source;
    this.#start = at;
    this.#lastTick = -Infinity;
    const startedAt = new Date().toISOString();
    this.#add({ t: 0, recording: RECORDING_VERSION, startedAt, text: this.#o.withText }, 'header');
    this.#o.turned();
  };

  frame = ({ at, direction, message, bytes }: FrameSeen): void => {
    const { id, method } = message as { id?: unknown; method?: unknown };
    if (!(id === undefined ? this.#notes : this.#calls).take(at)) {
      this.#gap.frames += 1;
      this.#gap.bytes += bytes;
      if (this.#gap.frames === 1) this.#o.changed();
      return;
    }
    this.#closeGap(at);
    const line = { t: this.#t(at), d: direction, b: bytes, m: bodyOf(message, bytes, this.#o.withText) };
    const asks = method === PERMISSION ? questionKey(direction, id) : undefined;
    const answers = method === undefined ? questionKey(direction === 'in' ? 'out' : 'in', id) : undefined;
    this.#add(line, asks ?? (method === undefined && id === 1 ? 'initialized' : undefined), answers);
  };

  skipped = ({ at, line }: { at: number; line: string }): void => {
    if (this.#rest.take(at)) this.#add({ t: this.#t(at), skipped: line.length });
  };

  transition = (seen: TransitionSeen): void => {
    if (!this.#steps.take(seen.at)) {
      this.#mute.set(seen.actor, seen);
      this.#o.changed();
      return;
    }
    this.#mute.delete(seen.actor);
    this.#step(seen);
  };

  decision = ({ at, decision }: { at: number; decision: Decision }): void => {
    if (this.#rest.take(at))
      this.#add({ t: this.#t(at), decision: decided(decision) }, `decision ${this.#decisions++}`);
  };

  closed = ({ at, reason }: { at: number; reason: string }): void => {
    this.#lastTick = -Infinity;
    this.settle();
    this.#add({ t: this.#t(at), closed: reason });
    this.#source = undefined;
    this.#o.turned();
  };

  #step(seen: TransitionSeen): void {
    this.#add(recordedTransition(seen, this.#t(seen.at)), `actor ${seen.actor}`);
  }

  #closeGap(at = this.#source?.now() ?? 0): void {
    const { frames, bytes } = this.#gap;
    if (frames === 0) return;
    this.#gap = { frames: 0, bytes: 0 };
    this.#add({ t: this.#t(at), gap: frames, b: bytes });
  }

  #t(at: number): number {
    this.#start ??= at;
    return Math.round((at - this.#start) * 10) / 10;
  }

  #add(line: LiveLine, key?: string, ends?: string): void {
    this.history.push({ json: JSON.stringify(line), key, ends });
    this.#o.changed();
  }
}
