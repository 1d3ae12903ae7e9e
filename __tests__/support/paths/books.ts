/**
 * What an agent knows of its client by the wire alone, and what must be true of it. Nothing here has heard of a chart:
 * the rules are those of the settled semantics, so that the charts can be judged by them.
 */
import type { ClientFrame } from '../scriptedAgent.js';

/** One turn, from the prompt that came to the end that was sent. */
export interface TurnEntry {
  session: SessionEntry;
  id: number;
  sentAt: number;
  /** By the rules an idle state now means the end: the prompt was accepted, or work was reported. */
  begun: boolean;
  answered: boolean;
  cancelledAt: number | undefined;
  /** Its caller asked for that. */
  cancelAsked: boolean;
  /** Its bound has passed: the caller was told, and the end is owed. */
  told: boolean;
  over: boolean;
  /** What was said in it while its caller listened. */
  text: string;
}

export interface SessionEntry {
  id: string;
  /** `late`: opened when nobody waited any more. */
  phase: 'opening' | 'open' | 'closing' | 'closed' | 'unknown' | 'late';
  /** Named by the client, so that traffic for it is replay while it is opened. */
  named: boolean;
  turn: TurnEntry | undefined;
  turns: TurnEntry[];
  background: boolean;
  /** The embedding program has asked to close it. */
  closeAsked: 'asks' | 'forgets' | undefined;
  /** When `session/close` came. */
  closingAt: number;
}

export interface QuestionEntry {
  id: number | string;
  session: SessionEntry;
  turn: TurnEntry | undefined;
  askedAt: number;
  /** Asked while the client could still answer. */
  inTime: boolean;
  /** What the embedding program said; null: none of the options. */
  said: string | null | undefined;
  withdrawn: boolean;
  /** A turn of the session was told to stop since. */
  stopped: boolean;
  answer: string | undefined;
}

/** A request of the client. */
interface Call {
  method: string;
  session: string | undefined;
  answered: boolean;
  withdrawn: boolean;
}

/** Outside a turn a question is bounded by the request limit. */
const QUESTION_LIMIT_MS = 60_000;
const LONGEST_OFFER_LIST = 2;

export class Books {
  readonly wrongs: string[] = [];
  readonly sessions = new Map<string, SessionEntry>();
  readonly questions: QuestionEntry[] = [];
  /** Requests of the client by id. */
  readonly calls = new Map<number, Call>();
  /** Anything may end the connection from now on. */
  ending = false;
  /** It has ended. */
  lost = false;
  strayAnswers = 0;
  initialized = false;
  readonly offers: number[] = [];

  constructor(readonly now: () => number) {}

  session(id: string): SessionEntry {
    const known = this.sessions.get(id);
    if (known) return known;
    const entry: SessionEntry = {
      id,
      phase: 'unknown',
      named: false,
      turn: undefined,
      turns: [],
      background: false,
      closeAsked: undefined,
      closingAt: 0,
    };
    this.sessions.set(id, entry);
    return entry;
  }

  question(id: unknown): QuestionEntry | undefined {
    return this.questions.find((question) => question.id === id);
  }

  /** Ids count from 1 on each wire. */
  newWire(): void {
    this.calls.clear();
  }

  lose(): void {
    this.ending = this.lost = true;
  }

  // --- what the client writes ---

  received(frame: ClientFrame): void {
    const { method, id } = frame;
    if (method === undefined) return this.#answer(frame);
    const named = frame.params?.['sessionId'];
    const session = typeof named === 'string' ? named : undefined;
    if (id !== undefined) {
      if (typeof id !== 'number' || this.calls.has(id)) return this.#wrong(`request id ${String(id)} is not new`);
      this.calls.set(id, { method, session, answered: false, withdrawn: false });
    }
    if (method === 'initialize') return this.#offer(frame);
    if (method === '$/cancel_request') return this.#withdraw(frame.params?.['requestId']);
    if (!this.initialized) this.#wrong(`${method} before the handshake was over`);
    if (session === undefined) return;
    if (method === 'session/load' || method === 'session/resume') this.#load(session);
    else if (method === 'session/prompt') this.#prompt(session, id as number);
    else if (method === 'session/cancel') this.#cancel(session);
    else if (method === 'session/close') this.#close(session);
  }

  #offer(frame: ClientFrame): void {
    this.offers.push(frame.params?.['protocolVersion'] as number);
    const [first, second] = this.offers;
    if (this.initialized) this.#wrong('initialize after the handshake was over');
    if (this.offers.length > LONGEST_OFFER_LIST) this.#wrong('a third offer');
    if (second !== undefined && second >= first!) this.#wrong('the second offer is not lower');
  }

  #withdraw(id: unknown): void {
    const call = this.calls.get(id as number);
    if (!call || call.answered) this.#wrong(`$/cancel_request for ${String(id)}, which is not waited for`);
    else if (call.withdrawn) this.#wrong(`a second $/cancel_request for ${String(id)}`);
    else call.withdrawn = true;
  }

  #load(id: string): void {
    const session = this.session(id);
    if (session.phase !== 'unknown' && session.phase !== 'closed') this.#wrong(`${id} is loaded and not closed`);
    session.phase = 'opening';
    session.named = true;
  }

  #prompt(id: string, request: number): void {
    const session = this.session(id);
    if (session.phase !== 'open') this.#wrong(`a prompt in ${id}, which is ${session.phase}`);
    if (session.turn) this.#wrong(`a second prompt in ${id} while a turn runs`);
    if (session.background) this.#wrong(`a prompt in ${id} while the agent works by itself`);
    if (session.closeAsked) this.#wrong(`a prompt in ${id} after it was closed`);
    session.turn = {
      session,
      id: request,
      sentAt: this.now(),
      begun: false,
      answered: false,
      cancelledAt: undefined,
      cancelAsked: false,
      told: false,
      over: false,
      text: '',
    };
    session.turns.push(session.turn);
  }

  #cancel(id: string): void {
    const { turn } = this.session(id);
    if (!turn) return this.#wrong(`session/cancel in ${id}, where no turn runs`);
    if (turn.cancelledAt !== undefined) this.#wrong(`a second session/cancel in ${id} for one turn`);
    turn.cancelledAt = this.now();
    for (const question of this.questions) if (question.session === turn.session) question.stopped = true;
  }

  #close(id: string): void {
    const session = this.session(id);
    if (session.turn) this.#wrong(`session/close in ${id} while its turn runs`);
    if (session.phase === 'late') session.phase = 'closed';
    else if (session.phase !== 'open') this.#wrong(`session/close in ${id}, which is ${session.phase}`);
    else if (session.closeAsked !== 'asks') this.#wrong(`session/close in ${id}, which nobody asked for`);
    else {
      session.phase = 'closing';
      session.closingAt = this.now();
    }
  }

  #answer(frame: ClientFrame): void {
    const question = this.question(frame.id);
    if (!question) return this.#wrong(`an answer to ${JSON.stringify(frame.id)}, which was never asked`);
    const name = JSON.stringify(question.id);
    if (question.answer !== undefined) return this.#wrong(`a second answer to ${name}`);
    const outcome = (frame.result as { outcome?: { outcome?: string; optionId?: string } } | undefined)?.outcome;
    question.answer = outcome?.outcome ?? 'error';
    if (question.answer === 'selected') {
      if (question.said !== outcome?.optionId) this.#wrong(`${name}: selected what nobody chose`);
      if (this.#mustBeOver(question)) this.#wrong(`${name}: selected after it was over`);
    } else if (question.answer !== 'cancelled') {
      this.#wrong(`${name}: an answer that is no outcome`);
    } else if (!this.#mayBeCancelled(question)) {
      this.#wrong(`${name}: cancelled for no reason, or before session/cancel`);
    }
  }

  /** The end of its turn, of its session or of the connection is the end of a question. */
  #mustBeOver({ session, turn, stopped, withdrawn }: QuestionEntry): boolean {
    return stopped || withdrawn || session.phase !== 'open' || turn?.over === true;
  }

  #mayBeCancelled(question: QuestionEntry): boolean {
    const { said, session, turn, askedAt } = question;
    const tooLong = turn === undefined && this.now() - askedAt >= QUESTION_LIMIT_MS;
    return (
      said === null ||
      tooLong ||
      this.ending ||
      session.turn?.cancelledAt !== undefined ||
      // A turn that runs is cancelled before its session is closed.
      (session.closeAsked !== undefined && !session.turn) ||
      this.#mustBeOver(question)
    );
  }

  // --- what the agent says ---

  /** An answer to a request of the client. */
  answers(id: number, answer: { result?: unknown; error?: { code: number } }): void {
    const call = this.calls.get(id);
    if (!call || call.answered) {
      this.strayAnswers += 1;
      return;
    }
    call.answered = true;
    if (call.method === 'session/prompt') this.#promptAnswered(this.session(call.session!), answer);
    if (call.method === 'session/close') this.session(call.session!).phase = 'closed';
  }

  /** v1: the answer ends the turn. v2: one with a stop reason does, or an error; any other accepts the prompt. */
  #promptAnswered(session: SessionEntry, answer: { result?: unknown; error?: unknown }): void {
    const { turn } = session;
    if (!turn) return;
    turn.answered = true;
    const { result } = answer;
    const object = typeof result === 'object' && result !== null;
    if (object && !('stopReason' in result)) turn.begun = true;
    else this.turnOver(turn);
  }

  /** v2: what the session does. */
  stateOf(session: SessionEntry, state: string, stopReason: string | undefined): void {
    const { turn } = session;
    if (!turn) session.background = state !== 'idle';
    else if (state !== 'idle') turn.begun = true;
    else if (turn.begun || (turn.cancelledAt !== undefined && stopReason !== undefined)) this.turnOver(turn);
  }

  turnOver(turn: TurnEntry): void {
    turn.over = true;
    const { session } = turn;
    session.turn = undefined;
    if (session.closeAsked === 'forgets') session.phase = 'closed';
  }

  asks(id: number | string, session: SessionEntry): void {
    const { turn } = session;
    this.questions.push({
      id,
      session,
      turn,
      askedAt: this.now(),
      inTime: !this.lost,
      said: undefined,
      withdrawn: false,
      stopped: turn?.cancelledAt !== undefined,
      answer: undefined,
    });
  }

  // --- what must be true whenever everything has come to rest ---

  /** `kept`: sessions whose traffic is kept until their id is known. */
  rest(kept: ReadonlySet<string>): void {
    if (this.ending) return;
    for (const question of this.questions) {
      const { id, answer, said, session } = question;
      if (answer !== undefined || kept.has(session.id)) continue;
      if (said !== undefined) this.#wrong(`${JSON.stringify(id)} was decided and is not answered`);
      else if (this.#mustBeOver(question)) this.#wrong(`${JSON.stringify(id)} is over and not answered`);
    }
    for (const { id, closeAsked, turn, phase } of this.sessions.values()) {
      if (closeAsked === 'asks' && !turn && phase === 'open') this.#wrong(`${id} was closed and the agent not told`);
      if (phase === 'late') this.#wrong(`${id} is open at the agent, and nobody holds it`);
      const stops = turn && (turn.told || turn.cancelAsked || closeAsked !== undefined);
      if (stops && turn.cancelledAt === undefined) this.#wrong(`the turn of ${id} is stopped and the agent not told`);
    }
  }

  /** The public state that a session must have. */
  publicState({ phase, turn, background, closeAsked, id }: SessionEntry): string {
    if (this.lost) return 'closed';
    if (turn && (turn.cancelledAt !== undefined || turn.told)) return turn.told ? 'draining' : 'cancelling';
    if (closeAsked || phase !== 'open') return 'closed';
    if (background) return 'background';
    if (!turn) return 'idle';
    const open = this.questions.some(({ session, answer }) => session.id === id && answer === undefined);
    return open ? 'awaiting-permission' : 'running';
  }

  #wrong(what: string): void {
    this.wrongs.push(what);
  }
}
