/** Logging in on behalf of a call that the agent refused by -32000, where the embedding program said how. */
import { Budget } from '../policy/budget.js';
import { termsOf, waitFor, type CallOptions } from './calls.js';
import type { Handshake } from './handshake.js';
import type { Link } from './link.js';

export class Login {
  #attempt: Promise<boolean> | undefined;

  constructor(
    readonly link: Link,
    readonly handshake: Pick<Handshake, 'authenticate' | 'loggingIn'>,
  ) {}

  /** Does the embedding program want a login at all? */
  get wanted(): boolean {
    return this.link.settings.chooseLogin !== undefined;
  }

  /**
   * Resolves when the refused call may be sent once more: true, or false where nobody chose a method. Rejects with why the login
   * failed. One login serves all calls that are refused meanwhile, each within bounds of its own.
   */
  attempt(options: CallOptions | undefined): Promise<boolean> {
    const { link } = this;
    this.#attempt ??= this.#login().finally(() => (this.#attempt = undefined));
    const terms = options?.budget === undefined ? undefined : termsOf(link, options);
    const waiting = waitFor<boolean>(link, { phase: 'authenticate', options, terms });
    this.#attempt.then(waiting.resolve, waiting.reject);
    return waiting.promise;
  }

  async #login(): Promise<boolean> {
    const { link, handshake } = this;
    // One by hand is under way: its end is the end of this one.
    if (handshake.loggingIn) return handshake.loggingIn.then(() => true);
    const budget = new Budget({ absoluteMs: link.settings.loginLimitMs });
    const methodId = await this.#chosen(budget);
    if (methodId === null || methodId === undefined) return false;
    const { methods: authMethods, sent: offered } = link.logins;
    if (!offered.includes(methodId)) {
      const phase = 'authenticate';
      throw link.error({ kind: 'invalid-argument', phase, argument: 'authenticate', offered, authMethods });
    }
    await handshake.authenticate(methodId, { budget });
    return true;
  }

  async #chosen(budget: Budget): Promise<string | null | undefined> {
    const { link } = this;
    const { chooseLogin } = link.settings;
    const controller = new AbortController();
    const waiting = waitFor<string | null | undefined>(link, {
      phase: 'authenticate',
      terms: termsOf(link, { budget }),
    });
    Promise.resolve()
      .then(() => chooseLogin?.(link.logins.methods, { signal: controller.signal }))
      .then(waiting.resolve, waiting.reject);
    try {
      return await waiting.promise;
    } finally {
      controller.abort();
    }
  }
}
