/** Tells handlers that what they work for is over. The signal is made for the first who asks: most connections never need one. */
export class Lifetime {
  #controller: AbortController | undefined;
  #over = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Told when the transition is over: no code of the embedding program runs inside a chart. */
  end(): void {
    queueMicrotask(() => {
      this.#over = true;
      this.#controller?.abort();
    });
  }
}
