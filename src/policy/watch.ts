import type { Clock } from '../framing/clock.js';
import { alarm } from '../framing/alarm.js';
import type { Terms } from './terms.js';

/** Of the connection that the wait is on. Reading a frame sets the number and calls nobody. */
export interface Pulse {
  /** The clock's time of the newest valid frame; when the connection began, before the first. */
  readonly lastFrameAt: number;
}

export interface BudgetReport {
  bound: 'idle' | 'absolute' | 'request-limit';
  /** The bounds in force, clamped to the floor; `Infinity` where there was none. */
  idleMs: number;
  absoluteMs: number;
  /** Since the call, or the first use of its budget, began. */
  elapsedMs: number;
  sinceLastFrameMs: number;
}

/** A bound of a wait and what is left of it, in ms. */
export interface Left {
  ms: number;
  leftMs: number;
}

export interface WatchReading {
  /** Absent: no such bound. */
  idle?: Left;
  absolute?: Left;
  /** The idle clock stands still. */
  paused: boolean;
}

export interface WatchOptions {
  clock: Clock;
  pulse: Pulse;
  terms: Terms;
  /** Called once, from a timer, unless `stop()` came first. */
  onFire: (report: BudgetReport) => void;
}

/** Why the idle clock stands still: our side holds the pipe, owes the agent an answer, or logs in. */
type Reason = 'held' | 'owed' | 'login';

/**
 * One wait, bounded. The idle clock counts from the start of the wait or the newest frame, whichever is later, and stands
 * still while paused; the absolute clock never does. Which of the two will fire is decided before sleeping and by their
 * moments, so that a late timer names the bound that came first; of two at the same moment the absolute one.
 *
 * There is one timer, and it is lazy: frames, pauses and resumes only move the idle moment later, so it is left to ring and
 * decides anew then.
 */
export class Watch {
  readonly #o: WatchOptions;
  /** How often each reason has paused it. */
  readonly #reasons: Record<Reason, number> = { held: 0, owed: 0, login: 0 };
  /** While the idle clock runs it reads `now - origin`. */
  #origin: number;
  /** What the idle clock reads while it stands still. */
  #held: number | undefined;
  /** The newest frame that the idle clock knows of. */
  #seen: number;
  /** The budget had fired before this wait began. */
  readonly #spent: boolean;
  #verdict: 'idle' | 'absolute' = 'absolute';
  /** `#origin` as it was when the timer was set. */
  #decidedOn = 0;
  #over = false;
  #disarm: () => void = () => undefined;
  /** Of whoever keeps a list of those that run. May be called again. */
  onStop: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.#o = options;
    this.#origin = options.clock.now();
    this.#seen = options.pulse.lastFrameAt;
    const fired = options.terms.budget?.fired;
    this.#spent = fired !== undefined;
    if (fired === undefined) this.#decide();
    else this.#sleep(fired, this.#origin);
  }

  /** Stops the idle clock until `why` is resumed as often as it was paused, and so is every other reason. */
  pause(why: Reason): void {
    if (this.#over || this.#spent) return;
    this.#reasons[why] += 1;
    if (this.#held !== undefined) return;
    this.#heed();
    this.#held = this.#o.clock.now() - this.#origin;
  }

  /** A reason that is not paused is none of ours: nothing happens. */
  resume(why: Reason): void {
    const reasons = this.#reasons;
    if (this.#over || reasons[why] === 0) return;
    reasons[why] -= 1;
    if (reasons.held + reasons.owed + reasons.login > 0 || this.#held === undefined) return;
    this.#heed();
    this.#origin = this.#o.clock.now() - this.#held;
    this.#held = undefined;
    // A timer set for the absolute moment would oversleep the idle one, which is back.
    if (this.#verdict === 'absolute') this.#decide();
  }

  /** Sets the absolute clock back: its whole length runs from now. The caller says how often that may be. */
  renew(): void {
    const { absolute } = this.#o.terms;
    if (!this.#over && !this.#spent && absolute) absolute.endsAt = this.#o.clock.now() + absolute.ms;
  }

  /** Idempotent. Nothing fires afterwards and no timer is left. */
  stop(): void {
    this.#over = true;
    this.#disarm();
    this.onStop();
  }

  /** How the wait stands. `bound` is the one that fired, else the one that would if nothing more came. */
  report(): BudgetReport {
    const { clock, pulse, terms } = this.#o;
    const now = clock.now();
    const term = this.#verdict === 'idle' ? terms.idle : terms.absolute;
    return {
      bound: term?.name ?? this.#verdict,
      idleMs: terms.idle?.ms ?? Infinity,
      absoluteMs: terms.absolute?.ms ?? Infinity,
      elapsedMs: now - terms.startedAt,
      sinceLastFrameMs: now - pulse.lastFrameAt,
    };
  }

  /** What is left of both clocks. */
  reading(): WatchReading {
    const { idle, absolute } = this.#o.terms;
    this.#heed();
    const now = this.#o.clock.now();
    const reading: WatchReading = { paused: this.#held !== undefined };
    const left = (ms: number): number => Math.max(0, ms);
    if (idle) reading.idle = { ms: idle.ms, leftMs: left(idle.ms - (this.#held ?? now - this.#origin)) };
    if (absolute) reading.absolute = { ms: absolute.ms, leftMs: left(absolute.endsAt - now) };
    return reading;
  }

  /** Sets the idle clock back if a frame came since it last looked. */
  #heed(): void {
    const frame = this.#o.pulse.lastFrameAt;
    if (frame <= this.#seen) return;
    this.#seen = frame;
    if (this.#held === undefined) this.#origin = frame;
    else this.#held = 0;
  }

  #decide(): void {
    const { idle, absolute } = this.#o.terms;
    this.#heed();
    const idleAt = idle === undefined || this.#held !== undefined ? Infinity : this.#origin + idle.ms;
    const absoluteAt = absolute?.endsAt ?? Infinity;
    if (absoluteAt <= idleAt) this.#sleep('absolute', absoluteAt);
    else this.#sleep('idle', idleAt);
  }

  #sleep(verdict: 'idle' | 'absolute', until: number): void {
    this.#disarm();
    this.#verdict = verdict;
    this.#decidedOn = this.#origin;
    this.#disarm = alarm(this.#o.clock, until, () => this.#ring());
  }

  #ring(): void {
    const { terms, onFire, clock } = this.#o;
    this.#heed();
    const moved = this.#held !== undefined || this.#origin !== this.#decidedOn;
    const renewed = this.#verdict === 'absolute' && (terms.absolute?.endsAt ?? 0) > clock.now();
    if (!this.#spent && (renewed || (this.#verdict === 'idle' && moved))) {
      this.#decide();
      return;
    }
    this.#over = true;
    terms.budget?.fire(this.#verdict);
    onFire(this.report());
  }
}

export const watch = (options: WatchOptions): Watch => new Watch(options);
