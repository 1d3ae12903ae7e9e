/** One session of an agent, as the embedding program holds it. */
import type { Snapshot, Subscription } from 'xstate';
import type { CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import type { Seat, SessionState } from '../join/seat.js';
import { select, setConfigOption, type Selection } from '../join/selection.js';
import { Budget, budgetOf } from '../policy/budget.js';
import { cancelItem } from '../join/items.js';
import type { SessionFacts } from '../session/info.js';
import type { SessionOptions as Offered } from '../session/options.js';
import type { Gate } from './gate.js';
import { loggedIn } from './loggedIn.js';
import { TurnHandle, type Turn } from './turn.js';

export interface PromptOptions extends CallOptions {
  /** Prepared context: its own block before the authored text, as a resource where the agent takes those. */
  context?: unknown;
  /** Wait for the session to be free instead of being refused as `busy`. */
  queue?: boolean | undefined;
  /**
   * How many delivered steers may each set the turn's absolute clock back to its whole length: none by default, 10 at most, so
   * that no turn is longer than eleven times its bound. A budget that several calls share is never set back.
   */
  steerRenewals?: number | undefined;
}

const MOST_RENEWALS = 10;

export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly origin: 'new' | 'load' | 'resume';
  readonly state: SessionState;
  /** The turn that runs, if any. */
  readonly turn: Turn | undefined;
  /** Tells of each change of state, options or commands. Gives the function that ends it. */
  subscribe(fn: () => void): () => void;
  /** The XState actor, read-only. */
  readonly actor: {
    getSnapshot(): Snapshot<unknown>;
    subscribe(fn: (snapshot: Snapshot<unknown>) => void): Subscription;
  };
  /** What can be selected and what is in effect, in the agent's own spelling. */
  readonly options: Offered;
  /** Names of the slash commands, in the agent's order. */
  readonly commands: readonly string[];
  /** What the agent told of it: title, how full the context is, what it cost. */
  readonly info: Readonly<SessionFacts>;
  /**
   * Model, effort, mode, in this order, stopping at the first failure; gives what the agent says is in effect. Values are
   * matched exactly, effort also normalised. Rejects `invalid-argument` with `offered`, or `capability-absent`.
   */
  select(wanted: Selection, options?: CallOptions): Promise<Selection>;
  /** One config option by its id, exactly as advertised. Gives the value in effect. */
  setConfigOption(id: string, value: string | boolean, options?: CallOptions): Promise<string | boolean | undefined>;
  /**
   * v2 `tool_call/cancel`: one call, where its `cancellable` says so (else `capability-absent`). The turn goes on. Resolves when the
   * agent has accepted it; that the call has stopped is told by an update.
   */
  cancelToolCall(toolCallId: string, options?: CallOptions): Promise<void>;
  /** v2 `terminal/cancel`, likewise. */
  cancelTerminal(terminalId: string, options?: CallOptions): Promise<void>;
  /** One turn (`session/prompt`). Never throws: what refuses or ends it rejects `result`, and is thrown by the loop. */
  prompt(textOrBlocks: string | readonly unknown[], options?: PromptOptions): Turn;
  /** `session/close`; rejects `capability-absent` where the agent has none. A running turn is cancelled first. */
  close(options?: CallOptions): Promise<void>;
}

export class SessionHandle implements Session {
  readonly #hub: Hub;
  readonly #seat: Seat;
  readonly #gate: Gate;
  readonly id: string;
  readonly #turns = new WeakMap<object, Turn>();

  constructor(hub: Hub, seat: Seat, gate: Gate) {
    this.#hub = hub;
    this.#seat = seat;
    this.#gate = gate;
    this.id = seat.id ?? '';
  }

  get origin(): 'new' | 'load' | 'resume' {
    const { via } = this.#seat.opening;
    return via === 'fork' ? 'new' : via;
  }

  get state(): SessionState {
    return this.#seat.state;
  }

  get turn(): Turn | undefined {
    const { run } = this.#seat;
    return run && this.#turns.get(run);
  }

  get options(): Offered {
    return this.#seat.options.view();
  }

  get commands(): readonly string[] {
    return this.#seat.options.commands;
  }

  get info(): Readonly<SessionFacts> {
    return this.#seat.info.view();
  }

  get actor(): Session['actor'] {
    const { actor } = this.#seat;
    return {
      getSnapshot: () => actor.getSnapshot(),
      subscribe: (fn) =>
        // XState turns a throw of a subscriber into an uncaught exception; here it only ends with the call.
        actor.subscribe({
          next: (snapshot) => {
            try {
              fn(snapshot);
            } catch {
              this.#hub.link.stats.listenerErrors += 1;
            }
          },
          error: () => {},
        }),
    };
  }

  subscribe(fn: () => void): () => void {
    return this.#seat.changes.subscribe(fn);
  }

  async select(wanted: Selection, options?: CallOptions): Promise<Selection> {
    this.#gate.object(wanted, 'select');
    this.#gate.call(options);
    const { link } = this.#hub;
    return loggedIn(this.#hub, options, (bounds) => select(link, this.#seat, wanted, bounds));
  }

  async setConfigOption(
    id: string,
    value: string | boolean,
    options?: CallOptions,
  ): Promise<string | boolean | undefined> {
    this.#gate.call(options);
    const { link } = this.#hub;
    return loggedIn(this.#hub, options, (bounds) => setConfigOption(link, this.#seat, id, value, bounds));
  }

  async cancelToolCall(toolCallId: string, options?: CallOptions): Promise<void> {
    this.#gate.call(options);
    return this.#cancelItem('toolCall', toolCallId, options);
  }

  async cancelTerminal(terminalId: string, options?: CallOptions): Promise<void> {
    this.#gate.call(options);
    return this.#cancelItem('terminal', terminalId, options);
  }

  prompt(textOrBlocks: string | readonly unknown[], options: PromptOptions = {}): Turn {
    const hub = this.#hub;
    const run = hub.turns.prompt(
      this.#seat,
      () => {
        this.#gate.call(options, 'turn');
        const { steerRenewals: renewals = 0 } = options;
        if (!Number.isInteger(renewals) || renewals < 0 || renewals > MOST_RENEWALS) {
          this.#gate.refuse('steerRenewals', 'turn');
        }
        return {
          blocks: this.#gate.blocks(textOrBlocks, options.context, this.id),
          renewals,
          budget: options.budget === undefined ? undefined : budgetOf(options.budget),
          shared: options.budget instanceof Budget,
          queue: options.queue === true,
        };
      },
      options.signal,
    );
    const turn = new TurnHandle(hub, this.#seat, this.#gate, run);
    this.#turns.set(run, turn);
    return turn;
  }

  #cancelItem(what: 'toolCall' | 'terminal', id: string, options: CallOptions | undefined): Promise<void> {
    const { link } = this.#hub;
    return loggedIn(this.#hub, options, (bounds) => cancelItem(link, this.#seat, what, id, bounds));
  }

  async close(options?: CallOptions): Promise<void> {
    this.#gate.call(options, 'close');
    const { link } = this.#hub;
    if (!link.ready) throw link.closedError('close');
    if (!this.#seat.over) this.#gate.needCall('session/close', 'close', this.id);
    return this.#hub.closings.close(this.#seat, options, true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const asks = this.#gate.serves('session/close');
    await this.#hub.closings.close(this.#seat, undefined, asks).then(
      () => {},
      () => {},
    );
  }
}
