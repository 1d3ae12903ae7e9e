/** Tells subscribers that something changed: once the transition is over, since no code of theirs runs inside a chart. */
export class Notifier {
  readonly #subscribers = new Set<() => void>();
  #telling = false;

  /** Gives the function that ends it. */
  subscribe(fn: () => void): () => void {
    // One registration, one entry, even of the same function.
    const own = (): void => fn();
    this.#subscribers.add(own);
    return () => void this.#subscribers.delete(own);
  }

  tell(): void {
    if (this.#subscribers.size === 0 || this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      for (const fn of [...this.#subscribers]) {
        try {
          fn();
        } catch {
          // A subscriber is told, not asked.
        }
      }
    });
  }
}
