/** A capture, played once for each of many faults, and what is wrong with any of them. */
import type { Capture } from './capture.js';
import type { Fault } from './faults.js';
import { faultsOf } from './judge.js';
import { replay, type Replay } from './replay.js';

export class Variants {
  readonly #capture: Capture;
  #whole: Promise<Replay> | undefined;

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  /** Without any fault. */
  get whole(): Promise<Replay> {
    this.#whole ??= replay(this.#capture);
    return this.#whole;
  }

  /** What each of the faults brings to light, behind the fault: whatever must hold of every replay, and what `judge` says. */
  async wrongs(faults: readonly Fault[], judge: (played: Replay, whole: Replay) => string[]): Promise<string[]> {
    const whole = await this.whole;
    const found: string[] = [];
    for (const fault of faults) {
      const played = await replay(this.#capture, fault);
      const wrongs = [...faultsOf(played), ...judge(played, whole)];
      found.push(...wrongs.map((wrong) => `${JSON.stringify(fault)}: ${wrong}`));
    }
    return found;
  }

  /** One fault for every frame that the agent says. */
  async afterEachFrame(how: 'cut' | 'stall'): Promise<Fault[]> {
    const { peer } = await this.whole;
    return Array.from({ length: peer.frames }, (_, i) => ({ after: { frames: i + 1, how } }));
  }
}
