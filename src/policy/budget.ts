import type { Clock } from '../framing/clock.js';
import { BadArgument } from '../rpc/badArgument.js';

/** No bound is shorter: a bound of 0 leaves room for a local round trip instead of naming a deadline already passed. */
export const FLOOR_MS = 100;
export const DEFAULT_TURN_IDLE_MS = 900_000;
export const DEFAULT_TURN_ABSOLUTE_MS = 14_400_000;
export const DEFAULT_REQUEST_LIMIT_MS = 60_000;

export const atLeastFloor = (ms: number): number => Math.max(ms, FLOOR_MS);

export interface Bounds {
  /** Milliseconds without a frame. Left out, or `Infinity`: no idle bound. */
  idleMs?: number | undefined;
  /** Milliseconds in all. `Infinity`: none. Left out: the absolute bound of `turnBudget`. */
  absoluteMs?: number | undefined;
}

const isBound = (ms: unknown): boolean => ms === undefined || (typeof ms === 'number' && ms >= 0);

/** Which half of these bounds is no number of milliseconds, or `bounds` where they are no object at all. */
export function badBound(bounds: unknown): 'bounds' | 'idleMs' | 'absoluteMs' | undefined {
  if (typeof bounds !== 'object' || bounds === null) return 'bounds';
  const { idleMs, absoluteMs } = bounds as Record<string, unknown>;
  if (!isBound(idleMs)) return 'idleMs';
  return isBound(absoluteMs) ? undefined : 'absoluteMs';
}

/**
 * Bounds that several calls and agents can share. The absolute clock runs from the first use; once either bound has fired,
 * every later use fails at once with the same kind.
 */
export class Budget {
  /** As given; `Infinity` where it was left out. */
  readonly idleMs: number;
  readonly absoluteMs: number;
  readonly #absoluteGiven: boolean;
  #first: { clock: Clock; at: number } | undefined;
  #fired: 'idle' | 'absolute' | undefined;

  /** @throws BadArgument naming `idleMs` or `absoluteMs`. */
  constructor(bounds: Bounds) {
    const bad = badBound(bounds);
    if (bad !== undefined) throw new BadArgument(bad);
    this.idleMs = bounds.idleMs ?? Infinity;
    this.absoluteMs = bounds.absoluteMs ?? Infinity;
    this.#absoluteGiven = bounds.absoluteMs !== undefined;
  }

  /** @internal */
  get fired(): 'idle' | 'absolute' | undefined {
    return this.#fired;
  }

  /** @internal The first bound to fire is the one that all later uses report. */
  fire(bound: 'idle' | 'absolute'): void {
    this.#fired ??= bound;
  }

  /** @internal Starts the absolute clock unless it runs, and says when it started, in the time of the clock given. */
  start(clock: Clock): number {
    this.#first ??= { clock, at: clock.now() };
    // Two connections may keep different clocks, with different origins: what they share is how long ago it was.
    const { clock: first, at } = this.#first;
    return first === clock ? at : clock.now() - (first.now() - at);
  }

  /** @internal The absolute bound in force, given that of the connection's `turnBudget`. */
  absoluteOr(fallbackMs: number): number {
    return atLeastFloor(this.#absoluteGiven ? this.absoluteMs : fallbackMs);
  }

  /**
   * @internal Why a use that begins now fails at once, if it does: a bound that fired, or an absolute one that passed
   * while nobody waited. Does not start the clock.
   */
  spent(fallbackMs: number): 'idle' | 'absolute' | undefined {
    const first = this.#first;
    if (first !== undefined && first.clock.now() - first.at >= this.absoluteOr(fallbackMs)) this.fire('absolute');
    return this.#fired;
  }
}

/** What a call was given: a shared budget as it is, plain bounds as one of their own. */
export const budgetOf = (given: Budget | Bounds): Budget => (given instanceof Budget ? given : new Budget(given));

/** `turnBudget` with both halves: not given it is 15 min of silence and 4 h in all; a half left out follows `Bounds`. */
export function turnBounds(given: Bounds | undefined): { idleMs: number; absoluteMs: number } {
  if (given === undefined) return { idleMs: DEFAULT_TURN_IDLE_MS, absoluteMs: DEFAULT_TURN_ABSOLUTE_MS };
  return { idleMs: given.idleMs ?? Infinity, absoluteMs: given.absoluteMs ?? DEFAULT_TURN_ABSOLUTE_MS };
}
