/** The embedding program of a world: makes calls, as a script has it make them, and keeps account of what came of each. */
import {
  policy,
  type Agent,
  type Budget,
  type ConnectOptions,
  type Policy,
  type Session,
  type Turn,
} from '../../../src/index.js';
import { budget as sharedBudget } from '../../../src/index.js';
import type { PermissionRequest, Update, Where } from '../../../src/index.js';
import type { VirtualClock } from './clock.js';
import type { CallerAction, CallTerms, Setup } from './script.js';

export interface Wait {
  what: string;
  /** Of the action that made it. */
  label: number;
  since: number;
  /** Within so many ms it must have settled, if nothing of ours holds it up. */
  boundMs: number;
  settled: { at: number; ok: boolean; value: unknown } | undefined;
  reason: unknown;
}

export interface CallerSession {
  label: number;
  session: Session;
  since: number;
  closing: boolean;
  closed: boolean;
}

export interface CallerTurn {
  label: number;
  on: CallerSession;
  turn: Turn;
  queue: boolean;
  calledAt: number;
  terms: CallTerms;
  result: Wait;
  cancelled: boolean;
  sent: boolean | undefined;
  /** Looked at after it had settled. */
  judged: boolean;
  read: number[];
  reading: 'no' | 'on' | 'left' | 'done';
  iterator: AsyncIterator<Update, void> | undefined;
}

export interface Asked {
  request: PermissionRequest;
  /** When it was put to the embedder, from which on its time limit counts: what is kept for its session comes to it late. */
  since: number;
  decided: number | undefined;
  decide(how: 'option' | 'null' | 'foreign' | 'throw', option: number): void;
  over: boolean;
}

/** A request that a handler of ours serves. */
export interface Serving {
  since: number;
  /** The session that the handler was told it is of; `''`: none. */
  session: string;
  settle(how: 'result' | 'throw' | 'function'): void;
}

export interface CallerHost {
  setup: Setup;
  clock: VirtualClock;
  agent(): Agent | undefined;
  /** Before a listener of ours is told. */
  heard(update: Update, where: Where): void;
  /** Before what the caller holds changes: what came until now came to what it held before. */
  catchUp(): void;
  /** The agent has answered that it knows no `session/close`. */
  closeMissing(): boolean;
  /** From here on no moment of this session is certain. */
  unsure(id: string): void;
  fail(what: string): void;
}

export class Caller {
  readonly sessions = new Map<number, CallerSession>();
  readonly turns = new Map<number, CallerTurn>();
  /** Not settled, or settled and not looked at. */
  readonly waits = new Set<Wait>();
  readonly asked = new Map<number, Asked>();
  readonly serving = new Map<number, Serving>();
  /** Asynchronous listeners at work: since when, and what finishes them. */
  readonly works: { since: number; finish(): void }[] = [];
  readonly opening = new Map<number, string | undefined>();
  readonly signals = new Map<number, AbortController>();
  readonly tickets = new Map<number, { ticket: any }>();
  readonly reasons = new Set<unknown>();
  readonly onConnect = new AbortController();
  /** Timers of the embedder's own. */
  ownTimers = 0;
  /** Something of ours held the pipe, or may have: bounds that stand still meanwhile are not judged. */
  slowed = false;
  closeCalled = false;
  aborted = false;
  authenticating = 0;
  settledWaits = 0;
  thrownByListeners = 0;
  #updates = 0;
  #shared: Budget | undefined;

  constructor(readonly host: CallerHost) {}

  connectOptions(): Partial<ConnectOptions> {
    const { setup } = this.host;
    const on: NonNullable<ConnectOptions['on']> = { update: (update, where) => this.#listen(update, where) };
    return {
      client: { name: 'simulated', version: '0' },
      protocolVersions: setup.offers,
      scope: setup.scope,
      permissions: this.#policy(),
      on,
      signal: this.onConnect.signal,
      maxFrameBytes: setup.limits.maxFrameBytes,
      requestLimitMs: setup.limits.requestLimitMs,
      turnBudget: { idleMs: setup.limits.turnIdleMs, absoluteMs: setup.limits.turnAbsoluteMs },
      cancelGraceMs: setup.limits.cancelGraceMs,
      closeGraceMs: setup.limits.closeGraceMs,
      writeTimeoutMs: setup.limits.writeTimeoutMs,
      listenerLimitMs: setup.limits.listenerLimitMs,
      replayQuietMs: setup.limits.replayQuietMs,
      ...(setup.handlers ? { handlers: this.#handlers() } : {}),
    };
  }

  #handlers(): NonNullable<ConnectOptions['handlers']> {
    const serve = (n: number, session: string, given?: AbortSignal): Promise<any> =>
      new Promise((resolve, reject) => {
        given?.addEventListener('abort', () => this.serving.delete(n));
        this.serving.set(n, {
          since: this.host.clock.now(),
          session,
          settle: (how) => {
            this.serving.delete(n);
            if (how === 'throw') reject(new Error('the handler threw'));
            else resolve(how === 'result' ? { content: 'c' } : () => {});
          },
        });
      });
    return {
      requests: { 'sim/ask': (params) => serve((params as { n: number }).n, '') },
      fs: { readTextFile: ({ path }, { sessionId }) => serve(Number(path.slice('/n-'.length)), sessionId) },
      elicitation: {
        form: (params, { sessionId, signal }) => serve((params as { n: number }).n, sessionId, signal),
      },
    };
  }

  #policy(): Policy {
    const { setup, clock } = this.host;
    const ask = (request: PermissionRequest, { signal }: { signal: AbortSignal }): Promise<string | null> =>
      new Promise((resolve, reject) => {
        const serial = (request.raw as { _meta: { n: number } })._meta.n;
        let timer: number | undefined;
        const asked: Asked = {
          request,
          since: clock.now(),
          decided: undefined,
          over: false,
          decide: (how, option) => {
            if (asked.over) return;
            this.#stopTimer(timer);
            asked.over = true;
            if (how === 'option') asked.decided = option;
            if (how === 'throw') reject(new Error('the embedder threw'));
            else
              resolve(
                how === 'option' ? (request.options[option]?.optionId ?? 'none') : how === 'null' ? null : 'o-0-99',
              );
          },
        };
        signal.addEventListener('abort', () => {
          this.#stopTimer(timer);
          timer = undefined;
          asked.over = true;
        });
        this.asked.set(serial, asked);
        if (setup.policy !== 'ask-by-clock') return;
        this.ownTimers += 1;
        timer = clock.setTimeout(() => {
          this.ownTimers -= 1;
          timer = undefined;
          asked.decide(serial % 4 === 0 ? 'null' : 'option', serial % Math.max(request.options.length, 1));
        }, setup.thinkMs);
      });
    switch (setup.policy) {
      case 'cancel':
        return policy.cancel();
      case 'ask':
      case 'ask-by-clock':
        return policy.ask(ask);
      case 'ask-reject':
        return policy.ask(ask, { timeoutMs: setup.thinkMs, onTimeout: 'reject_once' });
      case 'by-kind':
        return policy.byKind({ read: 'allow_once', execute: 'reject_once', delete: 'cancelled', edit: 'ask' }, ask);
      case 'unattended':
        return policy.unattended({ select: 'allow_once' });
    }
  }

  #stopTimer(timer: number | undefined): void {
    if (timer === undefined) return;
    this.host.clock.clearTimeout(timer);
    this.ownTimers -= 1;
  }

  #listen(update: Update, where: Where): void | Promise<void> {
    const { setup, clock, heard } = this.host;
    heard.call(this.host, update, where);
    this.#updates += 1;
    switch (setup.listener) {
      case 'none':
        return;
      case 'async':
        return Promise.resolve();
      case 'slow': {
        if (this.#updates % 3 !== 0) return;
        this.slowed = true;
        const since = clock.now();
        return new Promise((finish) => this.works.push({ since, finish }));
      }
      case 'throws':
        if (this.#updates % 2 === 0) return;
        this.thrownByListeners += 1;
        if (this.#updates % 3 === 0) return Promise.reject(new Error('a listener threw'));
        throw new Error('a listener threw');
    }
  }

  /** Keeps account of one promise of the library's. */
  track(what: string, label: number, promise: Promise<unknown>, boundMs: number, terms: CallTerms = {}): Wait {
    const { clock } = this.host;
    const wait: Wait = { what, label, since: clock.now(), boundMs, settled: undefined, reason: undefined };
    if (terms.signal) wait.reason = this.signals.get(label)?.signal.reason;
    this.waits.add(wait);
    const settle = (ok: boolean, value: unknown): void => {
      wait.settled = { at: clock.now(), ok, value };
      this.settledWaits += 1;
    };
    promise.then(
      (value) => settle(true, value),
      (error: unknown) => settle(false, error),
    );
    return wait;
  }

  /** A call that throws is one that is over. */
  #threw(what: string, label: number, error: unknown): void {
    const since = this.host.clock.now();
    this.waits.add({
      what,
      label,
      since,
      boundMs: 0,
      settled: { at: since, ok: false, value: error },
      reason: undefined,
    });
  }

  #terms(label: number, { budget, signal }: CallTerms): { budget?: any; signal?: AbortSignal } {
    const { limits } = this.host.setup;
    const controller = signal ? new AbortController() : undefined;
    if (controller) this.signals.set(label, controller);
    this.#shared ??= sharedBudget({ idleMs: limits.turnIdleMs, absoluteMs: limits.turnAbsoluteMs });
    return {
      ...(budget === undefined ? {} : { budget: budget === 'shared' ? this.#shared : budget }),
      ...(controller ? { signal: controller.signal } : {}),
    };
  }

  #bound({ budget }: CallTerms, calls = 1): number {
    const { requestLimitMs, turnAbsoluteMs } = this.host.setup.limits;
    return calls * Math.max(requestLimitMs, budget === undefined ? 0 : turnAbsoluteMs);
  }

  holds(id: string): CallerSession | undefined {
    for (const held of this.sessions.values()) if (held.session.id === id && !held.closing) return held;
    return undefined;
  }

  knows(id: string): boolean {
    for (const held of this.sessions.values()) if (held.session.id === id && !held.closed) return true;
    for (const opening of this.opening.values()) if (opening === id) return true;
    return false;
  }

  /** `openSession` has fallen back to a new session: the id that it tried first is nobody's any more. */
  opensNew(label: number): void {
    if (this.opening.has(label)) this.opening.set(label, undefined);
  }

  /** It has held such a session, and it is closed: what comes for it is of that one, whatever the agent opens later. */
  had(id: string): boolean {
    for (const held of this.sessions.values()) if (held.session.id === id && held.closed) return true;
    return false;
  }

  /** False: there is nothing that it could be done to. */
  act(a: CallerAction): boolean {
    const agent = this.host.agent();
    if (a.do === 'abort-connect') {
      this.aborted = true;
      this.onConnect.abort(this.#reason());
      return true;
    }
    if (!agent) return false;
    switch (a.do) {
      case 'open':
        return this.#open(agent, a);
      case 'prompt':
        return this.#prompt(a);
      case 'cancel':
        return this.#cancel(a.turn);
      case 'abort':
        return this.#abort(a.of);
      case 'close-session':
      case 'dispose':
        return this.#closeSession(a);
      case 'select':
      case 'set-config':
        return this.#select(a);
      case 'read':
        return this.#read(a);
      case 'leave':
        return this.#leave(a.turn);
      case 'decide':
        return this.#decide(a);
      case 'serve': {
        const serving = this.serving.get(a.ask);
        serving?.settle(a.how);
        return serving !== undefined;
      }
      case 'release': {
        const work = this.works.shift();
        work?.finish();
        return work !== undefined;
      }
      case 'close':
        this.closeCalled = true;
        this.track('close', a.as, agent.close(), this.host.setup.limits.closeGraceMs + 4000);
        return true;
      default:
        return this.#call(agent, a);
    }
  }

  #reason(): Error {
    const reason = new Error('the caller gave up');
    this.reasons.add(reason);
    return reason;
  }

  #call(agent: Agent, a: CallerAction): boolean {
    const terms = 'terms' in a ? this.#terms(a.as, a.terms) : {};
    switch (a.do) {
      case 'authenticate': {
        this.authenticating += 1;
        const call = agent.authenticate('login', terms);
        const over = (): void => void (this.authenticating -= 1);
        call.then(over, over);
        this.track('authenticate', a.as, call, this.#bound(a.terms), a.terms);
        return true;
      }
      case 'logout':
        this.track('logout', a.as, agent.logout(terms), this.#bound(a.terms), a.terms);
        return true;
      case 'delete':
        this.track('delete', a.as, agent.deleteSession(a.id, terms), this.#bound(a.terms), a.terms);
        return true;
      case 'list': {
        const list = async (): Promise<number> => {
          let found = 0;
          for await (const _ of agent.listSessions({ cwd: '/x', ...terms })) found += 1;
          return found;
        };
        this.track('list', a.as, list(), this.#bound(a.terms, 3), a.terms);
        return true;
      }
      case 'send':
        try {
          this.tickets.set(a.as, { ticket: agent.sendRequest(a.method, { n: a.as }) });
        } catch (error) {
          this.#threw('send', a.as, error);
        }
        return true;
      case 'await': {
        const kept = this.tickets.get(a.ticket);
        if (!kept) return false;
        this.track('await', a.as, agent.awaitResponse(kept.ticket, terms), this.#bound(a.terms), a.terms);
        return true;
      }
      case 'notify':
        this.track('notify', a.as, agent.notify(a.method, { n: a.as }), this.host.setup.limits.writeTimeoutMs);
        return true;
      default:
        return false;
    }
  }

  #open(agent: Agent, a: Extract<CallerAction, { do: 'open' }>): boolean {
    const { clock, setup } = this.host;
    const options = { cwd: `/w/${a.as}`, ...this.#terms(a.as, a.terms) };
    const id = a.id ?? 'x-0';
    this.opening.set(a.as, a.via === 'new' || a.via === 'fork' ? undefined : id);
    const call =
      a.via === 'new'
        ? agent.newSession(options)
        : a.via === 'load'
          ? agent.loadSession(id, options)
          : a.via === 'resume'
            ? agent.resumeSession(id, options)
            : a.via === 'fork'
              ? agent.forkSession(id, options)
              : agent.openSession({ id, prefer: ['resume', 'load', 'new'], ...options });
    call.then(
      (session) => {
        this.host.catchUp();
        this.opening.delete(a.as);
        this.sessions.set(a.as, { label: a.as, session, since: clock.now(), closing: false, closed: false });
      },
      () => {
        this.host.catchUp();
        this.opening.delete(a.as);
      },
    );
    const mostMs = a.via === 'new' || a.via === 'resume' ? this.#bound(a.terms) : setup.limits.turnAbsoluteMs + 2000;
    this.track(`open by ${a.via}`, a.as, call, a.via === 'open' ? 3 * mostMs : mostMs, a.terms);
    return true;
  }

  #prompt(a: Extract<CallerAction, { do: 'prompt' }>): boolean {
    const on = this.sessions.get(a.on);
    if (!on) return false;
    const terms = this.#terms(a.as, a.terms);
    const context = a.context ? { context: [{ uri: 'context:x', text: 'prepared' }] } : {};
    const record: Partial<CallerTurn> = {
      label: a.as,
      on,
      queue: a.queue,
      calledAt: this.host.clock.now(),
      terms: a.terms,
    };
    Object.assign(record, { cancelled: false, sent: undefined, judged: false, read: [], reading: 'no' });
    const known = record as CallerTurn;
    this.turns.set(a.as, known);
    const turn = on.session.prompt(`please #${a.as}#`, { queue: a.queue, ...context, ...terms });
    known.turn = turn;
    known.result = this.track('turn', a.as, turn.result, Infinity);
    void turn.sent.then((sent) => (known.sent = sent));
    this.track('turn sent', a.as, turn.sent, Infinity);
    if (a.reader !== 'none' && a.reader !== 'slow') this.#loop(known, a.reader === 'leaves' ? 2 : Infinity);
    return true;
  }

  #loop(known: CallerTurn, most: number): void {
    known.reading = 'on';
    const loop = async (): Promise<void> => {
      for await (const update of known.turn) {
        known.read.push(tokenOf(update));
        if (known.read.length < most) continue;
        known.reading = 'left';
        return;
      }
      known.reading = 'done';
    };
    this.track('reader', known.label, loop(), Infinity);
  }

  #read({ turn, as }: Extract<CallerAction, { do: 'read' }>): boolean {
    const known = this.turns.get(turn);
    if (!known || (known.reading !== 'no' && !known.iterator)) return false;
    if (!known.iterator) {
      try {
        known.iterator = known.turn[Symbol.asyncIterator]();
      } catch (error) {
        known.reading = 'left';
        this.#threw('reader', as, error);
        return true;
      }
    }
    if (known.reading === 'no') known.reading = 'on';
    const next = known.iterator.next();
    next.then(
      (step) => {
        if (step.done) known.reading = known.reading === 'left' ? 'left' : 'done';
        else known.read.push(tokenOf(step.value));
      },
      () => (known.reading = 'done'),
    );
    this.track('read', as, next, Infinity);
    return true;
  }

  #leave(turn: number): boolean {
    const known = this.turns.get(turn);
    if (known?.reading !== 'on' || !known.iterator) return false;
    known.reading = 'left';
    this.track('leave', turn, Promise.resolve(known.iterator.return?.()), 0);
    return true;
  }

  #cancel(label: number): boolean {
    const known = this.turns.get(label);
    if (!known) return false;
    known.cancelled = true;
    this.track('cancel', label, known.turn.cancel(), this.host.setup.limits.writeTimeoutMs);
    return true;
  }

  #abort(label: number): boolean {
    const controller = this.signals.get(label);
    if (!controller || controller.signal.aborted) return false;
    const turn = this.turns.get(label);
    if (turn) turn.cancelled = true;
    controller.abort(this.#reason());
    return true;
  }

  #closeSession(a: Extract<CallerAction, { do: 'close-session' | 'dispose' }>): boolean {
    const held = this.sessions.get(a.on);
    const agent = this.host.agent();
    if (!held || !agent) return false;
    const { limits, serves } = this.host.setup;
    const advertised = agent.info.protocolVersion === 2 || serves.includes('sessionCapabilities.close');
    const closes = a.do === 'dispose' || (advertised && !this.host.closeMissing());
    const mostMs = limits.cancelGraceMs + (a.do === 'dispose' ? limits.requestLimitMs : this.#bound(a.terms));
    const call =
      a.do === 'dispose' ? held.session[Symbol.asyncDispose]() : held.session.close(this.#terms(a.as, a.terms));
    if (closes) {
      held.closing = true;
      for (const turn of this.turns.values()) if (turn.on === held) turn.cancelled = true;
    }
    const over = (): void => {
      this.host.catchUp();
      if (!closes) return;
      // Given up while its turn had to end first: it closes in its own time, and nobody is told when.
      if (held.session.state === 'closed') held.closed = true;
      else this.host.unsure(held.session.id);
    };
    call.then(over, over);
    this.track(a.do, a.as, Promise.resolve(call), mostMs, a.do === 'dispose' ? {} : a.terms);
    return true;
  }

  #select(a: Extract<CallerAction, { do: 'select' | 'set-config' }>): boolean {
    const held = this.sessions.get(a.on);
    if (!held) return false;
    const terms = this.#terms(a.as, a.terms);
    const { model, effort, mode } = a as { model?: string; effort?: string; mode?: string };
    const call =
      a.do === 'select'
        ? held.session.select({ model, effort, mode }, terms)
        : held.session.setConfigOption(a.id, a.value, terms);
    this.track(a.do, a.as, call, this.#bound(a.terms, 3), a.terms);
    return true;
  }

  #decide(a: Extract<CallerAction, { do: 'decide' }>): boolean {
    const asked = this.asked.get(a.ask);
    if (!asked || asked.over) return false;
    asked.decide(a.how, a.option % Math.max(asked.request.options.length, 1));
    return true;
  }
}

/** The number that every update of the simulated agent carries. */
export const tokenOf = (update: Update): number => (update.raw as { _meta?: { n?: number } })._meta?.n ?? -1;
