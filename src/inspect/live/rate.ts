/** How many of a kind are shown: a burst at once, then so many a window. What is over it is for the caller to count. */
const WINDOW_MS = 100;

export class Rate {
  #left: number;
  #windowEnds = -Infinity;

  constructor(
    readonly burst: number,
    readonly perWindow: number,
  ) {
    this.#left = burst;
  }

  take(at: number): boolean {
    if (at >= this.#windowEnds) {
      const windows = Number.isFinite(this.#windowEnds) ? 1 + Math.floor((at - this.#windowEnds) / WINDOW_MS) : 0;
      this.#left = Math.min(this.burst, this.#left + windows * this.perWindow);
      this.#windowEnds = at + WINDOW_MS;
    }
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }
}
