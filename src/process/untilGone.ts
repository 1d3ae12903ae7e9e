import type { Clock } from '../framing/clock.js';

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 100;
const BACKOFF = 1.25;

export interface Poll {
  /** Looks now instead of at the next poll. */
  look(): void;
  stop(): void;
}

/** No system call waits for a group that is not all our children. `done` is called once, never before this has returned. */
export function pollUntilGone(alive: () => boolean, clock: Clock, done: () => void): Poll {
  let over = false;
  let delayMs = FIRST_POLL_MS;
  let timer: unknown;
  const stop = (): void => {
    over = true;
    clock.clearTimeout(timer);
  };
  const look = (): void => {
    if (over || alive()) return;
    stop();
    done();
  };
  const poll = (): void => {
    look();
    if (over) return;
    timer = clock.setTimeout(poll, delayMs);
    delayMs = Math.min(LONGEST_POLL_MS, delayMs * BACKOFF);
  };
  queueMicrotask(poll);
  return { look, stop };
}
