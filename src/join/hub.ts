/** One connection, put together: the root actor, its ports, and the parts that carry them out. */
import type { Loss } from '../../machines/index.js';
import { TicketDesk } from '../rpc/tickets.js';
import { spentFailure } from './calls.js';
import { Closings } from './closings.js';
import { deferred } from './deferred.js';
import { Early } from './early.js';
import { Handshake } from './handshake.js';
import { Inbound } from './inbound.js';
import { Link } from './link.js';
import { Login } from './login.js';
import { Notifier } from './notifier.js';
import { Openings } from './openings.js';
import { Owners } from './owners.js';
import { createRoot, type ConnectionPorts } from './ports.js';
import { ProcessPort } from './processPort.js';
import { Prompts } from './prompts.js';
import { Questions } from './questions.js';
import { Router } from './router.js';
import { Seats } from './seats.js';
import type { Settings } from './settings.js';
import { Turns } from './turns.js';
import type { ErrorKind } from './failure.js';
import type { ExitInfo } from '../process/agentProcess.js';

export interface CloseInfo {
  /** `closed`: by us; else what ended it. */
  reason: ErrorKind;
  exit?: ExitInfo;
  error?: Error;
}

export class Hub implements ConnectionPorts {
  readonly link: Link;
  readonly seats = new Seats();
  readonly turns: Turns;
  readonly openings: Openings;
  readonly closings: Closings;
  readonly questions: Questions;
  readonly handshake: Handshake;
  readonly login: Login;
  #tickets: TicketDesk | undefined;
  readonly #inbound: Inbound;
  readonly #process: ProcessPort;
  readonly #closed = deferred<CloseInfo>();
  /** Of changes of the connection's state. */
  readonly changes = new Notifier();

  constructor(settings: Settings) {
    const link = (this.link = new Link(settings));
    this.handshake = new Handshake(link);
    this.login = new Login(link, this.handshake);
    this.turns = new Turns(link, this.seats, new Prompts(link, this.login));
    const early = new Early(link, this.seats);
    this.closings = new Closings(link, this.seats, this.turns);
    this.openings = new Openings(link, this.seats, early, this.closings);
    this.questions = new Questions(link);
    this.#inbound = new Inbound(link);
    const owners = new Owners(link, this.seats);
    const router = new Router(link, owners, this.questions, this.#inbound, early);
    this.#process = new ProcessPort(link, router);
    link.root = createRoot(
      {
        input: {
          versions: settings.versions,
          canStartAgain: settings.source.kind === 'command',
          closeGraceMs: settings.closeGraceMs,
          cancelGraceMs: settings.cancelGraceMs,
        },
        clock: settings.clock,
        inspect: this.#watched(settings.inspect),
      },
      {
        process: this.#process,
        handshake: this.handshake,
        connection: this,
        openings: this.openings,
        closings: this.closings,
        turns: this.turns,
        questions: this.questions,
      },
    );
  }

  /** What watches the charts: it must not throw inside of one. Undefined where nobody does, for it costs. */
  #watched(inspect: Settings['inspect']): Settings['inspect'] {
    const { observing, stats } = this.link;
    if (!inspect && !observing.active) return undefined;
    const tell = typeof inspect === 'function' ? inspect : inspect?.next?.bind(inspect);
    return (event) => {
      try {
        tell?.(event);
      } catch {
        stats.listenerErrors += 1;
      }
      if (observing.active) observing.inspected(event);
    };
  }

  /** Starts the agent and does the handshake. */
  connect(): Promise<void> {
    const { link } = this;
    const spent = spentFailure(link, link.settings.budget, 'spawn');
    if (spent) {
      // Nothing was started, so no chart will say that it is over: whoever waits for `closed` is told here.
      const error = link.error(spent);
      this.#closed.resolve({ reason: spent.kind, error });
      return Promise.reject(error);
    }
    link.root.subscribe({
      next: () => this.changes.tell(),
      complete: () => this.changes.tell(),
      // A broken chart or port: whoever waits is told, and nothing is left running.
      error: () => this.#backstop(),
    });
    this.handshake.begin();
    const source = { now: () => link.clock.now(), stats: () => link.stats, waits: () => link.waitsSeen() };
    link.observing.each((observer) => observer.opened?.({ at: link.clock.now(), source }));
    link.root.start();
    return this.handshake.connected.promise;
  }

  /** Requests by hand, on the wire that the handshake settled on. */
  get tickets(): TicketDesk | undefined {
    const { wire } = this.link;
    if (!this.#tickets && wire) this.#tickets = new TicketDesk(wire);
    return this.#tickets;
  }

  /** What the connection chart says, by its tags. */
  get state(): 'connecting' | 'ready' | 'closing' | 'closed' {
    const root = this.link.root.getSnapshot();
    if (root.status !== 'active' || root.hasTag('closed')) return 'closed';
    if (root.hasTag('closing')) return 'closing';
    return root.hasTag('ready') ? 'ready' : 'connecting';
  }

  get closed(): Promise<CloseInfo> {
    return this.#closed.promise;
  }

  /** Idempotent, never rejects. */
  async close(): Promise<void> {
    this.link.tell({ type: 'user.close' });
    await this.#closed.promise;
  }

  loseSessions(reason: Loss): void {
    this.link.closeReason ??= reason;
    for (const seat of this.seats.all()) {
      seat.run?.reader.release();
      // One that is being opened has no actor yet when the root goes in the same step.
      if (seat.actor) seat.actor.send({ type: 'transport.closed', reason });
      else seat.opened.reject(this.link.lossError(reason, 'session'));
    }
    this.link.waits.lose(reason);
    this.#inbound.abortAll();
    queueMicrotask(() => this.link.lifetime.abort());
  }

  settleClosed(reason: Loss): void {
    const { link } = this;
    this.#process.dispose();
    const error = reason === 'closed' ? undefined : link.lossError(reason, 'close');
    const info: CloseInfo = { reason };
    if (link.exit) info.exit = link.exit;
    if (error) info.error = error;
    const at = link.clock.now();
    link.observing.each((observer) => observer.closed?.({ at, reason }));
    this.#closed.resolve(info);
  }

  /** XState stops no children of an actor that errored and settles nothing: this does. */
  #backstop(): void {
    const { link } = this;
    for (const seat of this.seats.all()) this.closings.broken(seat);
    link.closeReason ??= 'io';
    this.handshake.settleConnect('io');
    this.handshake.settleAuthenticate('io');
    link.waits.lose('io');
    this.settleClosed('io');
    this.changes.tell();
  }
}
