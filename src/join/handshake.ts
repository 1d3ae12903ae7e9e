/** The handshake and the login: what `initialize` and `authenticate` say, told to the connection chart. */
import type { Loss } from '../../machines/index.js';
import type { Watch } from '../policy/watch.js';
import { AUTH_REQUIRED, INTERNAL_ERROR, INVALID_PARAMS, VERSION_UNSUPPORTED, type Answer } from '../rpc/messages.js';
import { dialectOf } from '../wire/dialect.js';
import { initializeParams, readInitialize, supportedVersions } from '../wire/negotiate.js';
import { termsOf, watchOn, failureOf, spentFailure, type CallOptions } from './calls.js';
import { deferred, type Deferred } from './deferred.js';
import type { Failure, Phase } from './failure.js';
import { presence } from './inbound.js';
import type { Link } from './link.js';
import type { HandshakePorts } from './ports.js';

const INVALID_REQUEST = -32600;
const REFUSALS: ReadonlySet<number> = new Set([INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR]);

interface Login {
  methodId: string;
  waiting: Deferred<void>;
  watch: Watch;
  failure?: Failure;
  /** The id of the request, while its answer is owed. */
  request?: number | undefined;
  stop(): void;
}

export class Handshake implements HandshakePorts {
  readonly connected = deferred<void>();
  #watch: Watch | undefined;
  #bound: Failure['budget'];
  #initializing = false;
  #settled = false;
  #login: Login | undefined;

  constructor(readonly link: Link) {}

  /** Starts the clock of spawn and initialize. */
  begin(): void {
    const { link } = this;
    this.#watch = watchOn(link, { phase: 'initialize' }, termsOf(link, { budget: link.settings.budget }), (report) => {
      this.#bound = report;
      link.root.send({ type: 'clock.bound', bound: report.bound });
    });
  }

  sendInitialize(version: number): void {
    const { link } = this;
    const offer = version === 2 ? 2 : 1;
    this.#initializing = true;
    const params = initializeParams(offer, link.settings.client, presence(link.settings.handlers));
    link.wire?.request('initialize', params, (answer) => this.#answered(offer, answer));
  }

  #answered(offer: 1 | 2, answer: Answer): void {
    const { link } = this;
    if (answer.kind === 'closed') return;
    if (answer.kind === 'malformed') return link.root.send({ type: 'agent.initializeError', reason: 'protocol' });
    if (answer.kind === 'error') return this.#refused(answer);
    const reading = readInitialize(answer.result, offer, link.settings.versions);
    if (reading.kind === 'unsupported') return link.root.send({ type: 'agent.versionUnsupported', speaks: [] });
    if (reading.kind === 'echo') return link.root.send({ type: 'agent.offerRefused', reason: 'version-unsupported' });
    link.facts = { ...reading.facts, authMethods: [...link.logins.initialized(reading.facts.authMethods)] };
    link.dialect = dialectOf(reading.facts.version);
    link.root.send({ type: 'agent.initialized' });
  }

  #refused(answer: Extract<Answer, { kind: 'error' }>): void {
    const { link } = this;
    const said = { message: answer.message, data: answer.data };
    link.epitaph = { agentCode: answer.code, said };
    if (answer.code === VERSION_UNSUPPORTED) {
      link.root.send({ type: 'agent.versionUnsupported', speaks: supportedVersions(answer.data) });
    } else if (REFUSALS.has(answer.code)) {
      link.root.send({ type: 'agent.offerRefused', reason: 'agent-error' });
    } else {
      const reason = answer.code === AUTH_REQUIRED ? 'auth-required' : 'agent-error';
      if (reason === 'auth-required') link.epitaph.authMethods = link.logins.refused(answer.data);
      link.root.send({ type: 'agent.initializeError', reason });
    }
  }

  settleConnect(reason: Loss | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    const { link } = this;
    this.#watch?.stop();
    this.#watch = undefined;
    if (reason === undefined) {
      link.epitaph = {};
      this.connected.resolve();
      return;
    }
    const phase: Phase = this.#initializing ? 'initialize' : 'spawn';
    this.connected.reject(link.lossError(reason, phase, { budget: this.#bound }));
  }

  /** The login under way, if there is one. */
  get loggingIn(): Promise<void> | undefined {
    return this.#login?.waiting.promise;
  }

  authenticate(methodId: string, options: CallOptions | undefined): Promise<void> {
    const { link } = this;
    const signal = options?.signal;
    const waiting = deferred<void>();
    if (!link.ready) return Promise.reject(link.closedError('authenticate'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const spent = spentFailure(link, options?.budget, 'authenticate');
    if (spent) return Promise.reject(link.error(spent));
    if (!link.root.getSnapshot().can({ type: 'user.authenticate' })) {
      return Promise.reject(link.error({ kind: 'busy', phase: 'authenticate', state: 'authenticating' }));
    }
    const watch = watchOn(link, { phase: 'authenticate' }, termsOf(link, options), (report) => {
      login.failure = { kind: report.bound, phase: 'authenticate', budget: report };
      link.root.send({ type: 'clock.bound', bound: report.bound });
    });
    const onAbort = (): void => {
      waiting.reject(signal?.reason as Error);
      link.withdraw(login.request);
      login.request = undefined;
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const login: Login = {
      methodId,
      waiting,
      watch,
      stop: () => signal?.removeEventListener('abort', onAbort),
    };
    this.#login = login;
    link.root.send({ type: 'user.authenticate' });
    return waiting.promise;
  }

  sendAuthenticate(): void {
    const { link } = this;
    const login = this.#login;
    if (!login) return;
    login.request = link.call(link.dialect.authenticate(login.methodId), (answer) => {
      login.request = undefined;
      if (answer.kind === 'closed' || this.#login !== login) return;
      if (answer.kind === 'result') return link.root.send({ type: 'agent.authenticated' });
      login.failure = failureOf(link, answer, 'authenticate');
      link.root.send({ type: 'agent.authError' });
    });
  }

  settleAuthenticate(loss: Loss | undefined): void {
    const { link } = this;
    const login = this.#login;
    if (!login) return;
    this.#login = undefined;
    login.watch.stop();
    login.stop();
    // Its bound fired; a connection that is closing withdraws nothing.
    if (login.failure) link.withdraw(login.request);
    if (login.failure) login.waiting.reject(link.error(login.failure));
    else if (loss !== undefined) login.waiting.reject(link.lossError(loss, 'authenticate'));
    else login.waiting.resolve();
  }
}
