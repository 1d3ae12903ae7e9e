import type { Clock } from '../framing/clock.js';
import { atLeastFloor, type Budget } from './budget.js';

/** Fires after `ms` in which no frame came. */
export interface IdleTerm {
  ms: number;
  name: 'idle' | 'request-limit';
}
/** Fires at the moment `endsAt` of the clock, `ms` after it began. */
export interface AbsoluteTerm {
  endsAt: number;
  ms: number;
  name: 'absolute' | 'request-limit';
}
/** What bounds one wait. Neither term: it is not bounded by time. */
export interface Terms {
  idle?: IdleTerm;
  absolute?: AbsoluteTerm;
  /** When the call, or the first use of its budget, began. */
  startedAt: number;
  /** Told when a bound of it fires. */
  budget?: Budget;
}

const idleTerm = (ms: number, name: IdleTerm['name']): { idle?: IdleTerm } =>
  ms === Infinity ? {} : { idle: { ms, name } };

const absoluteTerm = (startedAt: number, ms: number, name: AbsoluteTerm['name']): { absolute?: AbsoluteTerm } =>
  ms === Infinity ? {} : { absolute: { endsAt: startedAt + ms, ms, name } };

/** The wait of a call with a budget, and of a turn without one (a fresh budget of `turnBudget`). Starts the budget. */
export function termsFor(budget: Budget, clock: Clock, turnAbsoluteMs: number): Terms {
  const startedAt = budget.start(clock);
  return {
    startedAt,
    ...idleTerm(atLeastFloor(budget.idleMs), 'idle'),
    ...absoluteTerm(startedAt, budget.absoluteOr(turnAbsoluteMs), 'absolute'),
    budget,
  };
}

/** The wait of any other call without a budget. */
export function requestLimit(ms: number, clock: Clock): Terms {
  const startedAt = clock.now();
  return { startedAt, ...absoluteTerm(startedAt, atLeastFloor(ms), 'request-limit') };
}

/** Load and replay without a budget: every frame of a long history is progress, so the limit counts from the last one. */
export function loadLimit(requestLimitMs: number, turnAbsoluteMs: number, clock: Clock): Terms {
  const startedAt = clock.now();
  return {
    startedAt,
    ...idleTerm(atLeastFloor(requestLimitMs), 'request-limit'),
    ...absoluteTerm(startedAt, atLeastFloor(turnAbsoluteMs), 'absolute'),
  };
}
