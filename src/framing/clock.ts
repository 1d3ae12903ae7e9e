/** Time as the library sees it. Tests inject a stepping clock; nothing in `src/` touches a timer in any other way. */
export interface Clock {
  /** Milliseconds from an arbitrary origin; never runs backwards. */
  now(): number;
  setTimeout(fn: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};

/** Node fires a longer timer after 1 ms, so no single sleep is longer than this. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/** Lets everything else have its turn, timers first of all. It is no time, so that no clock steps it. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
