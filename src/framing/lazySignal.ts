/** An abort signal that is made for the first who asks: it is dear, and most that is handed one never looks at it. */
export class LazySignal {
  #controller: AbortController | undefined;
  #aborted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}
