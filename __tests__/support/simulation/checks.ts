/** What must hold whenever the world is still. */
import { inspect } from 'node:util';
import { AcpError, type TurnResult } from '../../../src/index.js';
import type { TurnBook } from './books.js';
import type { CallerTurn, Serving, Wait } from './caller.js';
import { MARK, tokensOf } from './frames.js';
import { serves } from './setup.js';
import type { World } from './world.js';

const KINDS = new Set(
  (
    'spawn-failed io frame-too-large protocol version-unsupported auth-required capability-absent idle absolute ' +
    'request-limit write-timeout cancel-unconfirmed agent-exited agent-error scope-mismatch busy illegal-transition ' +
    'closed invalid-argument'
  ).split(' '),
);
const PHASES = new Set('spawn initialize authenticate session turn request close'.split(' '));
const OUTCOMES: Record<string, string> = {
  end_turn: 'completed',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
  refusal: 'refused',
  cancelled: 'cancelled',
};
const MIB = 1024 * 1024;

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i]);
const startsWith = (a: readonly number[], b: readonly number[]): boolean => b.every((n, i) => n === a[i]);

export class Checks {
  #suspects: TurnBook[] = [];
  #frames = 0;
  #garbage = 0;
  /** Counted for the summary of a run. */
  readonly outcomes = new Map<string, number>();
  #closedSeen = false;

  constructor(readonly world: World) {}

  /** An update was said to be in no turn although one runs by the books: right only if its caller was just told a bound. */
  suspect(turn: TurnBook): void {
    this.#suspects.push(turn);
  }

  #fail(what: string): void {
    this.world.fail(what);
  }

  #tell(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  all(): void {
    const { world } = this;
    if (world.handle) {
      world.books.catchUp();
      world.books.adopt();
      this.#closing();
      this.#counters();
      this.#turns();
      this.#requests();
      this.#sessions();
    }
    this.#waits();
  }

  get #ready(): boolean {
    return this.world.handle?.state === 'ready';
  }

  /** Ready, and nothing but the caller or a stalled agent holds anything up. */
  get #certain(): boolean {
    const { pipe } = this.world.agentSide;
    return this.#ready && pipe.drained && !pipe.stalled && !pipe.broken;
  }

  /** The connection is over only for a reason that this world gave. */
  #closing(): void {
    const { handle, caller, agentSide, setup, clock, books, stalledSince, stalledForMs, everStalled } = this.world;
    const { limits } = setup;
    const state = handle?.state;
    if (state === 'ready') {
      if (agentSide.pipe.over && agentSide.pipe.drained) this.#fail('the stream has ended and the agent is ready');
      if (caller.closeCalled || caller.aborted) this.#fail('closed, and yet ready');
      return;
    }
    if (this.#closedSeen) return;
    this.#closedSeen = true;
    const reason = handle?.closeReason ?? 'none';
    this.#tell(`connection: ${reason}`);
    const stalledMs = Math.max(stalledForMs, stalledSince === undefined ? 0 : clock.now() - stalledSince);
    const unconfirmed = [...books.turns.values()].some(({ stoppedAt, end, fuzzy }) => {
      // What the agent says when its stdin has ended comes after the verdict.
      const until = end?.at ?? clock.now();
      return fuzzy || (stoppedAt !== undefined && until - stoppedAt >= limits.cancelGraceMs);
    });
    const may: Record<string, boolean> = {
      closed: caller.closeCalled || caller.aborted,
      'agent-exited': agentSide.ended,
      io: agentSide.failed || agentSide.pipe.broken,
      'frame-too-large': agentSide.oversized,
      'write-timeout': stalledMs >= limits.writeTimeoutMs,
      // A cancel that waits behind a stalled write counts from when it was asked for.
      'cancel-unconfirmed': unconfirmed || everStalled,
      'scope-mismatch': setup.scope === 'strict',
    };
    if (!may[reason]) this.#fail(`the connection is ${state}: ${reason}`);
  }

  #counters(): void {
    const { handle, agentSide, books, caller, seen, unknown, between, setup } = this.world;
    const { stats } = handle!;
    const { pipe, sent, garbage, pushed } = agentSide;
    while ((sent[this.#frames]?.end ?? Infinity) <= pushed) this.#frames += 1;
    while ((garbage[this.#garbage] ?? Infinity) <= pushed) this.#garbage += 1;
    if (this.#ready && !pipe.drained && !pipe.over) this.#held();
    if (stats.skippedFrames > this.#garbage) this.#fail('counted more garbage than was sent');
    if (stats.strayResponses > books.strays) this.#fail('counted stray responses that were none');
    if (this.#certain) {
      const strays = stats.strayResponses === books.strays;
      if (stats.framesIn !== this.#frames) this.#fail(`counted ${stats.framesIn} frames, ${this.#frames} were sent`);
      if (stats.skippedFrames !== this.#garbage) this.#fail('did not count all garbage');
      if (!strays) this.#fail('did not count all stray responses');
      if (stats.repairedFrames > agentSide.repaired) this.#fail('repaired frames that were whole');
      if (stats.bytesIn !== pushed) this.#fail('did not count all bytes');
      const kept = books.updates - seen.size - stats.strayUpdates - stats.closedUpdates;
      if (kept < 0) this.#fail('updates are counted twice');
      if (kept > 0 && books.naming === 0 && caller.works.length === 0) this.#fail('updates were lost');
    }
    if (stats.unknownUpdates + stats.malformedUpdates !== unknown) this.#fail('unknown updates were not counted');
    if (stats.lateUpdates > between.all || (setup.scope !== 'accept' && stats.lateUpdates < between.sure)) {
      this.#fail(`counted ${stats.lateUpdates} late updates of ${between.sure} to ${between.all}`);
    }
    if (stats.listenerErrors !== caller.thrownByListeners) this.#fail('something threw that was no listener of ours');
    const { decisions } = handle!;
    if (decisions.length < 1000 && decisions.length < books.outcomes) this.#fail('a decision is not in the ledger');
  }

  /** Nobody but a listener at work or a slow reader may hold the pipe. */
  #held(): void {
    const { caller, clock, setup, books } = this.world;
    const { listenerLimitMs } = setup.limits;
    if (caller.works.some(({ since }) => clock.now() - since < listenerLimitMs)) return;
    for (const known of caller.turns.values()) {
      if (known.reading === 'on' && known.iterator && (books.turns.get(known.label)?.bytes ?? 0) >= MIB) return;
    }
    // A listener of a frame that is older than the one held: several updates were kept and are delivered now.
    if (caller.works.length > 0 && setup.listener === 'slow') return;
    this.#fail('the pipe is held and nobody holds it');
  }

  #turns(): void {
    const { caller, books } = this.world;
    for (const turn of this.#suspects.splice(0)) {
      const known = caller.turns.get(turn.label);
      if (known && !known.result.settled && this.#ready && caller.works.length === 0) {
        this.#fail('an update of a turn was delivered outside of it');
      }
    }
    for (const known of caller.turns.values()) {
      if (known.judged) continue;
      const book = books.turns.get(known.label);
      if (known.result.settled) {
        known.judged = true;
        this.#judge(known, book);
      } else this.#unsettled(known, book);
    }
  }

  #unsettled(known: CallerTurn, book: TurnBook | undefined): void {
    const { caller, clock, setup, books } = this.world;
    if (!this.#certain || book?.fuzzy || known.on.closing || caller.works.length > 0) return;
    const { limits } = setup;
    const session = books.session(known.on.session.id);
    if (session.fuzzy) return;
    if (!book) {
      const waits = known.queue && (session.turn !== undefined || session.working);
      if (!waits && known.sent !== false) this.#fail('a prompt was not written although the session is free');
      return;
    }
    if (book.end) return this.#fail('the agent ended a turn and its caller was not told');
    if (book.stoppedAt !== undefined && !known.cancelled) this.#fail('a turn was cancelled and nobody asked for it');
    if (book.stoppedAt === undefined && known.cancelled)
      this.#fail('a turn was not cancelled although the caller asked');
    if (book.stoppedAt !== undefined && clock.now() - book.stoppedAt > limits.cancelGraceMs) {
      this.#fail('the grace is over and the turn is not');
    }
    const { budget } = known.terms;
    if (budget === 'shared' || caller.slowed) return;
    const absoluteMs = budget === undefined ? limits.turnAbsoluteMs : (budget.absoluteMs ?? limits.turnAbsoluteMs);
    if (clock.now() - book.startedAt > Math.max(absoluteMs, 100)) this.#fail('the absolute bound did not fire');
  }

  #judge(known: CallerTurn, book: TurnBook | undefined): void {
    const { result, sent, cancelled } = known;
    const { ok, value } = result.settled!;
    const heard = (ok ? value : (value as { turn?: TurnResult }).turn) as TurnResult | undefined;
    if (!book) {
      if (this.world.everStalled) return;
      if (sent === true) this.#fail('a prompt is said to be written and was not');
      if (ok && (!cancelled || (value as TurnResult).outcome !== 'cancelled'))
        this.#fail('a turn that never was has ended well');
      this.#tell(`turn not sent: ${ok ? 'cancelled' : (value as AcpError).kind}`);
      return;
    }
    const text = tokensOf(heard?.text ?? '');
    const told = ok ? (value as TurnResult).outcome : (value as AcpError).kind;
    this.#tell(`turn: ${told}`);
    if (book.fuzzy) {
      const foreign = text.filter((n) => this.world.seen.get(n)?.sessionId !== known.on.session.id);
      if (foreign.length > 0) this.#fail('the text of a turn has text of another session');
      return;
    }
    if (!ok) return this.#judgeFailure(known, book, value as AcpError, text);
    if (!book.end) return this.#fail('a turn is over and the agent did not end it');
    const { outcome, stopReason, updates, permissions, cancelRequested } = value as TurnResult;
    if (book.end.failure) this.#fail('a turn that failed is said to have ended well');
    if (stopReason !== book.end.stopReason) this.#fail('the stop reason is not what the agent said');
    if (outcome !== (OUTCOMES[stopReason ?? ''] ?? 'other')) this.#fail('the outcome is not that of the stop reason');
    if (!same(text, book.text)) this.#fail(`the text of a turn is ${text.join()}, said was ${book.text.join()}`);
    if (updates !== book.updates.length) this.#fail('the updates of a turn are miscounted');
    if (permissions.length !== book.asked) this.#fail('the permissions of a turn are not all in its result');
    if (cancelRequested && !cancelled) this.#fail('a cancel is reported that nobody asked for');
  }

  #judgeFailure(known: CallerTurn, book: TurnBook, error: AcpError, text: number[]): void {
    const { clock, setup, handle, caller, books } = this.world;
    if (!startsWith(book.text, text)) this.#fail('the text of a failed turn is not what was said in it');
    if (handle?.state !== 'ready' && error.kind === handle?.closeReason) return;
    switch (error.kind) {
      case 'protocol':
      case 'agent-error':
      case 'auth-required':
        if (book.end?.failure !== error.kind)
          this.#fail(`a turn failed by ${error.kind} and the agent said no such thing`);
        return;
      case 'idle': {
        const quietMs = clock.now() - Math.max(book.startedAt, books.lastFrameAt);
        const { budget } = known.terms;
        const idleMs = typeof budget === 'object' ? budget.idleMs! : setup.limits.turnIdleMs;
        if (budget !== 'shared' && !caller.slowed && quietMs < Math.max(idleMs, 100))
          this.#fail('the idle bound fired too soon');
        return;
      }
      case 'absolute': {
        const { budget } = known.terms;
        const absoluteMs = (typeof budget === 'object' ? budget.absoluteMs : undefined) ?? setup.limits.turnAbsoluteMs;
        const early = clock.now() - book.startedAt < Math.max(absoluteMs, 100);
        if (budget !== 'shared' && early) this.#fail('the absolute bound fired too soon');
        return;
      }
      case 'cancel-unconfirmed': {
        const since = book.stoppedAt ?? Infinity;
        if (clock.now() - since < setup.limits.cancelGraceMs) this.#fail('the grace ended too soon');
        return;
      }
      default:
        if (handle?.state === 'ready') this.#fail(`a turn failed by ${error.kind} on a connection that is ready`);
    }
  }

  /** Every request of the agent that can be answered is. */
  #requests(): void {
    const { books, caller, setup, clock } = this.world;
    if (!this.#certain || caller.works.length > 0) return;
    for (const request of books.openRequests) {
      const { method, session, turn, withdrawn, n } = request;
      const group = books.requests.get(JSON.stringify(request.id));
      if ((group?.all.length ?? 0) > 1) continue;
      const elicits = method === 'elicitation/create' && setup.handlers;
      const serving = caller.serving.get(n);
      const asked = caller.asked.get(n);
      if (method === 'sim/ask' && setup.handlers) {
        if (!serving) this.#fail('a handler has answered and the agent was not');
        continue;
      }
      if (method === 'fs/read_text_file' && serves(this.world.agentSide.setup, method)) {
        const kept = books.naming > 0 && !caller.knows(session ?? '');
        if (!serving && !kept) this.#fail(`${method} is not answered`);
        continue;
      }
      if (method !== 'session/request_permission' && !elicits) {
        this.#fail(`${method} is not answered`);
        continue;
      }
      if (elicits && serving) {
        const bounded = turn ?? (serving.session === session ? undefined : this.#turnOf(serving));
        const late = !bounded && clock.now() - serving.since > setup.limits.requestLimitMs;
        if (withdrawn || (turn?.end && !turn.fuzzy) || late)
          this.#fail('an elicitation is open that nobody wants any more');
        continue;
      }
      const held = session === undefined ? undefined : caller.holds(session);
      const known = session !== undefined && caller.knows(session);
      if (!held && !known && books.naming > 0 && clock.now() - request.since > setup.limits.requestLimitMs)
        this.#fail('a request is kept past the request limit');
      if (!held && (books.naming > 0 || setup.scope === 'accept')) continue;
      const ours = session !== undefined && books.session(session);
      if (!held && session !== undefined && caller.knows(session)) {
        this.#fail('a permission of a session that opens or closes is not answered');
      } else if (!held) this.#fail('a permission of no session is not answered');
      else if (withdrawn) this.#fail('a permission that was withdrawn is not answered');
      else if (turn?.end && !turn.fuzzy) this.#fail('a turn has ended and a permission asked in it is not answered');
      else if (ours && ours.turn?.stoppedAt !== undefined && !ours.fuzzy)
        this.#fail('a turn is cancelled and a permission is not answered');
      else if (setup.policy === 'cancel' || setup.policy === 'unattended')
        this.#fail('the policy decides alone and has not');
      else if (!asked) this.#fail('a permission is open and nobody was asked');
      else if (asked.decided !== undefined) this.#fail('the embedder decided and the agent was not told');
      else if (setup.policy === 'ask-reject' && clock.now() - asked.since > setup.thinkMs)
        this.#fail('a permission is open past its time limit');
      else if (!turn && ours && !ours.fuzzy && clock.now() - asked.since > setup.limits.requestLimitMs)
        this.#fail('a permission outside of turns is open past the request limit');
    }
  }

  /** A request that names no session of ours may be served in a turn of the only one (`accept`), which then bounds it. */
  #turnOf({ session: id, since }: Serving): TurnBook | undefined {
    const { turn } = this.world.books.session(id);
    return turn && turn.startedAt <= since ? turn : undefined;
  }

  #sessions(): void {
    const { caller, books, seen } = this.world;
    if (!this.#certain || caller.works.length > 0) return;
    const open = new Set<string>();
    const unclear = new Set<string | undefined>();
    for (const { id, session, method, turn } of books.openRequests) {
      // Which of several with one id was answered cannot be told.
      const { all = [] } = books.requests.get(JSON.stringify(id)) ?? {};
      if (all.length > 1) for (const each of all) unclear.add(each.session);
      if (method === 'session/request_permission' && session !== undefined && (!turn || !turn.end)) open.add(session);
    }
    for (const { session, closing } of caller.sessions.values()) {
      if (closing) continue;
      const book = books.session(session.id);
      if (book.fuzzy || unclear.has(session.id)) continue;
      const { turn, working } = book;
      const settled = turn && caller.turns.get(turn.label)?.result.settled;
      const state = turn
        ? turn.stoppedAt !== undefined
          ? settled
            ? 'draining'
            : 'cancelling'
          : open.has(session.id)
            ? 'awaiting-permission'
            : 'running'
        : working
          ? 'background'
          : 'idle';
      if (session.state !== state) this.#fail(`a session is ${session.state} and by the books ${state}`);
      if (turn) for (const n of turn.updates) if (!seen.has(n)) this.#fail('an update of a turn was not delivered');
    }
  }

  #waits(): void {
    const { caller, clock } = this.world;
    for (const wait of caller.waits) {
      if (wait.settled) {
        caller.waits.delete(wait);
        this.#wait(wait, wait.settled);
      } else if (!caller.slowed && clock.now() - wait.since > wait.boundMs) {
        this.#fail(`${wait.what} has not settled within ${wait.boundMs} ms`);
      }
    }
  }

  #wait({ what, label }: Wait, { ok, value }: NonNullable<Wait['settled']>): void {
    if (ok) {
      if (what.startsWith('open')) this.#tell('session opened');
      return;
    }
    const { caller } = this.world;
    if (what === 'turn sent' || what === 'closed' || what === 'close' || what === 'dispose')
      this.#fail(`${what} rejected`);
    if (caller.reasons.has(value)) {
      const own = what === 'connect' ? caller.onConnect.signal.reason : caller.signals.get(label)?.signal.reason;
      if (own !== value) this.#fail(`${what} rejected by the reason of another signal`);
      return;
    }
    if (!(value instanceof AcpError)) return this.#fail(`${what} rejected by what is no AcpError: ${String(value)}`);
    if (what !== 'turn') this.#tell(`${what}: ${value.kind}`);
    if (!KINDS.has(value.kind) || !PHASES.has(value.phase)) this.#fail(`an error is ${value.kind} in ${value.phase}`);
    const shown = `${value.message} ${String(value.stack)} ${JSON.stringify(value)} ${inspect(value, { depth: 9 })}`;
    if (shown.includes(MARK)) this.#fail(`${what}: agent text in an error (${value.kind})`);
  }

  /** Nobody did anything for longer than any bound. */
  timeEndsAll(): void {
    const { caller, books } = this.world;
    const turnOf = (what: string): string | undefined =>
      ['turn', 'turn sent', 'reader', 'read'].includes(what) ? what : undefined;
    for (const { what, settled } of caller.waits) {
      if (!settled && what !== 'closed' && !turnOf(what)) this.#fail(`time did not end: ${what}`);
    }
    for (const { result, label, on, queue } of caller.turns.values()) {
      // A prompt that waits for a session in which the agent works by itself waits as long as that takes (rule 12).
      const session = books.session(on.session.id);
      const waits = queue && !books.turns.has(label) && (session.working || session.fuzzy);
      if (!result.settled && !waits) this.#fail('time did not end a turn');
    }
  }

  /** The caller was told that it is over. */
  get over(): boolean {
    const { caller } = this.world;
    return ![...caller.waits].some(({ what }) => what === 'close');
  }

  /** After the end: nothing is left. */
  finally(): void {
    const { caller, clock, agentSide, handle } = this.world;
    for (const wait of caller.waits) if (!wait.settled) this.#fail(`${wait.what} never settled`);
    for (const known of caller.turns.values()) if (!known.result.settled) this.#fail('a turn never settled');
    if (clock.pending !== caller.ownTimers) this.#fail(`${clock.pending - caller.ownTimers} timers are left`);
    if (!agentSide.pipe.writerClosed && !agentSide.pipe.broken) this.#fail('the stream to the agent was left open');
    if (handle && handle.state !== 'closed') this.#fail(`closed, and yet ${handle.state}`);
  }
}
