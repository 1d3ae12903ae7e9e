/** One connection of the real client in memory, with an agent that keeps books and a clock that is stepped. */
import { connect, policy, type Agent, type ConnectOptions } from '../../../src/index.js';
// What `connect` loads when it is first called: that is not to take of a test's time.
import '../../../src/join/hub.js';
import { manualClock, settle } from '../manualClock.js';
import { Bookkeeper, type Said } from './bookkeeper.js';
import { Books, type SessionEntry } from './books.js';
import type { Coverage } from './coverage.js';
import type { FakeProcess } from './fakeProcess.js';
import { Observation } from './observation.js';
import { Promises } from './promises.js';

type Phase = Said['phase'] | 'kept' | 'closed' | 'stray' | 'lost';

/** Longer than any bound that a path leaves at its default. */
const AGES_MS = 5 * 60 * 60 * 1_000;

/** `background` is the agent's own work, which we did not start. */
const AT_REST = ['idle', 'closed', 'background'];

export class World {
  readonly clock = manualClock();
  readonly books = new Books(() => this.clock.now());
  readonly promises = new Promises();
  readonly observation: Observation;
  /** The agents that were started, the newest last. */
  readonly scripts: Bookkeeper[] = [];
  readonly processes: FakeProcess[] = [];
  agent: Agent | undefined;
  /** What a question of the agent waits for, by the id of its request. */
  readonly words = new Map<number | string, (option: string | null) => void>();
  /** Public sessions by id. */
  readonly held = new Map<string, { readonly state: string }>();
  /** The agent's end of the wire is gone: nothing more can be heard or answered. */
  deaf = false;
  readonly #expected: Said[] = [];
  readonly #heard: Said[] = [];
  #kept: Said[] = [];
  #counts = { lateUpdates: 0, closedUpdates: 0, strayUpdates: 0 };
  #marks = 0;

  constructor(coverage: Coverage) {
    this.observation = new Observation(coverage);
  }

  get script(): Bookkeeper {
    return this.scripts.at(-1)!;
  }

  newScript(): Bookkeeper {
    const script = new Bookkeeper(this.books);
    this.books.newWire();
    this.scripts.push(script);
    return script;
  }

  /** Begins to connect; `connect` is tracked and the agent is there once it has settled well. */
  connect(options: Omit<ConnectOptions, 'client'>): Promise<unknown> {
    const connecting = connect({
      client: { name: 'test', version: '0' },
      clock: this.clock,
      inspect: this.observation.inspect,
      permissions: policy.ask((request) => new Promise((resolve) => this.words.set(request.requestId, resolve))),
      on: {
        update: ({ kind, raw }, { sessionId, phase }) => {
          if (kind === 'text') this.#heard.push({ session: sessionId, mark: markOf(raw), phase });
        },
      },
      ...options,
    } as ConnectOptions);
    void this.promises.track('connect', connecting).then(
      (agent) => {
        this.agent = agent;
        void this.promises.track('agent.closed', agent.closed);
      },
      () => {},
    );
    return connecting.catch(() => {});
  }

  // --- updates, and what must become of them ---

  /** A chunk of text that names its session, so that it is known wherever it turns up. */
  chatter(session: SessionEntry): void {
    const mark = `${session.id}#${(this.#marks += 1)};`;
    const said = { session: session.id, mark };
    switch (this.#count(session)) {
      case 'turn':
        this.#expected.push({ ...said, phase: 'turn' });
        session.turn!.text += mark;
        break;
      case 'replay':
        this.#expected.push({ ...said, phase: 'replay' });
        break;
      case 'between':
        this.#expected.push({ ...said, phase: 'between' });
        break;
      case 'kept':
        this.#kept.push({ ...said, phase: 'between' });
        break;
      default:
    }
    this.script.chunk(session.id, mark);
  }

  state(session: SessionEntry, state: string, stopReason?: string): void {
    if (this.#count(session) === 'kept') this.#kept.push({ session: session.id, mark: '', phase: 'between' });
    this.books.stateOf(session, state, stopReason);
    this.script.state(session.id, state, stopReason);
  }

  #count(session: SessionEntry): Phase {
    const phase = this.#phaseOf(session);
    if (phase === 'closed') this.#counts.closedUpdates += 1;
    if (phase === 'stray') this.#counts.strayUpdates += 1;
    const hadTurns = session.turns.some(({ over, told }) => over || told);
    if (phase === 'between' && hadTurns) this.#counts.lateUpdates += 1;
    return phase;
  }

  #phaseOf({ phase, named, turn }: SessionEntry): Phase {
    if (this.books.lost) return 'lost';
    if (phase === 'closed' || phase === 'late') return 'closed';
    if (phase === 'unknown' || phase === 'opening') {
      if (named) return phase === 'opening' ? 'replay' : 'stray';
      return this.awaitsId ? 'kept' : 'stray';
    }
    return turn && !turn.told ? 'turn' : 'between';
  }

  /** A request is under way whose answer will name a session. */
  get awaitsId(): boolean {
    return [...this.books.calls.values()].some(({ method, answered }) => method === 'session/new' && !answered);
  }

  /** What was kept belongs to a session now, to a closed one, or to nobody. */
  resolveKept(to: 'between' | 'closedUpdates' | 'strayUpdates'): void {
    if (to === 'between') this.#expected.push(...this.#kept.filter(({ mark }) => mark !== ''));
    else this.#counts[to] += this.#kept.length;
    this.#kept = [];
  }

  // --- what must be true ---

  /** Whenever everything has come to rest. */
  check(): void {
    const { books, promises } = this;
    books.rest(new Set(this.awaitsId ? this.#kept.map(({ session }) => session) : []));
    const wrongs = [...books.wrongs, ...promises.wrongs(), ...this.#deliveries()];
    if (!books.ending) wrongs.push(...this.#sums());
    if (!books.ending || books.lost) wrongs.push(...this.#publicStates());
    for (const process of this.processes) wrongs.push(...process.wrongs);
    if (this.scripts.some(({ lateWrites }) => lateWrites > 0)) wrongs.push('a write after the end of the stream');
    if (wrongs.length > 0) throw new Error(`broken: ${wrongs.join('; ')}`);
  }

  #deliveries(): string[] {
    const show = (list: readonly Said[]): string => list.map(({ mark, phase }) => `${mark}${phase}`).join(' ');
    const expected = show(this.#expected);
    const heard = show(this.#heard);
    const strangers = this.#heard.filter(({ mark, session }) => !mark.startsWith(`${session}#`));
    return [
      ...(expected === heard ? [] : [`updates were delivered as <${heard}> and not as <${expected}>`]),
      ...strangers.map(({ mark, session }) => `${mark} reached ${session}`),
    ];
  }

  #publicStates(): string[] {
    const { agent, books } = this;
    const state = agent?.state ?? 'connecting';
    const legal = books.lost ? ['connecting', 'closing', 'closed'] : ['connecting', 'ready'];
    const wrong = legal.includes(state) ? [] : [`the agent is ${state} to its holder`];
    const sessions = [...this.held].flatMap(([id, session]) => {
      const entry = this.books.session(id);
      const due = this.books.publicState(entry);
      return session.state === due ? [] : [`${id} is ${session.state} to its holder, and has to be ${due}`];
    });
    return [...wrong, ...sessions];
  }

  /** The counters add up to what went over the wire. */
  #sums(): string[] {
    const { agent, script, books } = this;
    if (!agent) return [];
    const due = {
      framesIn: this.scripts.reduce((sum, { sent }) => sum + sent, 0),
      framesOut: this.scripts.reduce((sum, { received }) => sum + received.length, 0),
      strayResponses: books.strayAnswers,
      ...this.#counts,
      skippedFrames: 0,
      unknownUpdates: 0,
      malformedUpdates: 0,
      listenerErrors: 0,
      slowListeners: 0,
    };
    const unread = script.pipe.waiting === 0 ? [] : ['frames are not read'];
    const stats = agent.stats as unknown as Record<string, number>;
    const bad = Object.entries(due).filter(([name, count]) => stats[name] !== count);
    return [...unread, ...bad.map(([name, count]) => `${name} is ${stats[name]} and has to be ${count}`)];
  }

  /** Nobody does anything more: time alone has to end every wait. */
  async timeAlone(): Promise<void> {
    this.books.ending = true;
    this.promises.release();
    await this.clock.run(AGES_MS);
    this.check();
    const open = this.promises.open().filter((name) => name !== 'agent.closed');
    if (open.length > 0) throw new Error(`broken: time alone did not end ${open.join(', ')}`);
    // A turn that nobody waits for any more is not over before the agent has ended it, or its connection is.
    const busy = [...this.held].filter(([, { state }]) => !AT_REST.includes(state));
    if (busy.length > 0)
      throw new Error(`broken: time alone left ${busy.map(([id, s]) => `${id} ${s.state}`).join(', ')}`);
    if (this.clock.pending() > 0) throw new Error(`broken: ${this.clock.pending()} timers are left`);
  }

  /** The embedding program has done with it. Nothing is left, and nothing that the agent says is heard. */
  async end(): Promise<void> {
    const { agent, clock, books } = this;
    books.lose();
    if (agent) void this.promises.track('agent.close', agent.close());
    await clock.run(60_000);
    this.check();
    const open = this.promises.open();
    if (open.length > 0) throw new Error(`broken: close did not end ${open.join(', ')}`);
    if (agent && agent.state !== 'closed') throw new Error(`broken: closed, and the agent is ${agent.state}`);
    if (clock.pending() > 0) throw new Error(`broken: ${clock.pending()} timers are left after close`);
    const left = this.processes.flatMap((process) => process.left());
    if (left.length > 0) throw new Error(`broken: ${left.join(', ')}`);
    if (!this.deaf) {
      const open = books.questions.filter(({ answer, inTime }) => answer === undefined && inTime);
      if (open.length > 0) throw new Error(`broken: never answered: ${open.map(({ id }) => String(id)).join(', ')}`);
    }
    const written = this.scripts.map(({ received }) => received.length);
    for (const session of books.sessions.values()) {
      this.chatter(session);
      this.script.question(`late ${session.id}`, session);
    }
    await settle();
    const more = this.scripts.some(({ received }, i) => received.length !== written[i]);
    if (more) throw new Error('broken: something was written after close');
    this.check();
  }
}

const markOf = (raw: unknown): string => {
  const { content } = raw as { content?: { text?: string } };
  return content?.text ?? '';
};
