import { Roster } from '../framing/roster.js';

/** Tells subscribers that something changed: once the transition is over, since no code of theirs runs inside a chart. */
export class Notifier {
  readonly #subscribers = new Roster<() => void>();
  #telling = false;

  /** Gives the function that ends it. */
  subscribe(fn: () => void): () => void {
    return this.#subscribers.add(fn);
  }

  tell(): void {
    if (this.#subscribers.empty || this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      for (const fn of this.#subscribers.all()) {
        try {
          fn();
        } catch {
          // A subscriber is told, not asked.
        }
      }
    });
  }
}
