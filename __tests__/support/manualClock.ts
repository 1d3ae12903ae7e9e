import type { Clock } from '../../src/framing/clock.js';

export interface ManualClock extends Clock {
  /** Timers that are armed. */
  pending(): number;
  /** Fires timers one by one, in due order, moving `now` to each: one advance may cross several. */
  advance(ms: number): void;
  /** As `advance`, letting promises settle before each timer and at the end. */
  run(ms: number): Promise<void>;
}

/** A turn of the event loop: every promise continuation that can run has run. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function manualClock(start = 0): ManualClock {
  let now = start;
  let next = 1;
  const timers = new Map<number, { at: number; fn: () => void }>();
  const due = (end: number): [number, { at: number; fn: () => void }] | undefined =>
    [...timers].filter(([, t]) => t.at <= end).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
  const fire = ([id, timer]: [number, { at: number; fn: () => void }]): void => {
    timers.delete(id);
    now = Math.max(now, timer.at);
    timer.fn();
  };
  return {
    now: () => now,
    setTimeout: (fn, ms) => {
      const id = next++;
      timers.set(id, { at: now + Math.max(0, ms), fn });
      return id;
    },
    clearTimeout: (handle) => void timers.delete(handle as number),
    pending: () => timers.size,
    advance(ms) {
      const end = now + ms;
      for (let timer = due(end); timer; timer = due(end)) fire(timer);
      now = end;
    },
    async run(ms) {
      const end = now + ms;
      await settle();
      for (let timer = due(end); timer; timer = due(end)) {
        fire(timer);
        await settle();
      }
      now = end;
      await settle();
    },
  };
}
