/** One turn as the join knows it: what was asked, what was heard, and who waits for it. */
import type { Settlement } from '../../machines/index.js';
import type { Budget } from '../policy/budget.js';
import type { Decision } from '../policy/permission.js';
import type { BudgetReport, Watch } from '../policy/watch.js';
import { Transcript } from '../session/transcript.js';
import type { Update } from '../session/updates.js';
import type { NormalUpdate, Usage } from '../wire/normal.js';
import { deferred, type Deferred } from './deferred.js';
import type { AgentSaid } from './failure.js';
import type { TurnHeard, TurnResult } from './heard.js';
import { TurnReader } from './reader.js';

export interface TurnOrder {
  blocks: readonly unknown[];
  budget: Budget | undefined;
  /** Its budget is one that several calls share, and runs from its first use on. */
  shared: boolean;
  /** Wait for the session instead of being refused as busy. */
  queue: boolean;
  /** How many delivered steers may each set its absolute clock back; never that of a shared budget. */
  renewals: number;
}

export class TurnRun {
  readonly result: Deferred<TurnResult> = deferred();
  readonly sent: Deferred<boolean> = deferred();
  /** Settles when `session/cancel` was handed over, or will never be. */
  readonly cancelled: Deferred<void> = deferred();
  readonly reader = new TurnReader<Update>();
  readonly transcript = new Transcript();
  readonly permissions: Decision[] = [];
  /** What answers the elicitations that were asked in it and are open: they end with it. */
  readonly elicitations = new Set<() => void>();
  updates = 0;
  usage: Usage | undefined;
  watch: Watch | undefined;
  /** The bound that fired, if one did. */
  report: BudgetReport | undefined;
  /** Of an answer that failed the turn. */
  agentCode: number | undefined;
  said: AgentSaid | undefined;
  /** Why the login failed that was to follow a refusal by -32000. */
  cause: unknown;
  /** It was refused for want of a login, and may be sent once more. */
  retried = false;
  /** While that login is under way: the turn is refused without waiting for it. */
  refuseNow: (() => void) | undefined;
  /** Ends the wait for the caller's signal. */
  forgetSignal: () => void = () => {};

  order: TurnOrder = { blocks: [], budget: undefined, shared: false, queue: false, renewals: 0 };
  /** A steer of this turn is under way. */
  steering = false;
  #renewed = 0;

  constructor(readonly serial: number) {}

  /** A steer was delivered: the turn has more to do, and time for it as far as its caller allowed. */
  renew(): void {
    const { renewals, shared } = this.order;
    if (shared || this.#renewed >= renewals) return;
    this.#renewed += 1;
    this.watch?.renew();
  }

  /** An update of the turn, in order. A promise comes back while the reader is behind. */
  take(normal: NormalUpdate, update: Update, bytes: number): Promise<void> | undefined {
    this.updates += 1;
    if ((normal.kind === 'usage' || normal.kind === 'state') && normal.usage) this.usage = normal.usage;
    return this.reader.push(update, bytes);
  }

  heard(settlement: Pick<Settlement, 'cancelRequested'>): TurnHeard {
    const { text, toolCalls, truncated } = this.transcript.heard();
    return {
      text,
      toolCalls,
      truncated,
      usage: this.usage,
      permissions: [...this.permissions],
      updates: this.updates,
      unread: this.reader.unread + (this.reader.begun ? 0 : this.reader.waiting),
      cancelRequested: settlement.cancelRequested,
    };
  }
}
