/** Requests and notifications by hand: what the library does not model, never what its charts own. */
import { failureOf, termsOf, waitFor, type CallOptions } from '../join/calls.js';
import type { Deferred } from '../join/deferred.js';
import type { Hub } from '../join/hub.js';
import type { Answer } from '../rpc/messages.js';
import type { Refusal, Ticket } from '../rpc/tickets.js';
import type { Gate } from './gate.js';

const PHASE = 'request';

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
    if (!tickets || !link.ready) throw link.closedError(PHASE);
    return this.gate.legal(PHASE, () => tickets.send(method, params ?? {})).ticket;
  }

  async wait<T>(ticket: Ticket, options: CallOptions | undefined): Promise<T> {
    const { link, tickets } = this.hub;
    this.gate.object(ticket, 'ticket');
    this.gate.call(options);
    if (!tickets) throw link.closedError(PHASE);
    if (options?.signal?.aborted) throw options.signal.reason;
    let leave = (): void => {};
    const waiting = waitFor<T>(link, { phase: PHASE, options, terms: termsOf(link, options), givenUp: () => leave() });
    const claimed = tickets.wait(ticket, (answer) => this.#told(waiting, answer));
    if (typeof claimed === 'function') leave = claimed;
    else waiting.reject(this.#refusal(claimed));
    return waiting.promise;
  }

  #told<T>({ resolve, reject }: Deferred<T>, answer: Answer): void {
    const { link } = this.hub;
    if (answer.kind === 'result') resolve(answer.result as T);
    // The connection is over; why, its chart says.
    else if (answer.kind === 'closed') link.lost(PHASE).catch(reject);
    else reject(link.error(failureOf(link, answer, PHASE)));
  }

  #refusal(refusal: Refusal): Error {
    const { link } = this.hub;
    if (refusal === 'foreign') return link.error({ kind: 'invalid-argument', phase: PHASE, argument: 'ticket' });
    return link.error({ kind: 'illegal-transition', phase: PHASE, state: refusal });
  }

  async notify(method: string, params: unknown): Promise<void> {
    const { link } = this.hub;
    this.#check(method);
    const { wire } = link;
    if (!wire || !link.ready) throw link.closedError(PHASE);
    const written = await this.gate.legal(PHASE, () => wire.notify(method, params ?? {}));
    if (!written) await link.lost(PHASE);
  }

  #check(method: unknown): void {
    if (typeof method !== 'string' || method === '' || OWNED.has(method)) this.gate.refuse('method', PHASE);
  }
}
