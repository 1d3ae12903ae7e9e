/**
 * What the parts of one connection share: its settings, its root actor, the wire of the process that runs now, and what
 * is known of the agent. It decides nothing: legality is asked of the charts, and every part keeps its own books.
 */
import type { Loss } from '../../machines/index.js';
import type { AgentProcess, ExitInfo } from '../process/agentProcess.js';
import { LazySignal } from '../framing/lazySignal.js';
import { Roster } from '../framing/roster.js';
import { Ledger } from '../policy/ledger.js';
import type { Pulse, Watch } from '../policy/watch.js';
import type { Connection } from '../rpc/connection.js';
import { CANCEL_REQUEST, METHOD_NOT_FOUND } from '../rpc/messages.js';
import type { OnAnswer } from '../rpc/pending.js';
import { newStats, type Stats } from '../rpc/stats.js';
import type { AgentFacts, Call, Dialect } from '../wire/normal.js';
import type { WaitSeen } from '../inspect/observer.js';
import type { AgentSaid, Failure, Phase } from './failure.js';
import { Listeners } from './listeners.js';
import { Logins } from './logins.js';
import { Observing } from './observing.js';
import type { ConnectionActor } from './ports.js';
import type { Settings } from './settings.js';
import { Waits } from './waits.js';

/** What a wait is for. */
export interface WaitAbout {
  phase: Phase;
  sessionId?: string | undefined;
}

export class Link implements Pulse {
  readonly stats: Stats = newStats();
  readonly ledger = new Ledger();
  readonly listeners: Listeners;
  readonly observing: Observing;
  readonly waits = new Waits();
  readonly logins: Logins;
  /** Aborts when the connection is over. */
  readonly lifetime = new LazySignal();
  root!: ConnectionActor;
  /** Of the process that runs now; a second offer may need a second process. */
  wire: Connection | undefined;
  process: AgentProcess | undefined;
  exit: ExitInfo | undefined;
  /** Set by the handshake, for good. */
  dialect!: Dialect;
  facts!: AgentFacts;
  /** Methods that the agent advertised and then did not know (-32601). */
  readonly missing = new Set<string>();
  /** What the wire or the agent told of the end, for the error that reports it. */
  epitaph: { agentCode?: number | undefined; said?: AgentSaid | undefined; authMethods?: Failure['authMethods'] } = {};
  /** Why the connection is over, as the root says; the error of it is made once. */
  closeReason: Loss | undefined;
  #closeError: Error | undefined;
  readonly #startedAt: number;
  /** Waits whose idle clock stands still while our side holds the pipe. */
  readonly #watches = new Roster<{ watch: Watch; about: WaitAbout }>();
  #held = false;

  constructor(readonly settings: Settings) {
    this.listeners = new Listeners({
      clock: settings.clock,
      limitMs: settings.listenerLimitMs,
      stats: this.stats,
    });
    const { clock, observers } = settings;
    this.observing = new Observing({ observers, clock, stats: this.stats });
    this.logins = new Logins(settings.source);
    this.#startedAt = clock.now();
  }

  get lastFrameAt(): number {
    return this.wire?.lastFrameAt ?? this.#startedAt;
  }

  get clock(): Settings['clock'] {
    return this.settings.clock;
  }

  /** The public error of a failure. */
  error(failure: Failure): Error {
    const { said } = failure;
    return this.settings.toError({ exit: failure.kind === 'agent-exited' ? this.exit : undefined, ...failure, said });
  }

  /** The error with which whatever waits is told that the connection is over. */
  lossError(loss: Loss, phase: Phase, more: Partial<Failure> = {}): Error {
    const failure: Failure = { kind: loss, phase, ...more };
    if (loss === 'closed') return this.error({ ...failure, reason: 'closed' });
    return this.error({ ...this.epitaph, ...failure });
  }

  /** The refusal of a call on a connection that is over. */
  closedError(phase: Phase): Error {
    const reason = this.closeReason ?? this.root.getSnapshot().context.reason ?? 'closed';
    this.#closeError ??= reason === 'closed' ? undefined : this.lossError(reason, 'close');
    return this.error({ kind: 'closed', phase, reason, cause: this.#closeError });
  }

  /** For a wait whose wire ended: rejects as soon as the root says why, however long the process takes to go. */
  lost(phase: Phase): Promise<never> {
    const { closeReason } = this;
    if (closeReason !== undefined) return Promise.reject(this.lossError(closeReason, phase));
    return new Promise((_, reject) => this.waits.add((loss) => reject(this.lossError(loss, phase))));
  }

  /** Tells the connection chart, while it runs: what is found out after its end concerns nobody. */
  tell(event: Parameters<ConnectionActor['send']>[0]): void {
    if (this.root.getSnapshot().status === 'active') this.root.send(event);
  }

  get ready(): boolean {
    return this.root.getSnapshot().hasTag('ready');
  }

  /** A watch of a wait on this connection; while we hold the pipe its idle clock stands still. */
  adopt(watch: Watch, about: WaitAbout): void {
    watch.onStop = this.#watches.add({ watch, about });
    if (this.#held) watch.pause('held');
  }

  /** Sends a call of ours and gives its id. A method that the agent does not have after all is remembered, whoever called it. */
  call({ method, params }: Call, onAnswer: OnAnswer): number | undefined {
    return this.wire?.request(method, params, (answer) => {
      if (answer.kind === 'error' && answer.code === METHOD_NOT_FOUND) this.missing.add(method);
      return onAnswer(answer);
    }).id;
  }

  /** Tells the agent that the answer to a request of ours is not wanted any more. It is awaited all the same. */
  withdraw(requestId: number | undefined): void {
    // Asked of the reason: while the root is closing, its snapshot is still that of before.
    if (requestId !== undefined && this.ready && this.closeReason === undefined)
      void this.wire?.notify(CANCEL_REQUEST, { requestId });
  }

  /** How every wait stands now, the oldest first. */
  waitsSeen(): WaitSeen[] {
    return this.#watches.all().map(({ watch, about }) => ({ ...about, ...watch.reading() }));
  }

  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    for (const { watch } of this.#watches.all()) {
      if (held) watch.pause('held');
      else watch.resume('held');
    }
  }
}
