/** Everything of a connection that somebody waits for and that no chart settles: told when the connection goes. */
import type { Loss } from '../../machines/index.js';
import { Roster } from '../framing/roster.js';

type Lose = (loss: Loss) => void;

export class Waits {
  #open = new Roster<Lose>();

  /** Gives the function that takes the wait out again. */
  add(lose: Lose): () => void {
    return this.#open.add(lose);
  }

  lose(loss: Loss): void {
    const open = this.#open.all();
    this.#open = new Roster();
    for (const lose of open) lose(loss);
  }
}
