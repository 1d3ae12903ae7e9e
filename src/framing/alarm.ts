import { LONGEST_SLEEP_MS, type Clock } from './clock.js';

/**
 * Calls `fn` once, not before the moment `at` of the clock. A moment that has passed still rings from a timer, never from
 * inside this call; `Infinity` never rings and arms nothing. Returns what disarms it.
 */
export function alarm(clock: Clock, at: number, fn: () => void): () => void {
  if (at === Infinity) return () => undefined;
  let handle: unknown;
  const sleep = (): void => {
    const left = at - clock.now();
    // Runtimes cut fractions of a millisecond off and may wake early: less than one is not worth another round.
    handle = clock.setTimeout(wake, left <= 0 ? 0 : Math.min(Math.max(left, 1), LONGEST_SLEEP_MS));
  };
  const wake = (): void => {
    if (clock.now() < at) sleep();
    else fn();
  };
  sleep();
  return () => clock.clearTimeout(handle);
}

/** The same, `ms` from now. */
export const arm = (clock: Clock, ms: number, fn: () => void): (() => void) => alarm(clock, clock.now() + ms, fn);
