/** A connection with two sessions: one that the path is about, and a bystander that must notice nothing of it. */
import type { Agent, Session, Turn } from '../../../src/index.js';
import { settle } from '../manualClock.js';
import type { SessionEntry, TurnEntry } from './books.js';
import type { Coverage } from './coverage.js';
import { World } from './world.js';

export const GRACE_MS = 15_000;
export const QUIET_MS = 1_500;
const OTHER_QUESTION = 'other question';

export interface SessionSetup {
  version: 1 | 2;
  /** The agent serves `session/close`. */
  closes: boolean;
  loads: boolean;
  openBudgetMs: number;
}

const capabilities = ({ version, closes }: SessionSetup): object =>
  version === 1
    ? {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, sessionCapabilities: closes ? { close: {} } : {} },
        authMethods: [],
      }
    : {
        protocolVersion: 2,
        info: { name: 'scripted', version: '0' },
        capabilities: closes ? { session: {} } : {},
        authMethods: [],
      };

export class SessionWorld extends World {
  readonly main: SessionEntry;
  readonly other: SessionEntry;
  session: Session | undefined;
  readonly abortOpening = new AbortController();
  turns = 0;
  /** The newest turn and what the agent knows of it. */
  turn: Turn | undefined;
  entry: TurnEntry | undefined;
  readonly #texts: { name: string; text: string; entry: TurnEntry }[] = [];

  constructor(
    coverage: Coverage,
    readonly setup: SessionSetup,
  ) {
    super(coverage);
    this.main = this.books.session('s-main');
    this.other = this.books.session('s-other');
  }

  async start(): Promise<void> {
    const script = this.newScript();
    script.react = (frame) => {
      if (frame.method !== 'initialize') return;
      this.books.initialized = true;
      script.answer(frame.id as number, { result: capabilities(this.setup) });
    };
    const connecting = this.connect({ transport: script.transport, cancelGraceMs: GRACE_MS, replayQuietMs: QUIET_MS });
    this.promises.due('connect', 'ok');
    await connecting;
    const agent = this.agent!;
    await this.#begin(agent);
    this.#openMain(agent);
    await settle();
  }

  /** The bystander runs a turn and has asked a question. */
  async #begin(agent: Agent): Promise<void> {
    const { other, script } = this;
    const opening = this.promises.track('other open', agent.newSession({ cwd: '/other' }));
    await settle();
    other.phase = 'open';
    script.answer(script.newest('session/new')!.id, { result: { sessionId: other.id } });
    this.promises.due('other open', 'ok');
    const session = await opening;
    this.held.set(other.id, session);
    this.#listen('other turn', session.prompt('go').result, other);
    await settle();
    script.question(OTHER_QUESTION, other);
    await settle();
  }

  #openMain(agent: Agent): void {
    const { main, setup } = this;
    const options = {
      cwd: '/main',
      budget: { absoluteMs: setup.openBudgetMs },
      signal: this.abortOpening.signal,
    };
    if (!setup.loads) main.phase = 'opening';
    const opening = setup.loads ? agent.loadSession(main.id, options) : agent.newSession(options);
    void this.promises.track('open', opening).then(
      (session) => {
        this.session = session;
        this.held.set(main.id, session);
      },
      () => {},
    );
  }

  prompt(budget: { absoluteMs?: number; idleMs?: number } | undefined): string {
    const name = `turn ${(this.turns += 1)}`;
    const before = this.main.turns.length;
    const turn = this.session!.prompt('go', budget ? { budget } : {});
    void this.promises.track(`sent ${this.turns}`, turn.sent);
    this.#listen(name, turn.result, this.main, turn, before);
    return name;
  }

  #listen(name: string, result: Turn['result'], session: SessionEntry, turn?: Turn, before = 0): void {
    void this.promises.track(name, result);
    const said = (text: string | undefined): void => {
      const entry = session.turns[before];
      if (entry && text !== undefined) this.#texts.push({ name, text, entry });
    };
    result.then(
      ({ text }) => said(text),
      (error: unknown) => said((error as { turn?: { text: string } }).turn?.text),
    );
    if (turn) this.turn = turn;
  }

  // --- questions of the main session, as the path numbers them ---

  readonly #asked: { number: number; id: number | string }[] = [];

  /** Ids of both JSON types; the numeric ones are those of pending requests of the client. */
  newId(number: number): number | string {
    const id = number === 1 ? `question ${this.#asked.length}` : this.#asked.length + 2;
    this.#asked.push({ number, id });
    return id;
  }

  idOf(number: number): number | string {
    return this.#asked.filter((asked) => asked.number === number).at(-1)!.id;
  }

  /** The client numbers questions in the order in which they reach their session. */
  numberOf(serial: number): number | undefined {
    const heard = this.observation.find('session', (context) => context.session === 2)?.heard ?? [];
    const reached = heard.filter(({ event }) => event.type === 'agent.permission').map(({ event }) => event['request']);
    return this.#asked[reached.indexOf(serial)]?.number;
  }

  override check(): void {
    super.check();
    for (const { name, text, entry } of this.#texts) {
      if (text !== entry.text) throw new Error(`broken: ${name} has the text <${text}> and not <${entry.text}>`);
    }
  }

  /** Whatever happened in the other session, this one runs on: its question is decided and its turn ends well. */
  async bystander(): Promise<void> {
    const { script, other, books } = this;
    this.chatter(other);
    await settle();
    this.check();
    books.question(OTHER_QUESTION)!.said = 'o-0-allow_once';
    this.words.get(OTHER_QUESTION)!('o-0-allow_once');
    await settle();
    this.check();
    script.answer(other.turn!.id, { result: { stopReason: 'end_turn' } });
    this.promises.due('other turn', 'ok: completed end_turn');
    await settle();
    this.check();
  }

  /** The holder of the session prompts it once more: legal exactly when the agent is at rest. */
  async probe(): Promise<void> {
    if (!this.session) return;
    const state = this.books.publicState(this.main);
    const name = this.prompt(undefined);
    if (state === 'idle') {
      this.promises.due(`sent ${this.turns}`, 'ok');
      await settle();
      if (!this.main.turn) throw new Error('broken: the session is idle, and a prompt was not written');
    } else {
      this.promises.due(`sent ${this.turns}`, 'ok: false');
      this.promises.due(name, state === 'closed' ? 'closed' : 'busy');
      await settle();
    }
    this.check();
  }
}
