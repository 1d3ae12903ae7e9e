/** Opening sessions: the request that the session chart asks for, and what its answer means. */
import type { Loss } from '../../machines/index.js';
import type { Answer } from '../rpc/messages.js';
import { arm } from '../framing/alarm.js';
import { failureOf, spentFailure, termsOf, watchOn } from './calls.js';
import type { Closings } from './closings.js';
import type { Early } from './early.js';
import type { Link } from './link.js';
import type { OpeningPorts, SessionActor } from './ports.js';
import type { Opening, Seat } from './seat.js';
import type { Seats } from './seats.js';

/** However talkative the replay, it is over this long after the answer. */
const LONGEST_REPLAY_MS = 2_000;

export class Openings implements OpeningPorts {
  constructor(
    readonly link: Link,
    readonly seats: Seats,
    readonly early: Early,
    readonly closings: Closings,
  ) {}

  open(opening: Opening): Promise<Seat> {
    const { link } = this;
    const signal = opening.options?.signal;
    if (!link.ready) return Promise.reject(link.closedError('session'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const spent = spentFailure(link, opening.options?.budget, 'session');
    if (spent) return Promise.reject(link.error(spent));
    const { asked } = opening;
    if (asked !== undefined && this.seats.byId(asked)) {
      const state = this.seats.byId(asked)?.state ?? 'idle';
      return Promise.reject(link.error({ kind: 'busy', phase: 'session', sessionId: asked, state }));
    }
    if (asked !== undefined) this.early.forget(asked);
    // In strict scope what was forgotten ends the connection.
    if (!link.ready) return Promise.reject(link.closedError('session'));
    const seat = this.seats.create(opening);
    if (asked !== undefined) this.seats.register(asked, seat);
    const onAbort = (): void => {
      seat.opened.reject(signal?.reason);
      // The agent may have opened it, with what came before its answer still being delivered.
      seat.actor.send({ type: 'user.close', asks: this.#closesAtAgent });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const done = (): void => signal?.removeEventListener('abort', onAbort);
    seat.opened.promise.then(done, done);
    link.root.send({ type: 'user.openSession', session: seat.serial, replays: opening.replays });
    return seat.opened.promise;
  }

  sendOpen(session: number, actor: SessionActor): void {
    const { link } = this;
    const seat = this.seats.bySerial(session);
    if (!seat || !link.wire) return;
    seat.actor = actor;
    actor.subscribe({
      next: () => seat.changes.tell(),
      complete: () => seat.changes.tell(),
      error: () => this.closings.broken(seat),
    });
    const { call, options, replays } = seat.opening;
    const terms = termsOf(link, options, replays ? 'load' : 'call');
    seat.watch = watchOn(link, { phase: 'session', sessionId: seat.id }, terms, (report) => {
      seat.failure = { kind: report.bound, phase: 'session', budget: report };
      actor.send({ type: 'clock.bound', bound: report.bound });
    });
    seat.request = link.call(call, (answer) => {
      seat.request = undefined;
      return this.#answered(seat, answer);
    });
  }

  #answered(seat: Seat, answer: Answer): void | Promise<void> {
    const { link } = this;
    if (answer.kind === 'closed') return;
    const reading = answer.kind === 'result' ? link.dialect.readSession(answer.result) : undefined;
    const { asked, via } = seat.opening;
    if (seat.over) return this.#tooLate(seat, reading?.sessionId ?? (reading && asked));
    if (answer.kind !== 'result') {
      seat.failure = failureOf(link, answer, 'session');
    } else if (!reading) {
      seat.failure = { kind: 'protocol', phase: 'session' };
    } else if (asked === undefined && reading.sessionId === undefined) {
      seat.failure = { kind: 'protocol', phase: 'session' };
    } else if (
      asked !== undefined &&
      reading.sessionId !== undefined &&
      reading.sessionId !== asked &&
      via !== 'fork'
    ) {
      seat.failure = { kind: 'scope-mismatch', phase: 'session' };
    } else if (reading.sessionId !== undefined && asked === undefined && this.seats.byId(reading.sessionId)) {
      // The agent handed out the id of a session that is open: whose traffic it is could never be told.
      seat.failure = { kind: 'scope-mismatch', phase: 'session' };
    }
    if (seat.failure || !reading) return seat.actor.send({ type: 'agent.openError' });
    seat.lastUpdateAt = link.clock.now();
    if (asked === undefined && reading.sessionId !== undefined) this.seats.register(reading.sessionId, seat);
    // Some agents have one list of models for all sessions, in the answer to `initialize`.
    const { models = link.facts.models } = reading;
    seat.apply(models === undefined ? reading : { ...reading, models });
    seat.actor.send({ type: 'agent.opened' });
    const flushing = this.early.flush();
    return flushing ? flushing.then(() => this.#flushed(seat)) : this.#flushed(seat);
  }

  /**
   * The caller gets the session when it is open and what came before the answer was delivered (rule 9). One that ended
   * meanwhile was refused by what ended it, and a promise settles once.
   */
  #flushed(seat: Seat): void {
    seat.flushed = true;
    if (seat.actor.getSnapshot().hasTag('open')) seat.opened.resolve(seat);
  }

  /** Nobody waits for the session any more, but the agent has opened it: it is closed, or forgotten. */
  #tooLate(seat: Seat, id: string | undefined): void | Promise<void> {
    if (seat.opening.asked === undefined) this.seats.abandon(-1);
    if (id === undefined || this.seats.byId(id)) return this.early.expectNothing();
    this.seats.close(id);
    this.#closeAtAgent(id);
    return this.early.flush();
  }

  get #closesAtAgent(): boolean {
    const { link } = this;
    // Asked of the reason: while the root is closing, its snapshot is still that of before.
    return (
      link.ready &&
      link.closeReason === undefined &&
      link.dialect.advertises(link.facts.capabilities, 'sessionCapabilities.close')
    );
  }

  #closeAtAgent(id: string | undefined): void {
    if (id !== undefined && this.#closesAtAgent) this.link.call(this.link.dialect.closeSession(id), () => {});
  }

  awaitQuiet(session: number): void {
    const { link } = this;
    const seat = this.seats.bySerial(session);
    if (!seat) return;
    const { replayQuietMs } = link.settings;
    const last = link.clock.now() + LONGEST_REPLAY_MS;
    const look = (): void => {
      const left = Math.min(seat.lastUpdateAt + replayQuietMs, last) - link.clock.now();
      if (left <= 0) {
        forget();
        seat.actor.send({ type: 'clock.replayQuiet' });
      } else {
        disarm = arm(link.clock, left, look);
      }
    };
    let disarm = (): void => {};
    const forget = link.waits.add(() => disarm());
    const stop = (): void => {
      disarm();
      forget();
    };
    seat.opened.promise.then(stop, stop);
    look();
  }

  settleOpen(session: number, opened: boolean, loss: Loss | undefined): void {
    const { link } = this;
    const seat = this.seats.bySerial(session);
    if (!seat) return;
    seat.unwatch();
    if (opened) {
      if (seat.flushed) seat.opened.resolve(seat);
      return;
    }
    const isAnswered = loss !== undefined && seat.request === undefined;
    // A load that failed leaves its id unknown again, so does one whose answer will come too late; what the agent has
    // opened and nobody will hold is closed.
    this.seats.remove(seat, isAnswered);
    if (isAnswered) this.#closeAtAgent(seat.id);
    else if (loss !== undefined && seat.opening.asked === undefined) this.seats.abandon(1);
    link.withdraw(seat.request);
    void this.early.expectNothing();
    const sessionId = seat.opening.asked;
    if (seat.failure) return seat.opened.reject(link.error({ sessionId, ...seat.failure }));
    seat.opened.reject(link.lossError(loss ?? 'protocol', 'session', { sessionId }));
  }
}
