/** The calls of an agent that open, list and delete sessions. */
import { ask, type CallOptions } from '../join/calls.js';
import type { Hub } from '../join/hub.js';
import type { Opening } from '../join/seat.js';
import { absolutePath, areServers, capabilitiesOfSession } from '../session/capabilities.js';
import type { SessionParams } from '../wire/normal.js';
import { AcpError } from './errors.js';
import type { OpenOptions, Preference, SessionInfo, SessionOptions } from './agent.js';
import type { Gate } from './gate.js';
import { loggedIn, oneBudget } from './loggedIn.js';
import { SessionHandle, type Session } from './session.js';

/** An agent that always names a next page must not keep the loop for ever. */
const MOST_PAGES = 10_000;
const PREFERENCES: readonly Preference[] = ['resume', 'load', 'new'];
/**
 * The refusals after which `openSession` tries the next way: the method is missing, or the session is not known to it.
 * A bound that fired, a login that is due, a signal or a loss never fall back; the id is the caller's to try again.
 */
const NEXT_WAY: ReadonlySet<number> = new Set([-32601, -32602, -32603, -32002]);

const rootsOf = ({ cwd, additionalDirectories = [] }: SessionParams): string[] => [cwd, ...additionalDirectories];

export class Sessions {
  constructor(
    readonly hub: Hub,
    readonly gate: Gate,
    readonly defaults: { cwd: string | undefined; tools: readonly unknown[] | undefined },
  ) {}

  async create(options: SessionOptions = {}): Promise<Session> {
    const params = this.#params(options);
    const call = this.hub.link.dialect.newSession(params);
    return this.#open({ via: 'new', call, asked: undefined, replays: false, options, roots: rootsOf(params) });
  }

  async load(id: string, options: SessionOptions = {}): Promise<Session> {
    const params = this.#params(options, id);
    this.gate.needCall('session/load', 'session', id);
    const call = this.hub.link.dialect.loadSession(id, params);
    return this.#open({ via: 'load', call, asked: id, replays: true, options, roots: rootsOf(params) });
  }

  async resume(id: string, options: SessionOptions = {}): Promise<Session> {
    const params = this.#params(options, id);
    this.gate.needCall('session/resume', 'session', id);
    const call = this.hub.link.dialect.resumeSession(id, params);
    return this.#open({ via: 'resume', call, asked: id, replays: false, options, roots: rootsOf(params) });
  }

  async fork(id: string, options: SessionOptions = {}): Promise<Session> {
    const params = this.#params(options, id);
    this.gate.needCall('session/fork', 'session', id);
    const call = this.hub.link.dialect.forkSession(id, params);
    return this.#open({ via: 'fork', call, asked: undefined, replays: false, options, roots: rootsOf(params) });
  }

  async open(options: OpenOptions): Promise<Session> {
    this.gate.object(options, 'options', 'session');
    const { id, prefer = ['resume', 'load'], ...given } = options;
    const rest = oneBudget(given);
    const legal =
      Array.isArray(prefer) && prefer.length > 0 && prefer.every((way: Preference) => PREFERENCES.includes(way));
    if (!legal) this.gate.refuse('prefer', 'session', PREFERENCES);
    if (id === undefined && !prefer.includes('new')) this.gate.refuse('id', 'session');
    const ways = id === undefined ? (['new'] as const) : prefer;
    let refused: unknown;
    for (const way of ways) {
      try {
        if (way === 'new' || id === undefined) return await this.create(rest);
        return await (way === 'load' ? this.load(id, rest) : this.resume(id, rest));
      } catch (error) {
        refused = error;
        if (!(error instanceof AcpError)) throw error;
        const goesOn =
          error.kind === 'capability-absent' || (error.kind === 'agent-error' && NEXT_WAY.has(error.agentCode));
        if (!goesOn) throw error;
      }
    }
    throw refused;
  }

  async *list(options: CallOptions & { cwd?: string | undefined } = {}): AsyncGenerator<SessionInfo, void> {
    this.gate.call(options, 'session');
    if (options.cwd !== undefined && !absolutePath(options.cwd)) this.gate.refuse('cwd', 'session');
    this.gate.needCall('session/list', 'session');
    const { link } = this.hub;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const call = link.dialect.listSessions({ cwd: options.cwd, cursor });
      const read = (result: unknown): ReturnType<typeof link.dialect.readSessionList> =>
        link.dialect.readSessionList(result);
      const { sessions, nextCursor } = await loggedIn(this.hub, options, (bounds) =>
        ask(link, call, { phase: 'session', options: bounds, withdraws: true, read }),
      );
      yield* sessions;
      if (nextCursor === undefined || nextCursor === cursor) return;
      cursor = nextCursor;
    }
  }

  async remove(id: string, options: CallOptions = {}): Promise<void> {
    this.#id(id);
    this.gate.call(options, 'session');
    this.gate.needCall('session/delete', 'session', id);
    const { link } = this.hub;
    const call = link.dialect.deleteSession(id);
    await loggedIn(this.hub, options, (bounds) =>
      ask(link, call, { phase: 'session', options: bounds, sessionId: id, read: () => true }),
    );
  }

  async #open(opening: Opening): Promise<Session> {
    const { hub } = this;
    const seat = await loggedIn(hub, opening.options, (options) => hub.openings.open({ ...opening, options }));
    return new SessionHandle(this.hub, seat, this.gate);
  }

  #id(id: string): void {
    if (typeof id !== 'string' || id === '') this.gate.refuse('id', 'session');
  }

  #params(options: SessionOptions, id?: string): SessionParams {
    const { gate, defaults, hub } = this;
    if (id !== undefined) this.#id(id);
    gate.object(options, 'options', 'session');
    gate.call(options, 'session');
    const cwd = options.cwd ?? defaults.cwd ?? process.cwd();
    if (!absolutePath(cwd)) gate.refuse('cwd', 'session');
    if (options.mcpServers !== undefined && defaults.tools !== undefined) gate.refuse('mcpServers', 'session');
    const mcpServers: unknown = options.mcpServers ?? defaults.tools ?? [];
    if (!areServers(mcpServers)) return gate.refuse('mcpServers', 'session');
    const { additionalDirectories } = options;
    if (additionalDirectories !== undefined) {
      const legal = Array.isArray(additionalDirectories) && additionalDirectories.every(absolutePath);
      if (!legal) gate.refuse('additionalDirectories', 'session');
    }
    if (!hub.link.ready) throw hub.link.closedError('session');
    for (const path of capabilitiesOfSession({ mcpServers, additionalDirectories })) gate.need(path, 'session');
    return {
      cwd,
      mcpServers: [...mcpServers],
      ...(additionalDirectories ? { additionalDirectories } : {}),
    };
  }
}
