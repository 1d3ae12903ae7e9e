import { ask, type CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import type { Events } from '../join/listeners.js';
import type { Decision } from '../policy/permission.js';
import type { Stats } from '../rpc/stats.js';
import type { Ticket } from '../rpc/tickets.js';
import type { Agent, AgentInfo, CloseInfo, OpenOptions, SessionInfo, SessionOptions } from './agent.js';
import { ByHand } from './byHand.js';
import { Gate } from './gate.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';

export class AgentHandle implements Agent {
  readonly #hub: Hub;
  readonly #gate: Gate;
  readonly #sessions: Sessions;
  readonly #byHand: ByHand;
  readonly info: AgentInfo;
  readonly pid: number | undefined;
  readonly stderr = { tail: (): string => this.#hub.link.process?.stderr.tail() ?? '' };

  constructor(hub: Hub, defaults: { cwd: string | undefined; tools: readonly unknown[] | undefined }) {
    this.#hub = hub;
    this.#gate = new Gate(hub.link);
    this.#sessions = new Sessions(hub, this.#gate, defaults);
    this.#byHand = new ByHand(hub, this.#gate);
    const { facts, dialect, process } = hub.link;
    this.pid = process?.pid;
    this.info = {
      name: facts.name,
      ...(facts.title === undefined ? {} : { title: facts.title }),
      version: facts.agentVersion,
      protocolVersion: dialect.version,
      capabilities: facts.capabilities,
      narrower: dialect.narrower(facts.capabilities),
      authMethods: facts.authMethods,
    };
  }

  advertises(path: string): boolean {
    return typeof path === 'string' && this.#gate.advertises(path);
  }

  get state(): Agent['state'] {
    return this.#hub.state;
  }

  subscribe(fn: () => void): () => void {
    return this.#hub.changes.subscribe(fn);
  }

  get closeReason(): Agent['closeReason'] {
    return this.#hub.link.closeReason;
  }

  get closed(): Promise<CloseInfo> {
    return this.#hub.closed as Promise<CloseInfo>;
  }

  get stats(): Stats {
    return { ...this.#hub.link.stats };
  }

  get decisions(): readonly Decision[] {
    return this.#hub.link.ledger.decisions;
  }

  async authenticate(methodId: string, options?: CallOptions): Promise<void> {
    const { link, handshake } = this.#hub;
    const { methods: authMethods, sent: offered } = link.logins;
    this.#gate.call(options, 'authenticate');
    // Of a terminal method the error says what a person has to run.
    const phase = 'authenticate';
    const argument = 'methodId';
    if (!offered.includes(methodId))
      throw link.error({ kind: 'invalid-argument', phase, argument, offered, authMethods });
    return handshake.authenticate(methodId, options);
  }

  async logout(options?: CallOptions): Promise<void> {
    this.#gate.call(options, 'authenticate');
    this.#gate.needCall('logout', 'authenticate');
    const { link } = this.#hub;
    await ask(link, link.dialect.logout(), { phase: 'authenticate', options, read: () => true });
  }

  newSession(options?: SessionOptions): Promise<Session> {
    return this.#sessions.create(options);
  }

  loadSession(id: string, options?: SessionOptions): Promise<Session> {
    return this.#sessions.load(id, options);
  }

  resumeSession(id: string, options?: SessionOptions): Promise<Session> {
    return this.#sessions.resume(id, options);
  }

  forkSession(id: string, options?: SessionOptions): Promise<Session> {
    return this.#sessions.fork(id, options);
  }

  openSession(options: OpenOptions): Promise<Session> {
    return this.#sessions.open(options);
  }

  listSessions(options?: CallOptions & { cwd?: string | undefined }): AsyncIterable<SessionInfo, void> {
    return this.#sessions.list(options);
  }

  deleteSession(id: string, options?: CallOptions): Promise<void> {
    return this.#sessions.remove(id, options);
  }

  sendRequest(method: string, params?: unknown): Ticket {
    return this.#byHand.send(method, params);
  }

  awaitResponse<T = unknown>(ticket: Ticket, options?: CallOptions): Promise<T> {
    return this.#byHand.wait<T>(ticket, options);
  }

  notify(method: string, params?: unknown): Promise<void> {
    return this.#byHand.notify(method, params);
  }

  on<K extends keyof Events>(name: K, fn: Events[K]): () => void {
    return this.#gate.legal('request', () => this.#hub.link.listeners.on(name, fn));
  }

  close(): Promise<void> {
    return this.#hub.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
