/** Hands what happens on a connection to whoever watches it. No watcher can break it, and none is asked while there is none. */
import type { InspectionEvent } from 'xstate';
import type { Clock } from '../framing/clock.js';
import type { Observer } from '../inspect/observer.js';
import { transitionOf } from '../inspect/transitions.js';
import type { Tap } from '../rpc/connection.js';
import type { Stats } from '../rpc/stats.js';

export class Observing {
  readonly #observers: readonly Observer[];
  readonly #clock: Clock;
  readonly #stats: Stats;

  constructor(o: { observers: readonly Observer[]; clock: Clock; stats: Stats }) {
    this.#observers = o.observers;
    this.#clock = o.clock;
    this.#stats = o.stats;
  }

  get active(): boolean {
    return this.#observers.length > 0;
  }

  /** For the wire; undefined where nobody watches. */
  get tap(): Tap | undefined {
    if (!this.active) return undefined;
    return {
      received: (message, bytes) => {
        const at = this.#clock.now();
        this.each((observer) => observer.frame?.({ at, direction: 'in', message, bytes }));
      },
      sent: (line) => {
        const at = this.#clock.now();
        const message = JSON.parse(line) as object;
        const bytes = Buffer.byteLength(line) - 1;
        this.each((observer) => observer.frame?.({ at, direction: 'out', message, bytes }));
      },
    };
  }

  /** For XState. */
  inspected(event: InspectionEvent): void {
    const seen = transitionOf(event, this.#clock.now());
    if (seen) this.each((observer) => observer.transition?.(seen));
  }

  each(tell: (observer: Observer) => void): void {
    for (const observer of this.#observers) {
      try {
        tell(observer);
      } catch {
        this.#stats.listenerErrors += 1;
      }
    }
  }
}
