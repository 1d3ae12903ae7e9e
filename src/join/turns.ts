/** Turns: what the session and turn charts ask to be written, and what the caller of a prompt is told. */
import type { Settlement } from '../../machines/index.js';
import { spentFailure, termsOf, watchOn } from './calls.js';
import type { Failure } from './failure.js';
import { outcomeOf } from './heard.js';
import type { Link } from './link.js';
import type { TurnPorts } from './ports.js';
import type { Prompts } from './prompts.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';
import { TurnRun, type TurnOrder } from './turnRun.js';

/** Prompts that may wait for one session. */
const LONGEST_QUEUE = 1_000;

export class Turns implements TurnPorts {
  #next = 1;

  constructor(
    readonly link: Link,
    readonly seats: Seats,
    readonly prompts: Prompts,
  ) {}

  /** Never throws: what refuses the prompt rejects its result. `order` is made here, so that its refusal does too. */
  prompt(seat: Seat, order: () => TurnOrder, signal: AbortSignal | undefined): TurnRun {
    const run = new TurnRun(this.#next++);
    try {
      run.order = order();
    } catch (refused) {
      this.#end(run, refused as Error);
      return run;
    }
    if (signal) {
      const onAbort = (): void => void this.cancel(seat, run);
      signal.addEventListener('abort', onAbort, { once: true });
      run.forgetSignal = () => signal.removeEventListener('abort', onAbort);
    }
    const { budget, queue } = run.order;
    const spent = spentFailure(this.link, budget, 'turn');
    if (signal?.aborted) this.#neverSent(seat, run, undefined);
    else if (!this.link.ready) this.#neverSent(seat, run, 'lost');
    else if (seat.over) this.#neverSent(seat, run, 'closed');
    else if (spent) this.#refuse(seat, run, spent);
    else if (queue && (seat.state !== 'idle' || seat.queue.length > 0)) this.#wait(seat, run);
    else this.#start(seat, run);
    return run;
  }

  #start(seat: Seat, run: TurnRun): void {
    const event = { type: 'user.prompt', turn: run.serial } as const;
    if (!seat.actor.getSnapshot().can(event)) {
      const { state } = seat;
      const kind = seat.actor.getSnapshot().hasTag('busy') ? 'busy' : 'illegal-transition';
      this.#refuse(seat, run, state === 'closed' ? { kind: 'closed', phase: 'turn' } : { kind, phase: 'turn', state });
      return;
    }
    seat.turns.set(run.serial, run);
    seat.actor.send(event);
  }

  #wait(seat: Seat, run: TurnRun): void {
    if (seat.queue.length >= LONGEST_QUEUE) {
      this.#refuse(seat, run, { kind: 'busy', phase: 'turn', state: seat.state });
      return;
    }
    seat.queue.push(run);
    const { link } = this;
    const { budget, shared } = run.order;
    if (!shared || !budget) return;
    // A shared budget runs while its turn waits; the idle clock does not, for nothing was asked of the agent yet.
    const { idle: _idle, ...terms } = termsOf(link, { budget }, 'turn');
    run.watch = watchOn(link, { phase: 'turn', sessionId: seat.id }, terms, (report) => {
      seat.queue.splice(seat.queue.indexOf(run), 1);
      this.#refuse(seat, run, { kind: report.bound, phase: 'turn', budget: report });
    });
  }

  reportIdle(session: number): void {
    const seat = this.seats.bySerial(session);
    // The chart is still in the transition; the next prompt goes when it has arrived.
    if (seat && seat.queue.length > 0) queueMicrotask(() => this.#takeNext(seat));
  }

  #takeNext(seat: Seat): void {
    if (seat.over) return this.drop(seat, 'closed');
    if (seat.state !== 'idle') return;
    const run = seat.queue.shift();
    if (!run) return;
    run.watch?.stop();
    this.#start(seat, run);
  }

  /** The session is over: nothing that waits for it will ever be written. */
  drop(seat: Seat, why: 'closed' | 'lost'): void {
    for (const run of seat.queue.splice(0)) this.#neverSent(seat, run, why);
  }

  sendPrompt(session: number, turn: number): void {
    const seat = this.seats.bySerial(session);
    const run = seat?.turns.get(turn);
    const { link } = this;
    if (!seat || !run || seat.id === undefined || !link.wire) return;
    this.prompts.send(seat, run);
    const about = { phase: 'turn', sessionId: seat.id } as const;
    run.watch = watchOn(link, about, termsOf(link, { budget: run.order.budget }, 'turn'), (report) => {
      run.report = report;
      run.reader.release();
      seat.actor.send({ type: 'clock.bound', bound: report.bound });
    });
    for (let i = 0; i < seat.owed; i += 1) run.watch.pause('owed');
  }

  /** Settles when `session/cancel` is written; a prompt that still waits is taken out, and nothing is sent. */
  cancel(seat: Seat, run: TurnRun): Promise<void> {
    const waits = seat.queue.indexOf(run);
    if (waits >= 0) {
      seat.queue.splice(waits, 1);
      this.#neverSent(seat, run, undefined);
      return Promise.resolve();
    }
    if (seat.run !== run || seat.over) return Promise.resolve();
    if (!seat.actor.getSnapshot().can({ type: 'user.cancel' })) return run.cancelled.promise;
    seat.actor.send({ type: 'user.cancel' });
    return run.cancelled.promise;
  }

  writeCancel(session: number): void {
    const seat = this.seats.bySerial(session);
    const run = seat?.run;
    if (!seat || !run || seat.id === undefined) return;
    run.reader.release();
    seat.cancelElicitations();
    run.refuseNow?.();
    run.transcript.cancelUnfinished(seat.tools);
    const call = this.link.dialect.cancel(seat.id);
    const written = this.link.wire?.notify(call.method, call.params) ?? Promise.resolve(false);
    void written.then(() => run.cancelled.resolve());
  }

  settleTurn(settlement: Settlement): void {
    const seat = this.seats.bySerial(settlement.session);
    const run = seat?.turns.get(settlement.turn);
    if (!seat || !run) return;
    seat.turns.delete(settlement.turn);
    seat.hadTurns = true;
    this.#forget(run);
    run.reader.release();
    // No code of the embedding program runs inside a chart.
    if (run.elicitations.size > 0) queueMicrotask(() => [...run.elicitations].forEach((giveUp) => giveUp()));
    // What listeners still work on belongs to the turn; their own limit bounds the wait. So do the questions that end with
    // it: the session answers them after this, in the same transition.
    const busy = this.link.listeners.whenDone() ?? Promise.resolve();
    void busy.then(() => this.#settle(seat, run, settlement));
  }

  #settle(seat: Seat, run: TurnRun, settlement: Settlement): void {
    const heard = run.heard(settlement);
    if (settlement.failure === undefined) {
      const { stopReason } = settlement;
      run.result.resolve({ outcome: outcomeOf(stopReason), stopReason, ...heard });
      run.reader.end();
      return;
    }
    const more: Partial<Failure> = {
      sessionId: seat.id,
      turn: heard,
      budget: run.report,
      said: run.said,
      cause: run.cause,
    };
    if (run.agentCode !== undefined) more.agentCode = run.agentCode;
    if (settlement.failure === 'auth-required') more.authMethods = this.link.logins.methods;
    const error = this.link.lossError(settlement.failure, 'turn', more);
    run.result.reject(error);
    run.reader.end(error);
  }

  /** Whatever the charts would have said: they are broken. */
  abandon(seat: Seat, run: TurnRun): void {
    seat.turns.delete(run.serial);
    const turn = run.heard({ cancelRequested: false });
    this.#end(run, this.link.lossError('io', 'turn', { sessionId: seat.id, turn }));
  }

  #refuse(seat: Seat, run: TurnRun, failure: Failure): void {
    this.#end(run, this.link.error({ sessionId: seat.id, ...failure }));
  }

  /** Never written: `why` undefined means that the caller cancelled it, which is an outcome and no failure. */
  #neverSent(seat: Seat, run: TurnRun, why: 'closed' | 'lost' | undefined): void {
    if (why === 'lost') return this.#end(run, this.link.closedError('turn'));
    if (why === 'closed') return this.#refuse(seat, run, { kind: 'closed', phase: 'turn', reason: 'closed' });
    this.#forget(run);
    run.result.resolve({ outcome: 'cancelled', stopReason: undefined, ...run.heard({ cancelRequested: true }) });
    run.reader.end();
  }

  #forget(run: TurnRun): void {
    run.watch?.stop();
    run.forgetSignal();
    run.sent.resolve(false);
    run.cancelled.resolve();
  }

  #end(run: TurnRun, error: Error): void {
    this.#forget(run);
    run.result.reject(error);
    run.reader.end(error);
  }
}
