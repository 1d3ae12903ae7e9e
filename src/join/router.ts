/** Frames to updates and events: whose it is, what it means, and who is told. High volume never enters a chart. */
import { CANCEL_REQUEST, INTERNAL_ERROR, type IncomingRequest } from '../rpc/messages.js';
import { toUpdate } from '../session/updates.js';
import type { NormalUpdate } from '../wire/normal.js';
import { isObject } from '../wire/values.js';
import type { Early } from './early.js';
import type { Inbound } from './inbound.js';
import type { Link } from './link.js';
import type { Where } from './listeners.js';
import type { Questions } from './questions.js';
import type { Owner, Owners } from './owners.js';
import type { Seat } from './seat.js';
import type { Owned } from './seats.js';

const PERMISSION = 'session/request_permission';

export class Router {
  constructor(
    readonly link: Link,
    readonly owners: Owners,
    readonly questions: Questions,
    readonly inbound: Inbound,
    readonly early: Early,
  ) {}

  readonly notification = (method: string, params: unknown): void | Promise<void> => {
    if (method === 'session/update') return this.#update(params);
    if (method === CANCEL_REQUEST) this.#withdraw(params);
    else this.link.listeners.emit('notification', { method, params });
  };

  readonly request = (incoming: IncomingRequest): void => {
    if (incoming.method === PERMISSION) this.#permission(incoming);
    else this.#serve(incoming);
  };

  readonly skipped = (line: string): void => {
    const { listeners, observing, clock } = this.link;
    listeners.emit('skipped', line);
    if (!observing.active) return;
    const at = clock.now();
    observing.each((observer) => observer.skipped?.({ at, line }));
  };

  #update(params: unknown): void | Promise<void> {
    const sessionId = isObject(params) ? params['sessionId'] : undefined;
    const update = isObject(params) ? params['update'] : undefined;
    const id = typeof sessionId === 'string' ? sessionId : undefined;
    const owner = this.owners.of(id);
    // Nearly every frame: nothing is made for it that its listener does not get.
    if (typeof owner === 'object') return this.#deliver(owner, update);
    return this.#whenKnown(id, (later) => {
      if (typeof later === 'object') return this.#deliver(later, update);
      this.owners.stray(later);
    });
  }

  /** Traffic for an id that an answer under way may name is kept until it is known, or cannot become known any more. */
  #whenKnown(
    id: string | undefined,
    handle: (owner: Owner) => void | Promise<void>,
    giveUp?: () => void,
  ): void | Promise<void> {
    const owner = this.owners.of(id);
    const bytes = this.link.wire?.frameBytes ?? 0;
    const later = owner === 'unknown' && id !== undefined;
    if (later && this.early.keep(id, bytes, () => handle(this.owners.of(id)), giveUp)) return;
    return handle(owner);
  }

  #deliver(owned: Owned, wire: unknown): void | Promise<void> {
    const { stats, dialect } = this.link;
    const read = dialect.readUpdate(wire);
    if (read.kind === 'unknown') {
      if (read.known) stats.malformedUpdates += 1;
      else stats.unknownUpdates += 1;
    }
    if (read.kind !== 'info' || read.childId === undefined) return this.#tell(owned, read);
    const announced = this.owners.seats.announce(owned.seat, read.childId);
    const telling = this.#tell(owned, read);
    if (!announced) return telling;
    return telling ? telling.then(() => this.early.known()) : this.early.known();
  }

  #tell({ seat, childId }: Owned, read: NormalUpdate): void | Promise<void> {
    const { link } = this;
    const { stats } = link;
    const turn = seat.turnActor;
    const running = turn?.getSnapshot().hasTag('acceptsUpdates') === true;
    const replaying = !running && seat.actor.getSnapshot().hasTag('replaying');
    const phase: Where['phase'] = running ? 'turn' : replaying ? 'replay' : 'between';
    if (phase === 'replay') seat.lastUpdateAt = link.clock.now();
    const where: Where = { sessionId: seat.id ?? '', phase };
    if (childId !== undefined) {
      // Surfaced under its parent, and in nothing that is the parent's: no text, no options, no end of a turn.
      return link.listeners.update(toUpdate(read, seat.storesOf(childId), undefined), { ...where, childId });
    }
    if (phase === 'between' && seat.hadTurns) stats.lateUpdates += 1;
    if (seat.options.apply(read) || seat.info.apply(read)) seat.changes.tell();
    const run = running ? seat.run : undefined;
    const update = toUpdate(read, seat, run?.transcript);
    const listening = link.listeners.update(update, where);
    const reading = run?.take(read, update, link.wire?.frameBytes ?? 0);
    if (read.kind === 'state') this.#moves(seat, read);
    if (listening && reading) return Promise.all([listening, reading]).then(() => {});
    return listening ?? reading;
  }

  /** v2: the state of the session's work. It ends turns, so the charts hear of it, after it was delivered. */
  #moves(seat: Seat, read: Extract<NormalUpdate, { kind: 'state' }>): void {
    const idle = read.state === 'idle';
    const turn = seat.turnActor;
    const run = seat.run;
    if (!turn) return seat.actor.send(idle ? { type: 'agent.idle' } : { type: 'agent.working' });
    if (!idle) return turn.send({ type: 'agent.working' });
    const failed = read.stopReason === 'error';
    if (failed && run) run.agentCode = read.errorCode ?? INTERNAL_ERROR;
    turn.send({ type: 'agent.idle', stopReason: read.stopReason, failed });
  }

  #permission(incoming: IncomingRequest): void {
    const reading = this.link.dialect?.readPermission(incoming.params);
    if (!reading) return this.questions.refuse(incoming);
    const id = reading.sessionId;
    const turnAway = (cause: 'bound' | 'closed' | 'scope'): void => {
      if (!incoming.answered) this.questions.turnAway(incoming, id ?? '', cause);
    };
    const handle = (owner: Owner): void => {
      if (incoming.answered) return;
      if (typeof owner === 'object') return this.questions.accept(owner, incoming, reading);
      turnAway(owner === 'closed' ? 'closed' : 'scope');
      if (owner === 'unknown') this.owners.mismatch();
    };
    void this.#whenKnown(id, handle, () => turnAway('bound'));
  }

  /** Whatever else the agent asks for: of a session, or of none. */
  #serve(incoming: IncomingRequest): void {
    const named = this.inbound.sessionOf(incoming);
    if (!named) return this.inbound.accept(incoming, undefined);
    const handle = (owner: Owner): void => {
      if (incoming.answered) return;
      if (typeof owner === 'object') return this.inbound.accept(incoming, owner);
      this.inbound.turnAway(incoming);
      if (owner === 'unknown') this.owners.mismatch();
    };
    void this.#whenKnown(named.id, handle, () => this.inbound.turnAway(incoming));
  }

  #withdraw(params: unknown): void {
    const id = isObject(params) ? params['requestId'] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const incoming = this.link.wire?.findRequest(id);
    if (!incoming) return;
    if (this.questions.withdraw(incoming)) return;
    if (incoming.method !== PERMISSION) return this.inbound.abort(incoming);
    // It waits for its session to be known, and nobody was asked yet.
    const sessionId = this.link.dialect.readPermission(incoming.params)?.sessionId ?? '';
    this.questions.turnAway(incoming, sessionId, 'withdrawn');
  }
}
