/** One world: a real client, a simulated agent, a simulated caller, one clock. Every step is checked. */
import { connect, type AcpError, type Agent, type Update, type Where } from '../../../src/index.js';
// What `connect` loads when it is first called: that is not to take of a test's time.
import '../../../src/join/hub.js';
import { SimAgent } from './agent.js';
import { Books, type RequestBook } from './books.js';
import { Caller, tokenOf } from './caller.js';
import { Checks } from './checks.js';
import { VirtualClock } from './clock.js';
import type { Action, AgentAction, CallerAction, Setup } from './script.js';

/** What must not happen happened. */
export class Violation extends Error {}

const BOUNDS = new Set(['idle', 'absolute']);

/** So many timers within one advance: they spin. */
const MOST_TIMERS = 20_000;

const loop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const CALLER = new Set(
  'open prompt cancel abort close-session dispose select set-config authenticate logout list delete send await notify read leave decide serve release close abort-connect'.split(
    ' ',
  ),
);

export class World {
  readonly clock = new VirtualClock();
  readonly agentSide: SimAgent;
  readonly caller: Caller;
  readonly books: Books;
  readonly checks: Checks;
  handle: Agent | undefined;
  connectFailed = false;
  /** Tokens of updates that a listener was told of. */
  readonly seen = new Map<number, Where>();
  /** Updates that came between turns, after a turn had surely ended; and all that came between. */
  between = { sure: 0, all: 0 };
  unknown = 0;
  stalledSince: number | undefined;
  stalledForMs = 0;
  /** The agent did not read, for a while or for good: when a frame was written is not when it was asked for. */
  everStalled = false;
  readonly #lastOf = new Map<string, number>();
  /** Of the first violation; the run ends with it. */
  broken: string | undefined;

  constructor(readonly setup: Setup) {
    this.agentSide = new SimAgent(
      setup,
      (frame, request) => this.books.wrote(frame, request),
      (what) => this.fail(what),
    );
    const host = {
      setup,
      clock: this.clock,
      agent: () => this.handle,
      heard: (update: Update, where: Where) => this.#heard(update, where),
      catchUp: () => this.books.catchUp(),
      closeMissing: () => this.books.closeMissing,
      unsure: (id: string) => this.books.unsure(id),
      fail: (what: string) => this.fail(what),
    };
    this.caller = new Caller(host);
    this.books = new Books({
      agent: this.agentSide,
      now: () => this.clock.now(),
      framesIn: () => this.framesIn(),
      fail: (what) => this.fail(what),
      wasBound: (label) => this.wasBound(label),
      holds: (id) => this.caller.holds(id) !== undefined,
      knows: (id) => this.caller.knows(id),
      had: (id) => this.caller.had(id),
      opensNew: (label) => this.caller.opensNew(label),
      mayBeSelected: (request, option) => this.#mayBeSelected(request, option),
    });
    this.checks = new Checks(this);
  }

  fail(what: string): void {
    this.broken ??= what;
  }

  framesIn(): number {
    return this.handle?.stats.framesIn ?? 0;
  }

  /** Its caller was told of a bound, so that what comes is not its any more. */
  wasBound(label: number): boolean {
    const { settled } = this.caller.turns.get(label)?.result ?? {};
    return settled !== undefined && !settled.ok && BOUNDS.has((settled.value as AcpError).kind);
  }

  start(): void {
    const options = { ...this.caller.connectOptions(), clock: this.clock, transport: this.agentSide.pipe };
    this.caller.track(
      'connect',
      0,
      connect(options as Parameters<typeof connect>[0]).then(
        (agent) => {
          this.handle = agent;
          this.caller.track('closed', 0, agent.closed, Infinity);
        },
        (error: unknown) => {
          this.connectFailed = true;
          throw error;
        },
      ),
      this.setup.limits.requestLimitMs,
    );
  }

  #heard(update: Update, where: Where): void {
    const n = tokenOf(update);
    if (this.seen.has(n)) this.fail('an update was delivered twice');
    this.seen.set(n, where);
    if (update.kind === 'unknown') this.unknown += 1;
    const of = where.childId ?? where.sessionId;
    const last = this.#lastOf.get(of) ?? -1;
    if (n < last && this.setup.scope !== 'accept') this.fail('updates of a session were delivered out of order');
    this.#lastOf.set(of, n);
    if (this.handle) this.books.catchUp(this.framesIn() - 1);
    const session = this.books.session(where.sessionId);
    const { turn } = session;
    if (where.phase === 'between' && where.childId === undefined) {
      this.between.all += 1;
      if (session.last) this.between.sure += 1;
    }
    if (where.phase === 'turn' && !turn && !session.fuzzy)
      this.fail('an update is said to be in a turn, and none runs');
    if (where.phase !== 'turn' && turn && !turn.fuzzy) this.checks.suspect(turn);
    if (where.phase === 'replay' && this.caller.holds(where.sessionId)) this.fail('live text is said to be replay');
  }

  #mayBeSelected(request: RequestBook, option: number): boolean {
    const { policy, thinkMs } = this.setup;
    const kind = request.options[option];
    const only = request.options.filter((each) => each === kind).length === 1;
    const asked = this.caller.asked.get(request.n);
    if (asked?.decided === option) return true;
    switch (policy) {
      case 'unattended':
        return kind === 'allow_once' && only;
      case 'ask-reject':
        return kind === 'reject_once' && only && asked !== undefined && this.clock.now() - asked.since >= thinkMs;
      case 'by-kind': {
        const rules: Record<string, string> = { read: 'allow_once', execute: 'reject_once' };
        const claims = request.toolKind === undefined ? Object.keys(rules) : [request.toolKind];
        return only && !request.contradicted && claims.some((claim) => rules[claim] === kind);
      }
      default:
        return false;
    }
  }

  /** Does what it says. False: there was nothing that it could be done to. */
  async step(action: Action): Promise<boolean> {
    const done = await this.#perform(action);
    if (!action.join || action.do === 'advance' || action.do === 'tick') await this.quiet();
    return done;
  }

  async #perform(action: Action): Promise<boolean> {
    const { pipe } = this.agentSide;
    switch (action.do) {
      case 'advance':
        await this.advance(action.ms);
        return true;
      case 'tick': {
        const { nextAt } = this.clock;
        if (nextAt === undefined) return false;
        await this.advance(nextAt - this.clock.now());
        return true;
      }
      case 'end':
        this.agentSide.end();
        return true;
      case 'fail':
        this.agentSide.failReads();
        return true;
      case 'break':
        this.everStalled = true;
        this.books.catchUp();
        this.books.blur();
        pipe.breakWrites();
        return true;
      case 'stall':
        if (pipe.stalled) return false;
        this.stalledSince ??= this.clock.now();
        this.everStalled = true;
        this.caller.slowed = true;
        this.books.catchUp();
        this.books.blur();
        pipe.stall(true);
        return true;
      case 'unstall':
        this.#unstall();
        return true;
      default:
        return CALLER.has(action.do)
          ? this.caller.act(action as CallerAction)
          : this.agentSide.act(action as AgentAction);
    }
  }

  #unstall(): void {
    if (this.stalledSince !== undefined)
      this.stalledForMs = Math.max(this.stalledForMs, this.clock.now() - this.stalledSince);
    this.stalledSince = undefined;
    this.agentSide.pipe.stall(false);
  }

  /** Fires the timers that are due, one by one, with a look at the world after each. */
  async advance(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    await this.quiet();
    for (let fired = 0; !this.broken && this.clock.fireNext(end); fired += 1) {
      if (fired > MOST_TIMERS) return this.fail('timers spin');
      await this.quiet();
    }
    this.clock.moveTo(end);
  }

  /** Everything that can happen without the passing of time has happened; then it is looked at. */
  async quiet(): Promise<void> {
    this.agentSide.flush();
    const { pipe } = this.agentSide;
    await loop();
    for (let still = 0; still < 2 && !pipe.drained && !pipe.over; still += 1) {
      const { waiting } = pipe;
      await loop();
      if (pipe.waiting < waiting) still = 0;
    }
    if (!this.broken) this.checks.all();
  }
}
