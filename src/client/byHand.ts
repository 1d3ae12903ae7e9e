/** Requests and notifications by hand: what the library does not model, never what its charts own. */
import { failureOf, termsOf, watchOn, type CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import type { Ticket } from '../rpc/tickets.js';
import type { Gate } from './gate.js';

/** They would pass the charts by (rule 25). */
const OWNED: ReadonlySet<string> = new Set(['initialize', 'session/prompt', 'session/cancel']);

export class ByHand {
  constructor(
    readonly hub: Hub,
    readonly gate: Gate,
  ) {}

  send(method: string, params: unknown): Ticket {
    const { tickets, link } = this.hub;
    this.#check(method);
    if (!tickets || !link.ready) throw link.closedError('request');
    return this.gate.legal('request', () => tickets.send(method, params ?? {})).ticket;
  }

  async wait<T>(ticket: Ticket, options: CallOptions | undefined): Promise<T> {
    const { link, tickets } = this.hub;
    const phase = 'request';
    this.gate.object(ticket, 'ticket');
    this.gate.call(options);
    if (!tickets) throw link.closedError(phase);
    const given = options?.signal;
    const over = new AbortController();
    const timer = watchOn(link, { phase }, termsOf(link, options), (report) =>
      over.abort(link.error({ kind: report.bound, phase, budget: report })),
    );
    const onAbort = (): void => over.abort(given?.reason);
    given?.addEventListener('abort', onAbort, { once: true });
    if (given?.aborted) onAbort();
    const forget = link.waits.add((loss) => over.abort(link.lossError(loss, phase)));
    try {
      const answer = await tickets.wait(ticket, over.signal);
      switch (answer.kind) {
        case 'result':
          return answer.result as T;
        case 'foreign':
          return this.gate.refuse('ticket', phase);
        case 'spent':
        case 'taken':
          throw link.error({ kind: 'illegal-transition', phase, state: answer.kind });
        case 'closed':
          return await link.lost(phase);
        default:
          throw link.error(failureOf(link, answer, phase));
      }
    } finally {
      link.drop(timer);
      given?.removeEventListener('abort', onAbort);
      forget();
    }
  }

  async notify(method: string, params: unknown): Promise<void> {
    const { link } = this.hub;
    this.#check(method);
    const { wire } = link;
    if (!wire || !link.ready) throw link.closedError('request');
    const written = await this.gate.legal('request', () => wire.notify(method, params ?? {}));
    if (!written) await link.lost('request');
  }

  #check(method: unknown): void {
    if (typeof method !== 'string' || method === '' || OWNED.has(method)) this.gate.refuse('method', 'request');
  }
}
