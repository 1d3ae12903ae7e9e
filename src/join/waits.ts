/** Everything of a connection that somebody waits for and that no chart settles: told when the connection goes. */
import type { Loss } from '../../machines/index.js';

type Lose = (loss: Loss) => void;

export class Waits {
  readonly #open = new Set<Lose>();

  /** Gives the function that takes the wait out again. */
  add(lose: Lose): () => void {
    this.#open.add(lose);
    return () => void this.#open.delete(lose);
  }

  lose(loss: Loss): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const lose of open) lose(loss);
  }
}
