/** One session as the join knows it: its actor, its id once known, and what the agent told of it. */
import { LazySignal } from '../framing/lazySignal.js';
import { SessionOptionsStore } from '../session/options.js';
import { SessionInfoStore } from '../session/info.js';
import { TerminalStore } from '../session/terminals.js';
import { ToolCallStore } from '../session/toolCalls.js';
import type { Stores } from '../session/updates.js';
import type { CallOptions } from './calls.js';
import { deferred, type Deferred } from './deferred.js';
import type { Failure } from './failure.js';
import { Notifier } from './notifier.js';
import { turnOf, type SessionActor, type TurnActor } from './ports.js';
import type { TurnRun } from './turnRun.js';
import type { Call, SessionReading } from '../wire/normal.js';
import type { Watch } from '../policy/watch.js';

/** How a session comes to be. */
export interface Opening {
  via: 'new' | 'load' | 'resume' | 'fork';
  call: Call;
  /** Asked for by id: registered before it is sent. Undefined for new and fork. */
  asked: string | undefined;
  /** Its history may be replayed. */
  replays: boolean;
  options: CallOptions | undefined;
  /** `cwd` and the additional directories. */
  roots: readonly string[];
}

/** What renders a session, from its charts. */
export type SessionState =
  'idle' | 'running' | 'awaiting-permission' | 'cancelling' | 'draining' | 'background' | 'closed';

export class Seat {
  readonly options = new SessionOptionsStore();
  readonly info = new SessionInfoStore();
  readonly tools = new ToolCallStore();
  readonly terminals = new TerminalStore();
  /** Sessions that the agent announced as children of this one, with what is merged for each. */
  readonly children = new Map<string, Stores>();
  /** Elicitations of this session that are open: each answers `cancel`. */
  readonly elicitations = new Set<() => void>();
  /** Aborts when the session is over. */
  readonly lifetime = new LazySignal();
  readonly opened: Deferred<Seat> = deferred();
  actor!: SessionActor;
  id: string | undefined;
  /** The id of the request that opens it, while its answer is owed. */
  request: number | undefined;
  /** A bound of what opens or closes the session. */
  watch: Watch | undefined;
  /** Why the opening failed, where the agent's own answer or the caller says so. */
  failure: Failure | undefined;
  /** What came for the id before the answer that named it has been delivered. */
  flushed = false;
  closing: Deferred<void> | undefined;
  closeOptions: CallOptions | undefined;
  /** Turns of this session by number: the one that runs, and the one before whose answer may be owed. */
  readonly turns = new Map<number, TurnRun>();
  /** Prompts that wait for the session, first in first out. */
  readonly queue: TurnRun[] = [];
  /** A turn has ended here: what comes between turns is late from now on. */
  hadTurns = false;
  /** The clock's time of the newest update. */
  lastUpdateAt = 0;
  /** Open questions and requests of this session: while there are any, the idle clock of its turn stands still. */
  owed = 0;
  /** Of changes of state, options or commands. */
  readonly changes = new Notifier();

  constructor(
    readonly serial: number,
    readonly opening: Opening,
  ) {
    this.id = opening.asked;
  }

  get turnActor(): TurnActor | undefined {
    return turnOf(this.actor);
  }

  /** The turn that runs, or whose end is still owed. */
  get run(): TurnRun | undefined {
    return this.turns.get(this.actor.getSnapshot().context.turn);
  }

  get over(): boolean {
    return this.actor.getSnapshot().status !== 'active';
  }

  /** The public state, asked of the charts by their tags. */
  get state(): SessionState {
    const session = this.actor.getSnapshot();
    if (session.status !== 'active') return 'closed';
    const turn = this.turnActor?.getSnapshot();
    if (turn?.hasTag('cancelling')) return turn.hasTag('settled') ? 'draining' : 'cancelling';
    if (session.hasTag('closing')) return 'closed';
    if (session.hasTag('background')) return 'background';
    if (!session.hasTag('busy')) return 'idle';
    return session.context.questions.length > 0 ? 'awaiting-permission' : 'running';
  }

  unwatch(): void {
    this.watch?.stop();
    this.watch = undefined;
  }

  apply(reading: SessionReading): void {
    this.options.opened(reading);
    this.changes.tell();
  }

  /** Of the session, or of a child of it. */
  storesOf(childId: string | undefined): Stores {
    return (childId === undefined ? undefined : this.children.get(childId)) ?? this;
  }

  /** Told when the transition is over: no code of the embedding program runs inside a chart. */
  cancelElicitations(): void {
    if (this.elicitations.size > 0) queueMicrotask(() => [...this.elicitations].forEach((giveUp) => giveUp()));
  }

  /** The session is over: nobody wants an answer of it any more, and nothing need be kept for it. */
  end(): void {
    this.cancelElicitations();
    queueMicrotask(() => this.lifetime.abort());
  }

  /** We owe the agent an answer of this session, or owe it no more. */
  owe(by: 1 | -1): void {
    this.owed += by;
    if (by === 1) this.run?.watch?.pause('owed');
    else this.run?.watch?.resume('owed');
  }
}
