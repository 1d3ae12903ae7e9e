/** Requests of the agent that somebody here serves. Whatever nobody serves is refused at once. */
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, type IncomingRequest } from '../rpc/messages.js';
import type { HandlerPresence } from '../wire/negotiate.js';
import { isObject } from '../wire/values.js';
import type { ElicitationHandler, HandlerContext, Handlers } from './handlers.js';
import type { Link } from './link.js';
import type { Seats } from './seats.js';

/** What the handshake advertises: exactly the handlers that are there. */
export function presence({ fs, terminal, elicitation }: Handlers): HandlerPresence {
  const { form, url } = elicitation ?? {};
  return {
    ...(fs ? { fs: { read: fs.readTextFile !== undefined, write: fs.writeTextFile !== undefined } } : {}),
    ...(terminal ? { terminal: true } : {}),
    ...(form || url ? { elicitation: { form: form !== undefined, url: url !== undefined } } : {}),
  };
}

type Serve = (params: unknown, context: HandlerContext) => unknown;

export class Inbound {
  /** Abort controllers of what is being served. */
  readonly #serving = new Map<IncomingRequest, AbortController>();

  constructor(
    readonly link: Link,
    readonly seats: Seats,
  ) {}

  accept(incoming: IncomingRequest): void {
    const serve = this.#find(incoming.method);
    if (!serve) return incoming.refuse(METHOD_NOT_FOUND, 'Method not found');
    const sessionId = isObject(incoming.params) ? incoming.params['sessionId'] : undefined;
    const seat = typeof sessionId === 'string' ? this.seats.byId(sessionId) : undefined;
    if (serve.needsSession && !seat) return incoming.refuse(INVALID_PARAMS, 'Invalid params');
    const controller = new AbortController();
    this.#serving.set(incoming, controller);
    seat?.owe(1);
    const over = (): void => {
      this.#serving.delete(incoming);
      seat?.owe(-1);
    };
    Promise.resolve()
      .then(() => serve.fn(incoming.params, { sessionId: seat?.id ?? '', signal: controller.signal }))
      .then(
        (result) => incoming.respond(result ?? {}),
        (thrown: unknown) =>
          thrown instanceof BadParams
            ? incoming.refuse(INVALID_PARAMS, 'Invalid params')
            : incoming.refuse(INTERNAL_ERROR, 'Internal error'),
      )
      .finally(over);
  }

  /** `$/cancel_request`, or the end of the connection. The handler still gives the answer. */
  abort(incoming: IncomingRequest): void {
    this.#serving.get(incoming)?.abort();
  }

  abortAll(): void {
    for (const controller of [...this.#serving.values()]) controller.abort();
  }

  #find(method: string): { fn: Serve; needsSession: boolean } | undefined {
    const { fs, terminal, elicitation, requests } = this.link.settings.handlers;
    const own = (fn: unknown): { fn: Serve; needsSession: boolean } | undefined =>
      typeof fn === 'function' ? { fn: fn as Serve, needsSession: true } : undefined;
    switch (method) {
      case 'fs/read_text_file':
        return own(fs?.readTextFile?.bind(fs));
      case 'fs/write_text_file':
        return own(fs?.writeTextFile?.bind(fs));
      case 'terminal/create':
        return own(terminal?.create.bind(terminal));
      case 'terminal/output':
        return own(terminal?.output.bind(terminal));
      case 'terminal/wait_for_exit':
        return own(terminal?.waitForExit.bind(terminal));
      case 'terminal/kill':
        return own(terminal?.kill.bind(terminal));
      case 'terminal/release':
        return own(terminal?.release.bind(terminal));
      case 'elicitation/create':
        return elicitation && (elicitation.form || elicitation.url)
          ? { fn: (params, context) => elicit(elicitation, params, context), needsSession: false }
          : undefined;
      default: {
        const fn = requests && Object.hasOwn(requests, method) ? requests[method] : undefined;
        return typeof fn === 'function' ? { fn: fn as unknown as Serve, needsSession: false } : undefined;
      }
    }
  }
}

/** A mode that is not served must not be taken for one that is. */
function elicit(handler: ElicitationHandler, params: unknown, context: HandlerContext): unknown {
  const mode = isObject(params) ? params['mode'] : undefined;
  if (mode === 'form' && handler.form) return handler.form(params, context);
  if (mode === 'url' && handler.url) return handler.url(params, context);
  throw new BadParams();
}

class BadParams extends Error {}
