/** Makes the recorded calls through the public surface: a program that embeds the library, as the capture's client was. */
import { connect, policy, type Agent, type Session } from '../../../src/index.js';
import type { ConnectOptions } from '../../../src/index.js';
// What `connect` loads when it is first called: that is not to take of a test's time.
import '../../../src/join/hub.js';
import type { ManualClock } from '../manualClock.js';
import type { CapturedAgent } from './capturedAgent.js';
import { answerTo, decisionIn, offersIn, type Capture, type Entry } from './capture.js';
import { toldAgent, toldFailure, toldList, toldOptions, toldSession, toldTurn } from './told.js';

/** Bounds of a replay, ms. Every recorded pause is shorter. */
export const TURN_BUDGET = { idleMs: 120_000, absoluteMs: 600_000 };

export interface Call {
  readonly entry: Entry;
  readonly label: string;
  /** The line of the agent that answered the recording client. */
  readonly answer: Entry | undefined;
  /** How many lines the agent had said, and when, as it began. */
  readonly began: Moment;
  /** False: nothing went out. */
  sent: boolean;
  /** Once settled: what came of it. */
  end: (Moment & { told: string[]; error?: unknown }) | undefined;
}

interface Moment {
  frames: number;
  at: number;
}

type Params = Record<string, unknown>;
/** A call that needs a session, or an agent, that our client does not have. */
const UNMADE = ['nobody to ask'];

export class Caller {
  readonly calls: Call[] = [];
  /** Options that the embedding program chose, by request id. */
  readonly chosen = new Map<number | string, string>();
  agent: Agent | undefined;
  readonly notified: string[] = [];
  readonly phases: Record<string, number> = {};
  readonly sessions = new Map<string, Session>();

  constructor(
    readonly capture: Capture,
    readonly peer: CapturedAgent,
    readonly clock: ManualClock,
  ) {}

  /** The call that a recorded line stands for. */
  make(entry: Entry): Call {
    const { method = '' } = entry.message;
    const now = (): Moment => ({ frames: this.peer.frames, at: this.clock.now() });
    const answer = answerTo(this.capture, entry);
    const call: Call = { entry, label: method, answer, began: now(), sent: true, end: undefined };
    this.calls.push(call);
    const end = (told: string[], error?: unknown): void => void (call.end = { told, ...now(), error });
    this.#outcome(method, (entry.message.params ?? {}) as Params, entry.message.id === undefined).then(
      (told) => end(told),
      (error: unknown) => end(toldFailure(error), error),
    );
    return call;
  }

  async #outcome(method: string, params: Params, notification: boolean): Promise<string[]> {
    if (method === 'initialize') return this.#connect();
    const { agent } = this;
    if (!agent) return UNMADE;
    const session = this.sessions.get(String(params['sessionId']));
    const { sessionId: id = '', cwd, mcpServers } = params as { sessionId?: string; cwd?: string; mcpServers?: [] };
    if (notification && method !== 'session/cancel') return agent.notify(method, params).then(() => ['written']);
    switch (method) {
      case 'authenticate':
        return agent.authenticate(params['methodId'] as string).then(() => ['ok']);
      case 'session/new':
        return cwd === undefined
          ? this.#byHand(agent, method, params)
          : this.#open(agent.newSession({ cwd, mcpServers }));
      case 'session/load':
        return this.#open(agent.loadSession(id, { cwd, mcpServers }));
      case 'session/resume':
        return this.#open(
          params['replayFrom'] === undefined
            ? agent.resumeSession(id, { cwd, mcpServers })
            : agent.loadSession(id, { cwd, mcpServers }),
        );
      case 'session/list':
        return this.#list(agent, cwd);
      case 'session/prompt':
        return session ? this.#prompt(session, params['prompt'] as unknown[]) : UNMADE;
      case 'session/cancel':
        return notification ? this.#cancel(id) : this.#byHand(agent, method, params);
      case 'session/close':
        return session ? session.close().then(() => ['ok']) : this.#byHand(agent, method, params);
      case 'session/set_mode':
        return session && byMode(session)
          ? session.select({ mode: params['modeId'] as string }).then(({ mode }) => [`now ${String(mode)}`])
          : this.#byHand(agent, method, params);
      case 'session/set_config_option':
        return session
          ? session
              .setConfigOption(params['configId'] as string, params['value'] as string)
              .then((value) => [`${String(params['configId'])} now ${String(value)}`, ...toldOptions(session)])
          : this.#byHand(agent, method, params);
      default:
        return this.#byHand(agent, method, params);
    }
  }

  async #connect(): Promise<string[]> {
    const { peer, clock } = this;
    const options: ConnectOptions = {
      client: { name: 'captures', version: '0' },
      transport: peer.script.transport,
      protocolVersions: offersIn(this.capture),
      turnBudget: TURN_BUDGET,
      clock,
      permissions: policy.ask(({ requestId }, { signal }) => this.#decide(requestId, signal)),
      on: {
        update: (_update, { phase }) => void (this.phases[phase] = (this.phases[phase] ?? 0) + 1),
        notification: ({ method }) => void this.notified.push(method),
      },
    };
    this.agent = await connect(options);
    return toldAgent(this.agent);
  }

  /** Decides as the recording client did, who left some questions open. */
  #decide(requestId: number | string, signal: AbortSignal): string | null | Promise<null> {
    const decision = decisionIn(this.capture, requestId);
    if (decision === 'held') {
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
    }
    if (decision.optionId !== null) this.chosen.set(requestId, decision.optionId);
    return decision.optionId;
  }

  async #open(opening: Promise<Session>): Promise<string[]> {
    const session = await opening;
    this.sessions.set(session.id, session);
    return toldSession(session);
  }

  async #list(agent: Agent, cwd: string | undefined): Promise<string[]> {
    const found = [];
    for await (const session of agent.listSessions({ cwd })) found.push(session);
    return toldList(found);
  }

  async #prompt(session: Session, blocks: readonly unknown[]): Promise<string[]> {
    const turn = session.prompt(blocks);
    let read = 0;
    try {
      for await (const _update of turn) read += 1;
    } catch {
      // The result says it.
    }
    const result = await turn.result;
    return read === result.updates ? toldTurn(result) : [...toldTurn(result), `  but read ${read}`];
  }

  async #cancel(id: string): Promise<string[]> {
    const turn = this.sessions.get(id)?.turn;
    if (!turn) return ['no turn runs'];
    await turn.cancel();
    return ['ok'];
  }

  async #byHand(agent: Agent, method: string, params: Params): Promise<string[]> {
    await agent.awaitResponse(agent.sendRequest(method, params));
    return ['by hand ok'];
  }
}

/** Where the mode is a config option too, `select` sets that one. */
const byMode = ({ options }: Session): boolean =>
  options.modes.available.length > 0 && !options.config.some(({ category }) => category === 'mode');
