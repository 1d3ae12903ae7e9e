import { LONGEST_SLEEP_MS, type Clock } from './clock.js';

/** Calls `fn` once, `ms` from now, and gives what takes that back. `Infinity` never comes and arms no timer. */
export function arm(clock: Clock, ms: number, fn: () => void): () => void {
  if (ms === Infinity) return () => {};
  let left = ms;
  let handle: unknown;
  const sleep = (): void => {
    const nap = Math.min(left, LONGEST_SLEEP_MS);
    left -= nap;
    handle = clock.setTimeout(() => (left > 0 ? sleep() : fn()), nap);
  };
  sleep();
  return () => clock.clearTimeout(handle);
}
