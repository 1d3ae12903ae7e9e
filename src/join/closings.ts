/** Closing sessions: by `session/close` where the agent has it, by forgetting, or because a chart broke. */
import type { Loss } from '../../machines/index.js';
import { NOT_FOUND } from '../rpc/messages.js';
import { failureOf, spentFailure, termsOf, waitFor, watchOn, type CallOptions } from './calls.js';
import { deferred, type Deferred } from './deferred.js';
import type { Link } from './link.js';
import type { ClosingPorts } from './ports.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';
import type { Turns } from './turns.js';

export class Closings implements ClosingPorts {
  constructor(
    readonly link: Link,
    readonly seats: Seats,
    readonly turns: Turns,
  ) {}

  /** Closes at the agent where it can, else forgets. What gives up the wait, a turn that must end first included, does not stop it. */
  close(seat: Seat, options: CallOptions | undefined, asks: boolean): Promise<void> {
    const { link } = this;
    if (seat.over) return Promise.resolve();
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason as Error);
    const spent = spentFailure(link, options?.budget, 'close');
    if (spent) return Promise.reject(link.error({ sessionId: seat.id, ...spent }));
    const waiting = waitFor<void>(link, { phase: 'close', options, sessionId: seat.id, terms: termsOf(link, options) });
    (seat.closing ?? this.#begin(seat, options, asks)).promise.then(waiting.resolve, waiting.reject);
    return waiting.promise;
  }

  #begin(seat: Seat, options: CallOptions | undefined, asks: boolean): Deferred<void> {
    const closing = (seat.closing = deferred<void>());
    seat.closeOptions = options;
    this.turns.drop(seat, 'closed');
    seat.run?.reader.release();
    seat.actor.send({ type: 'user.close', asks });
    return closing;
  }

  sendClose(session: number): void {
    const { link } = this;
    const seat = this.seats.bySerial(session);
    if (!seat || seat.id === undefined) return;
    const about = { phase: 'close', sessionId: seat.id } as const;
    seat.watch = watchOn(link, about, termsOf(link, seat.closeOptions), (report) => {
      seat.failure = { kind: report.bound, phase: 'close', budget: report };
      seat.actor.send({ type: 'clock.bound', bound: report.bound });
    });
    link.call(link.dialect.closeSession(seat.id), (answer) => {
      if (answer.kind === 'closed') return;
      // After a bound or a loss the session is closed for us, whatever the agent says late.
      if (seat.over) return;
      // A session that the agent does not know is closed.
      const refused = answer.kind === 'malformed' || (answer.kind === 'error' && answer.code !== NOT_FOUND);
      if (refused) seat.failure = failureOf(link, answer, 'close');
      seat.actor.send({ type: 'agent.sessionClosed' });
    });
  }

  settleClose(session: number, loss: Loss | undefined): void {
    const { link } = this;
    const seat = this.seats.bySerial(session);
    if (!seat) return;
    seat.unwatch();
    this.seats.remove(seat, true);
    this.turns.drop(seat, loss === undefined ? 'closed' : 'lost');
    // Only a turn whose own chart broke is still here.
    for (const run of [...seat.turns.values()]) this.turns.abandon(seat, run);
    // It ended before it could be given to whoever opened it.
    if (!seat.flushed) seat.opened.reject(link.lossError(loss ?? 'closed', 'session', { sessionId: seat.id }));
    const { closing } = seat;
    if (!closing) return;
    if (seat.failure) closing.reject(link.error({ sessionId: seat.id, ...seat.failure }));
    else if (loss !== undefined) closing.reject(link.lossError(loss, 'close', { sessionId: seat.id }));
    else closing.resolve();
  }

  /** The session's chart broke. XState stops no children and settles nothing, so this does. */
  broken(seat: Seat): void {
    const { link } = this;
    seat.unwatch();
    for (const run of [...seat.turns.values()]) this.turns.abandon(seat, run);
    this.turns.drop(seat, 'lost');
    seat.turnActor?.stop();
    const error = link.lossError('io', 'session', { sessionId: seat.id });
    seat.opened.reject(error);
    seat.closing?.reject(error);
    this.seats.remove(seat, true);
    seat.changes.tell();
  }
}
