/** One prompt turn, as its caller holds it. */
import type { CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import type { TurnResult } from '../join/heard.js';
import type { Seat } from '../join/seat.js';
import { steer, type SteerVerdict } from '../join/steering.js';
import type { TurnRun } from '../join/turnRun.js';
import type { Gate } from './gate.js';
import type { Update } from '../session/updates.js';

/**
 * A turn. Iterate it for its updates (one reader, back-pressured down to the agent's pipe; `break` stops reading, not the
 * turn), or just await `result`. `await using` cancels a turn that is not over.
 */
export interface Turn extends AsyncIterable<Update, void>, AsyncDisposable {
  /** True when `session/prompt` was written; false when it never will be. Never rejects. */
  readonly sent: Promise<boolean>;
  /** How the turn ended. Rejects with an `AcpError` when it failed or was refused; `error.turn` has what was heard. */
  readonly result: Promise<TurnResult>;
  /** Asks the agent to stop (`session/cancel`). Resolves when that is written; at once when there is nothing to cancel. */
  cancel(): Promise<void>;
  /**
   * Puts words into the turn that runs, where the agent advertises `_meta.steering` (else `capability-absent`). The verdict is
   * the agent's own; without one it is `unknown`, also when the connection is lost. One at a time, else `busy`; a turn that does
   * not run, or is being cancelled: `illegal-transition`. See `PromptOptions.steerRenewals`.
   */
  steer(textOrBlocks: string | readonly unknown[], options?: CallOptions): Promise<SteerVerdict>;
}

export class TurnHandle implements Turn {
  readonly #hub: Hub;
  readonly #seat: Seat;
  readonly #gate: Gate;
  readonly #run: TurnRun;

  constructor(hub: Hub, seat: Seat, gate: Gate, run: TurnRun) {
    this.#hub = hub;
    this.#gate = gate;
    this.#seat = seat;
    this.#run = run;
  }

  get sent(): Promise<boolean> {
    return this.#run.sent.promise;
  }

  get result(): Promise<TurnResult> {
    return this.#run.result.promise;
  }

  cancel(): Promise<void> {
    return this.#hub.turns.cancel(this.#seat, this.#run);
  }

  async steer(textOrBlocks: string | readonly unknown[], options?: CallOptions): Promise<SteerVerdict> {
    this.#gate.call(options, 'turn');
    const blocks = this.#gate.blocks(textOrBlocks, undefined, this.#seat.id);
    return steer(this.#hub.link, this.#seat, this.#run, blocks, options);
  }

  [Symbol.asyncIterator](): AsyncIterator<Update, void> {
    const { reader } = this.#run;
    const { link } = this.#hub;
    if (reader.begun || reader.missed) {
      const state = reader.begun ? 'read' : 'missed';
      throw link.error({ kind: 'illegal-transition', phase: 'turn', sessionId: this.#seat.id, state });
    }
    reader.begin();
    return {
      next: () => reader.next(),
      return: () => {
        reader.leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
    await this.#run.result.promise.then(
      () => {},
      () => {},
    );
  }
}
