/** Frames to updates and events: whose it is, what it means, and who is told. High volume never enters a chart. */
import { INTERNAL_ERROR, type IncomingRequest } from '../rpc/messages.js';
import { toUpdate } from '../session/updates.js';
import type { NormalUpdate } from '../wire/normal.js';
import { isObject } from '../wire/values.js';
import type { Early } from './early.js';
import type { Inbound } from './inbound.js';
import type { Link } from './link.js';
import type { Where } from './listeners.js';
import type { Questions } from './questions.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';

const PERMISSION = 'session/request_permission';

/** Whose traffic it is: a session's, a closed one's, nobody's. */
type Owner = Seat | 'closed' | 'unknown';

export class Router {
  constructor(
    readonly link: Link,
    readonly seats: Seats,
    readonly questions: Questions,
    readonly inbound: Inbound,
    readonly early: Early,
  ) {}

  readonly notification = (method: string, params: unknown): void | Promise<void> => {
    if (method === 'session/update') return this.#update(params);
    if (method === '$/cancel_request') this.#withdraw(params);
    else this.link.listeners.emit('notification', { method, params });
  };

  readonly request = (incoming: IncomingRequest): void => {
    if (incoming.method === PERMISSION) this.#permission(incoming);
    else this.inbound.accept(incoming);
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
    const owner = this.#ownerOf(id);
    if (owner instanceof Object) return this.#deliver(owner, update);
    const bytes = this.link.wire?.frameBytes ?? 0;
    if (owner === 'unknown' && id !== undefined && this.early.keep(id, bytes, () => this.#lateKnown(id, update)))
      return;
    this.#stray(owner);
  }

  /** Kept until its id was known, or could not become known any more. */
  #lateKnown(id: string, update: unknown): void | Promise<void> {
    const owner = this.#ownerOf(id);
    if (owner instanceof Object) return this.#deliver(owner, update);
    this.#stray(owner);
  }

  #stray(owner: 'closed' | 'unknown'): void {
    const { stats } = this.link;
    if (owner === 'closed') stats.closedUpdates += 1;
    else {
      stats.strayUpdates += 1;
      this.#mismatch();
    }
  }

  /** Strict scope: an id that is nobody's is past trusting the agent. */
  #mismatch(): void {
    const { link } = this;
    if (link.settings.scope === 'strict') link.root.send({ type: 'transport.fatal', reason: 'scope-mismatch' });
  }

  #ownerOf(id: string | undefined): Owner {
    const { scope } = this.link.settings;
    const known = id === undefined ? undefined : this.seats.byId(id);
    if (known) return known;
    if (scope === 'accept') {
      const only = this.seats.only();
      if (only) return only;
    }
    return id !== undefined && this.seats.wasClosed(id) ? 'closed' : 'unknown';
  }

  #deliver(seat: Seat, wire: unknown): void | Promise<void> {
    const { link } = this;
    const { stats } = link;
    const read = link.dialect.readUpdate(wire);
    if (read.kind === 'unknown') {
      if (read.known) stats.malformedUpdates += 1;
      else stats.unknownUpdates += 1;
    }
    const turn = seat.turnActor;
    const running = turn?.getSnapshot().hasTag('acceptsUpdates') === true;
    const replaying = !running && seat.actor.getSnapshot().hasTag('replaying');
    const phase: Where['phase'] = running ? 'turn' : replaying ? 'replay' : 'between';
    if (phase === 'between' && seat.hadTurns) stats.lateUpdates += 1;
    if (phase === 'replay') seat.lastUpdateAt = link.clock.now();
    if (seat.options.apply(read)) seat.changes.tell();
    const run = running ? seat.run : undefined;
    const update = toUpdate(read, seat.tools, run?.transcript);
    const listening = link.listeners.update(update, { sessionId: seat.id ?? '', phase });
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
    const owner = this.#ownerOf(id);
    const ask = (whose: Owner): void => {
      if (incoming.answered) return;
      if (whose instanceof Object) return this.questions.accept(whose, incoming, reading);
      this.questions.turnAway(incoming, id ?? '', whose === 'closed' ? 'closed' : 'scope');
      if (whose === 'unknown') this.#mismatch();
    };
    const bytes = this.link.wire?.frameBytes ?? 0;
    const kept = owner === 'unknown' && id !== undefined && this.early.keep(id, bytes, () => ask(this.#ownerOf(id)));
    if (!kept) ask(owner);
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
