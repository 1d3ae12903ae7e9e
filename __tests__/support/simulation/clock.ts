import type { Clock } from '../../../src/index.js';

/** The only time of a world. Timers fire one by one, so that every one of them can be looked at. */
export class VirtualClock implements Clock {
  #now = 0;
  #next = 1;
  readonly #timers = new Map<number, { at: number; fn: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimeout(fn: () => void, ms: number): number {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#now + Math.max(0, ms), fn });
    return id;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer is due; undefined: there is none. */
  get nextAt(): number | undefined {
    let soonest: number | undefined;
    for (const { at } of this.#timers.values()) if (soonest === undefined || at < soonest) soonest = at;
    return soonest;
  }

  /** Moves to the next timer, if it is due by then, and fires it. */
  fireNext(until: number): boolean {
    let found: [number, { at: number; fn: () => void }] | undefined;
    for (const entry of this.#timers) if (found === undefined || entry[1].at < found[1].at) found = entry;
    if (found === undefined || found[1].at > until) return false;
    const [id, { at, fn }] = found;
    this.#timers.delete(id);
    this.#now = Math.max(this.#now, at);
    fn();
    return true;
  }

  moveTo(moment: number): void {
    this.#now = Math.max(this.#now, moment);
  }
}
