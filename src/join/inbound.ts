/** Requests of the agent that somebody here serves. Whatever nobody serves is refused at once. */
import { arm } from '../framing/alarm.js';
import type { ElicitationHandler, HandlerContext, Handlers } from '../handlers/handlers.js';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  REQUEST_CANCELLED,
  type IncomingRequest,
} from '../rpc/messages.js';
import { RequestError } from '../rpc/requestError.js';
import { absolutePath } from '../session/capabilities.js';
import { isClientRequest, readClientRequest } from '../wire/clientRequests.js';
import type { HandlerPresence } from '../wire/negotiate.js';
import { isObject } from '../wire/values.js';
import type { Link } from './link.js';
import type { Owned } from './seats.js';

/** What the handshake advertises: exactly the handlers that are there. */
export function presence({ fs, terminal, elicitation }: Handlers): HandlerPresence {
  const { form, url } = elicitation ?? {};
  return {
    ...(fs ? { fs: { read: fs.readTextFile !== undefined, write: fs.writeTextFile !== undefined } } : {}),
    ...(terminal ? { terminal: true } : {}),
    ...(form || url ? { elicitation: { form: form !== undefined, url: url !== undefined } } : {}),
  };
}

/** Served at once on one connection; what an agent asks beyond that is refused. */
export const MOST_SERVED = 1_000;

const ELICITATION = 'elicitation/create';
const CANCEL = { action: 'cancel' };
const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/** Serves one request whose params were read. */
type Serve = (context: HandlerContext) => unknown;

interface Serving {
  controller: AbortController;
  /** Answers at once; only an elicitation can be. */
  giveUp: (() => void) | undefined;
}

export class Inbound {
  readonly #serving = new Map<IncomingRequest, Serving>();

  constructor(readonly link: Link) {}

  /**
   * Whether the request is of a session, and of which: `fs/*` and `terminal/*` always, an elicitation where it names one.
   * Undefined: it is of none, or nobody serves it.
   */
  sessionOf({ method, params }: IncomingRequest): { id: string | undefined } | undefined {
    const named = isObject(params) ? params['sessionId'] : undefined;
    const id = typeof named === 'string' ? named : undefined;
    if (!this.#served(method)) return undefined;
    if (isClientRequest(method)) return { id };
    return method === ELICITATION && id !== undefined ? { id } : undefined;
  }

  /** `owned`: the session that it is of. */
  accept(incoming: IncomingRequest, owned: Owned | undefined): void {
    const { method, params } = incoming;
    if (!this.#served(method)) return incoming.refuse(METHOD_NOT_FOUND, 'Method not found');
    if (this.#serving.size >= MOST_SERVED) return incoming.refuse(INTERNAL_ERROR, 'Too many requests at once');
    const serve = this.#reading(method, params);
    if (!serve || (isClientRequest(method) && !owned)) return this.refuse(incoming);
    const { link } = this;
    const seat = owned?.seat;
    const controller = new AbortController();
    const elicits = method === ELICITATION;
    const endings = seat ? [seat.elicitations, ...(seat.run ? [seat.run.elicitations] : [])] : [];
    const context: HandlerContext = {
      sessionId: seat?.id ?? '',
      ...(owned?.childId === undefined ? {} : { childId: owned.childId }),
      roots: seat?.opening.roots ?? [],
      signal: controller.signal,
      ended: (seat ?? link).lifetime.signal,
    };
    const over = (): void => {
      if (!this.#serving.delete(incoming)) return;
      disarm();
      if (giveUp) for (const open of endings) open.delete(giveUp);
      seat?.owe(-1);
    };
    const giveUp = elicits
      ? (): void => {
          incoming.respond(CANCEL);
          over();
          controller.abort();
        }
      : undefined;
    // Inside a turn its bounds are bound enough; outside there is none but this.
    const disarm = giveUp && !seat?.run ? arm(link.clock, link.settings.requestLimitMs, giveUp) : (): void => {};
    this.#serving.set(incoming, { controller, giveUp });
    if (giveUp) for (const open of endings) open.add(giveUp);
    seat?.owe(1);
    void Promise.resolve()
      .then(() => serve(context))
      .then(
        (result) => incoming.respond(elicits ? actionOf(result) : (result ?? {})),
        (thrown: unknown) => {
          if (elicits) return incoming.respond(CANCEL);
          const { code, message } = refusalOf(thrown, controller.signal);
          incoming.refuse(code, message);
        },
      )
      .finally(over);
  }

  /** Of a session that is not ours. */
  turnAway(incoming: IncomingRequest): void {
    if (incoming.method === ELICITATION) incoming.respond(CANCEL);
    else this.refuse(incoming);
  }

  refuse(incoming: IncomingRequest): void {
    incoming.refuse(INVALID_PARAMS, 'Invalid params');
  }

  /** `$/cancel_request`. A handler other than an elicitation's still gives the answer. */
  abort(incoming: IncomingRequest): void {
    const serving = this.#serving.get(incoming);
    if (serving?.giveUp) serving.giveUp();
    else if (serving) serving.controller.abort();
    else if (incoming.method === ELICITATION) incoming.respond(CANCEL);
    // It waits for its session to be known.
    else incoming.refuse(REQUEST_CANCELLED, 'Request cancelled');
  }

  abortAll(): void {
    for (const { controller } of [...this.#serving.values()]) controller.abort();
  }

  #served(method: string): boolean {
    const { fs, terminal, elicitation, requests } = this.link.settings.handlers;
    // Nothing is declared before the handshake is over, and in v2 there are no such methods to declare.
    if (isClientRequest(method) && !this.link.dialect?.asksForServices) return false;
    if (method === 'fs/read_text_file') return typeof fs?.readTextFile === 'function';
    if (method === 'fs/write_text_file') return typeof fs?.writeTextFile === 'function';
    if (isClientRequest(method)) return terminal !== undefined;
    if (method === ELICITATION && (elicitation?.form || elicitation?.url)) return true;
    return requests !== undefined && Object.hasOwn(requests, method) && typeof requests[method] === 'function';
  }

  /** Undefined: bad parameters, or a mode of elicitation that is not served and must not be taken for one that is. */
  #reading(method: string, params: unknown): Serve | undefined {
    const { elicitation, requests } = this.link.settings.handlers;
    if (isClientRequest(method)) return this.#client(method, params);
    if (method === ELICITATION && elicitation) return elicit(elicitation, params);
    return (context) => requests?.[method]?.(params, context);
  }

  #client(method: Parameters<typeof readClientRequest>[0], params: unknown): Serve | undefined {
    const { fs, terminal } = this.link.settings.handlers;
    const read = readClientRequest(method, params) as never;
    if (read === undefined) return undefined;
    const { path, cwd } = read as { path?: string; cwd?: string };
    if ((path !== undefined && !absolutePath(path)) || (cwd !== undefined && !absolutePath(cwd))) return undefined;
    switch (method) {
      case 'fs/read_text_file':
        return (context) => fs?.readTextFile?.(read, context);
      case 'fs/write_text_file':
        return (context) => fs?.writeTextFile?.(read, context);
      case 'terminal/create':
        return (context) => terminal?.create(read, context);
      case 'terminal/output':
        return (context) => terminal?.output(read, context);
      case 'terminal/wait_for_exit':
        return (context) => terminal?.waitForExit(read, context);
      case 'terminal/kill':
        return (context) => terminal?.kill(read, context);
      case 'terminal/release':
        return (context) => terminal?.release(read, context);
    }
  }
}

function elicit({ form, url }: ElicitationHandler, params: unknown): Serve | undefined {
  const mode = isObject(params) ? params['mode'] : undefined;
  if (mode === 'form' && form) return (context) => form(params, context);
  if (mode === 'url' && url) return (context) => url(params, context);
  return undefined;
}

/** Nothing is accepted by accident. */
const actionOf = (result: unknown): unknown => (isObject(result) && ACTIONS.has(result['action']) ? result : CANCEL);

function refusalOf(thrown: unknown, signal: AbortSignal): { code: number; message: string } {
  if (thrown instanceof RequestError) return thrown;
  if (signal.aborted) return { code: REQUEST_CANCELLED, message: 'Request cancelled' };
  return { code: INTERNAL_ERROR, message: 'Internal error' };
}
