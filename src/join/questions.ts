/** Permission requests: put to the policy, answered once, and entered in the ledger. */
import type { Dismissal } from '../../machines/index.js';
import { ask, type Question } from '../policy/ask.js';
import { decidingOf } from '../policy/policies.js';
import { kindOf, type Cause, type Decision, type PermissionRequest } from '../policy/permission.js';
import { INVALID_PARAMS, type IncomingRequest } from '../rpc/messages.js';
import type { PermissionReading } from '../wire/normal.js';
import type { Link } from './link.js';
import type { QuestionPorts } from './ports.js';
import type { Seat } from './seat.js';
import type { Owned } from './seats.js';
import type { TurnRun } from './turnRun.js';

interface Open {
  incoming: IncomingRequest;
  seat: Seat;
  request: PermissionRequest;
  /** The turn that it was asked in. */
  run: TurnRun | undefined;
  askedAt: number;
  /** The word of the policy, before the chart has taken it. */
  cause: Cause;
  asking: Question | undefined;
  /** Set by the chart: the question is for the policy. `turn` 0: asked outside any turn. */
  put: { turn: number } | undefined;
  /** The call as it was announced before the request. */
  announced: PermissionRequest['toolCall'];
}

type About = Pick<Decision, 'sessionId' | 'childId' | 'toolCallId'>;

/** Open at once on one connection; what an agent asks beyond that is put to nobody. */
export const MOST_QUESTIONS = 1_000;

const CANCELLED = { outcome: { outcome: 'cancelled' } };

export class Questions implements QuestionPorts {
  #next = 1;
  readonly #open = new Map<number, Open>();

  constructor(readonly link: Link) {}

  /** A request of a session that is ours. */
  accept({ seat, childId }: Owned, incoming: IncomingRequest, reading: PermissionReading): void {
    if (this.#open.size >= MOST_QUESTIONS) return this.turnAway(incoming, seat.id ?? '', 'bound');
    const serial = this.#next++;
    const { tool } = reading;
    const { tools } = seat.storesOf(childId);
    const announced = tool && tools.get(tool.toolCallId);
    const applied = tool && tools.apply(tool);
    if (applied && childId === undefined) seat.run?.transcript.tool(applied);
    const toolCall = applied?.toolCall;
    this.#open.set(serial, {
      incoming,
      seat,
      request: {
        requestId: incoming.id ?? 'null',
        sessionId: seat.id ?? '',
        ...(childId === undefined ? {} : { childId }),
        title: reading.title,
        ...(toolCall ? { toolCall } : {}),
        options: reading.options,
        raw: reading.raw,
      },
      run: seat.run,
      askedAt: this.link.clock.now(),
      cause: 'closed',
      asking: undefined,
      put: undefined,
      announced,
    });
    seat.owe(1);
    seat.actor.send({ type: 'agent.permission', request: serial });
    const open = this.#open.get(serial);
    // A state in which nothing is legal has not taken it; the agent is owed an answer all the same.
    if (open && !open.put) this.answerCancelled([serial], 'closed');
    else if (open) this.#consult(open, serial);
  }

  /** A request that is put to nobody: out of scope, closed, withdrawn before its session was known, or one too many. */
  turnAway(incoming: IncomingRequest, sessionId: string, cause: 'scope' | 'closed' | 'withdrawn' | 'bound'): void {
    incoming.respond(CANCELLED);
    this.#enter(incoming, { sessionId }, { outcome: 'cancelled', cause }, this.link.clock.now());
  }

  refuse(incoming: IncomingRequest): void {
    incoming.refuse(INVALID_PARAMS, 'Invalid params');
  }

  /** `$/cancel_request`: the agent wants no answer any more, and gets one. */
  withdraw(incoming: IncomingRequest): boolean {
    for (const [serial, open] of this.#open) {
      if (open.incoming !== incoming) continue;
      open.seat.actor.send({ type: 'agent.withdraw', request: serial });
      return true;
    }
    return false;
  }

  /** Noted here, done when the transition is over: no code of the embedding program runs inside a chart. */
  askPolicy(serial: number, turn: number): void {
    const open = this.#open.get(serial);
    if (open) open.put = { turn };
  }

  #consult(open: Open, serial: number): void {
    const { link } = this;
    const { request, announced } = open;
    link.listeners.emit('permission', request);
    const verdict = decidingOf(link.settings.policy).decide(request, announced);
    if (verdict.type === 'now') {
      this.#decided(open, serial, verdict.optionId, verdict.cause);
      return;
    }
    // Inside a turn its bounds are bound enough; outside there is none but this.
    const ownLimit = verdict.timeoutMs;
    const endless = ownLimit === undefined || ownLimit === Infinity;
    const timeoutMs = endless && open.put?.turn === 0 ? link.settings.requestLimitMs : ownLimit;
    open.asking = ask({
      request,
      fn: verdict.fn,
      onTimeout: verdict.onTimeout,
      clock: link.clock,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      settled: ({ optionId, cause }) => {
        const bound = cause === 'timeout' && endless;
        this.#decided(open, serial, bound ? undefined : optionId, bound ? 'bound' : cause);
      },
    });
  }

  #decided(open: Open, serial: number, option: string | undefined, cause: Cause): void {
    // Answered already: the policy was only told that its word is not wanted any more.
    if (!this.#open.has(serial)) return;
    open.cause = cause;
    const { actor } = open.seat;
    if (option !== undefined) actor.send({ type: 'user.decide', request: serial, option });
    else if (cause !== 'scope') actor.send({ type: 'user.dismiss', request: serial, cause });
  }

  answerSelected(serial: number, option: string): void {
    const open = this.#take(serial);
    if (!open) return;
    open.incoming.respond({ outcome: { outcome: 'selected', optionId: option } });
    const optionKind = kindOf(open.request.options, option);
    this.#book(open, {
      outcome: 'selected',
      optionId: option,
      ...(optionKind === undefined ? {} : { optionKind }),
      cause: open.cause,
    });
  }

  answerCancelled(serials: readonly number[], cause: Dismissal): void {
    for (const serial of serials) {
      const open = this.#take(serial);
      if (!open) continue;
      open.incoming.respond(CANCELLED);
      this.#book(open, { outcome: 'cancelled', cause });
      const { asking } = open;
      const moot = cause === 'cancel' || cause === 'bound' || cause === 'withdrawn' ? cause : 'closed';
      if (asking) queueMicrotask(() => asking.abort(moot));
    }
  }

  #take(serial: number): Open | undefined {
    const open = this.#open.get(serial);
    this.#open.delete(serial);
    open?.seat.owe(-1);
    return open;
  }

  #book(open: Open, end: Pick<Decision, 'outcome' | 'optionId' | 'optionKind' | 'cause'>): void {
    const { incoming, request, run, askedAt } = open;
    const { sessionId, childId, toolCall } = request;
    const about: About = { sessionId };
    if (childId !== undefined) about.childId = childId;
    if (toolCall) about.toolCallId = toolCall.toolCallId;
    const decision = this.#enter(incoming, about, end, askedAt);
    run?.permissions.push(decision);
  }

  #enter(
    incoming: IncomingRequest,
    about: About,
    end: Pick<Decision, 'outcome' | 'optionId' | 'optionKind' | 'cause'>,
    askedAt: number,
  ): Decision {
    const { link } = this;
    const { policy } = link.settings;
    const decision = link.ledger.add({
      requestId: incoming.id ?? 'null',
      ...about,
      policy: policy.name,
      latencyMs: link.clock.now() - askedAt,
      ...end,
    });
    queueMicrotask(() => {
      try {
        decidingOf(policy).record?.(decision);
      } catch {
        link.stats.listenerErrors += 1;
      }
      link.listeners.emit('decision', decision);
      const at = link.clock.now();
      link.observing.each((observer) => observer.decision?.({ at, decision }));
    });
    return decision;
  }
}
