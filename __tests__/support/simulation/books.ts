/**
 * Independent books: what must be true of turns and sessions, worked out from the frames alone. What the agent said counts
 * from the moment when the client has counted it (`framesIn`), what the client wrote from the moment when it was written.
 * It is the end rule of the semantics (14) once more, by other means than charts.
 */
import type { AgentRequest, ClientFrame, ClientRequest, Sent, SimAgent } from './agent.js';
import type { Setup } from './script.js';
import { serves } from './setup.js';

export interface TurnEnd {
  at: number;
  stopReason: string | undefined;
  failure: 'protocol' | 'agent-error' | 'auth-required' | undefined;
}

export interface TurnBook {
  label: number;
  session: SessionBook;
  promptId: number;
  startedAt: number;
  begun: boolean;
  stoppedAt: number | undefined;
  end: TurnEnd | undefined;
  /** Tokens of agent text, and of all updates, that came in it. */
  text: number[];
  updates: number[];
  bytes: number;
  /** Permission requests that came in it. */
  asked: number;
  /** Something happened whose moment cannot be told from outside: only what holds at any moment is checked. */
  fuzzy: boolean;
}

export interface SessionBook {
  id: string;
  turn: TurnBook | undefined;
  /** The turn before. */
  last: TurnBook | undefined;
  /** v2: works without a prompt of ours. */
  working: boolean;
  /** A new session's state before its id was known. */
  earlyWorking: boolean;
  /** The label of the newest prompt that was written for it. */
  newestPrompt: number;
  /** Kinds that were announced, by tool call. */
  announced: Map<string, Set<string>>;
  /** It was asked for by id: how a late answer to that mixes with a new session of this id is the client's own affair. */
  asked: boolean;
  fuzzy: boolean;
}

export interface RequestBook extends AgentRequest {
  turn: TurnBook | undefined;
  withdrawn: boolean;
  /** When it was counted. */
  since: number;
  /** A kind that was announced for its tool before and is another one. */
  contradicted: boolean;
}

export interface BooksHost {
  agent: SimAgent;
  now(): number;
  framesIn(): number;
  fail(what: string): void;
  /** The caller was told that a bound fired: what comes now is in no turn. */
  wasBound(label: number): boolean;
  /** The caller holds the session and has not begun to close it. */
  holds(id: string): boolean;
  /** It holds it, or opens or closes it by this id. */
  knows(id: string): boolean;
  had(id: string): boolean;
  /** What the caller opens by this action is a new session, whatever it was before. */
  opensNew(label: number): void;
  /** The embedder chose it, or gave its policy the right to. */
  mayBeSelected(request: RequestBook, option: number): boolean;
}

export class Books {
  readonly sessions = new Map<string, SessionBook>();
  readonly turns = new Map<number, TurnBook>();
  /** The agent's requests that were counted, by id. */
  readonly requests = new Map<string, { all: RequestBook[]; answers: number }>();
  readonly openRequests = new Set<RequestBook>();
  /** Requests whose answer names a session. */
  naming = 0;
  strays = 0;
  updates = 0;
  answered = 0;
  /** Answers that a ledger keeps: to permission requests, but not the refused ones. */
  outcomes = 0;
  /** Sessions that another announced as its child; and those that one will have whose id is not known yet. */
  readonly children = new Map<string, string>();
  readonly #earlyChildren = new Map<string, string>();
  /** The agent has answered that it knows no `session/close`. */
  closeMissing = false;
  /** Closed by an answer of which the caller may not know yet: both may be in one chunk with what comes after. */
  readonly #justClosed = new Set<string>();
  lastFrameAt = 0;
  at = 0;
  #newestId = 0;
  #foreignTaken = false;
  readonly #methodOf = new Map<number, string>();

  constructor(readonly host: BooksHost) {}

  session(id: string): SessionBook {
    let found = this.sessions.get(id);
    if (!found) {
      const { stalled, broken } = this.host.agent.pipe;
      const fuzzy = stalled || broken || this.#foreignTaken;
      found = {
        id,
        turn: undefined,
        last: undefined,
        working: false,
        earlyWorking: false,
        newestPrompt: 0,
        asked: false,
        announced: new Map(),
        fuzzy,
      };
      this.sessions.set(id, found);
    }
    return found;
  }

  /** From here on no moment is certain. */
  blur(): void {
    for (const id of this.sessions.keys()) this.unsure(id);
  }

  /** From here on no moment of this session is certain. */
  unsure(id: string): void {
    const session = this.session(id);
    session.fuzzy = true;
    if (session.turn) session.turn.fuzzy = true;
  }

  /** Takes in what the client has counted by now. */
  catchUp(upTo = this.host.framesIn()): void {
    const { sent } = this.host.agent;
    if (upTo > sent.length) this.host.fail(`counted ${upTo} frames of ${sent.length}`);
    while (this.at < upTo && this.at < sent.length) {
      const frame = sent[this.at++] as Sent;
      this.lastFrameAt = this.host.now();
      switch (frame.k) {
        case 'answer':
          this.#answer(frame);
          break;
        case 'update':
        case 'state':
          this.#update(frame);
          break;
        case 'request':
          this.#request(frame.request);
          break;
        case 'withdraw':
          this.#withdraw(frame.id);
          break;
        case 'note':
          break;
      }
    }
  }

  #answer({ of, verdict }: Extract<Sent, { k: 'answer' }>): void {
    if (!of) {
      this.strays += 1;
      return;
    }
    this.answered += 1;
    const { method } = of;
    if (method === 'session/close' && verdict.type === 'bad' && verdict.code === -32_601) this.closeMissing = true;
    const { session } = of;
    if (method === 'session/close' && session !== undefined && this.host.knows(session) && !this.host.holds(session))
      this.#justClosed.add(session);
    if (method === 'session/new' || method === 'session/fork') {
      this.naming -= 1;
      if (verdict.type === 'result' && verdict.sessionId !== undefined) this.#named(verdict.sessionId);
      if (this.naming === 0) {
        this.#earlyChildren.clear();
        for (const session of this.sessions.values()) session.earlyWorking = false;
      }
    }
    if (method !== 'session/prompt' || of.session === undefined) return;
    const { turn } = this.session(of.session);
    if (turn?.promptId !== of.id) return;
    const v1 = this.host.agent.setup.version === 1;
    if (verdict.type === 'bad') return this.#end(turn, undefined, verdict.kind);
    if (verdict.stopReason !== undefined) return this.#end(turn, verdict.stopReason);
    if (v1) return this.#end(turn, undefined, 'protocol');
    turn.begun = true;
  }

  /** A new session: what was said of it before counts. */
  #named(id: string): void {
    if (this.host.holds(id)) return;
    const session = this.session(id);
    session.fuzzy ||= session.asked;
    if (!this.#justClosed.delete(id) && this.host.knows(id)) {
      // Handed out again while a session of that id closes, or is asked for: whose moments these are cannot be told from here.
      session.fuzzy = true;
      return;
    }
    this.children.delete(id);
    session.working = session.earlyWorking;
    this.#anew(session);
    for (const [child, parent] of this.#earlyChildren) {
      if (parent !== id && this.children.get(parent) !== id) continue;
      // Delivered now, and once: a later session of this id announces its own.
      this.#earlyChildren.delete(child);
      // One that is a session's by now, or was, is not taken away.
      if (!this.host.knows(child) && !this.host.had(child)) this.children.set(child, id);
    }
  }

  #anew(session: SessionBook): void {
    session.earlyWorking = false;
    session.turn = session.last = undefined;
    session.newestPrompt = 0;
    session.announced.clear();
    for (const [child, parent] of this.children) if (parent === session.id) this.children.delete(child);
  }

  /** The caller has by now what it was given: what was asked of a child before is the parent's. */
  adopt(): void {
    for (const request of this.openRequests) request.session = this.parentOf(request.session) ?? request.session;
  }

  /** Ids that were announced as a child's. */
  childIds(): string[] {
    return [...this.children.keys(), ...this.#earlyChildren.keys()];
  }

  /** The session of which this one is a child, while that is open. */
  parentOf(id: string | undefined): string | undefined {
    const parent = id === undefined ? undefined : this.children.get(id);
    return parent !== undefined && this.host.knows(parent) ? parent : undefined;
  }

  #end(turn: TurnBook, stopReason: string | undefined, failure?: TurnEnd['failure']): void {
    const stopped = failure !== undefined && turn.stoppedAt !== undefined;
    const at = this.host.now();
    turn.end = stopped ? { at, stopReason: 'cancelled', failure: undefined } : { at, stopReason, failure };
    turn.session.last = turn;
    turn.session.turn = undefined;
  }

  #update(frame: Extract<Sent, { k: 'update' | 'state' }>): void {
    this.updates += 1;
    const { session: id, n } = frame;
    const parent = this.parentOf(id);
    if (id !== undefined && parent !== undefined) return this.#announce(this.session(id), frame, true);
    if (id === undefined || !this.host.holds(id)) this.#foreign();
    if (id === undefined) return;
    const session = this.session(id);
    const { turn } = session;
    if (turn && !this.host.wasBound(turn.label)) {
      turn.updates.push(n);
      if (frame.k === 'update') {
        turn.bytes += frame.bytes;
        if (frame.text) turn.text.push(n);
      }
    }
    if (frame.k === 'state') return this.#state(session, frame);
    this.#announce(session, frame, this.host.knows(id));
  }

  #announce(session: SessionBook, frame: Sent, known: boolean): void {
    if (frame.k !== 'update') return;
    const { child, tool, toolKind } = frame;
    if (child !== undefined && known) this.children.set(child, this.parentOf(session.id) ?? session.id);
    else if (child !== undefined && this.#keeps(session)) this.#earlyChildren.set(child, session.id);
    if (tool === undefined || toolKind === undefined || !known) return;
    session.announced.set(tool, (session.announced.get(tool) ?? new Set()).add(toolKind));
  }

  /**
   * What comes for it is kept for a session to be named: surely, for a late answer to a load may have closed the id, and with
   * `accept` it may be the only one's.
   */
  #keeps({ id, asked }: SessionBook): boolean {
    return this.naming > 0 && !this.host.had(id) && !asked && this.host.agent.setup.scope !== 'accept';
  }

  #state(session: SessionBook, { state, stopReason }: Extract<Sent, { k: 'state' }>): void {
    if (this.host.agent.setup.version === 1) return;
    const { turn } = session;
    const idle = state === 'idle';
    if (!turn) {
      session.working = !idle;
      if (this.naming > 0 && !this.host.knows(session.id) && !this.host.had(session.id)) session.earlyWorking = !idle;
      return;
    }
    if (!idle) {
      turn.begun = true;
      return;
    }
    if (turn.begun) this.#end(turn, stopReason, stopReason === 'error' ? 'agent-error' : undefined);
    else if (turn.stoppedAt !== undefined && stopReason !== undefined) this.#end(turn, stopReason);
  }

  #request(request: AgentRequest): void {
    const { id } = request;
    const session = this.parentOf(request.session) ?? request.session;
    const runs = session === undefined ? undefined : this.session(session).turn;
    const turn = runs && this.host.wasBound(runs.label) ? undefined : runs;
    const told = request.session === undefined ? undefined : this.session(request.session).announced;
    const kinds = [...(told?.get(request.tool) ?? [])];
    const contradicted = request.toolKind !== undefined && kinds.some((kind) => kind !== request.toolKind);
    const book = { ...request, session, turn, withdrawn: false, since: this.host.now(), contradicted };
    const asks = request.method === 'session/request_permission';
    if (asks && (session === undefined || !this.host.holds(session))) this.#foreign();
    if (asks && turn) turn.asked += 1;
    const key = JSON.stringify(id);
    const group = this.requests.get(key);
    if (group) group.all.push(book);
    else this.requests.set(key, { all: [book], answers: 0 });
    this.openRequests.add(book);
  }

  #withdraw(id: number | string | null): void {
    const open = this.requests.get(JSON.stringify(id))?.all.filter(({ answered }) => !answered) ?? [];
    if (open.length === 1 && id !== null) (open[0] as RequestBook).withdrawn = true;
  }

  /** With `accept`, traffic of no session of ours is the only one's: which one that was cannot be told from here. */
  #foreign(): void {
    if (this.host.agent.setup.scope !== 'accept') return;
    this.#foreignTaken = true;
    this.blur();
  }

  /** A frame of the client. */
  wrote(frame: ClientFrame, request: ClientRequest | undefined): void {
    this.catchUp();
    const { method, params } = frame;
    if (method === undefined) return this.#answeredByClient(frame);
    if (request) {
      if (!Number.isInteger(request.id) || request.id <= this.#newestId) this.host.fail('used an id again');
      this.#newestId = request.id;
      this.#methodOf.set(request.id, method);
    }
    switch (method) {
      case 'session/new':
        this.host.opensNew(Number(/\d+$/.exec(params.cwd)));
        this.naming += 1;
        break;
      case 'session/fork':
        this.naming += 1;
        break;
      case 'session/load':
      case 'session/resume': {
        const session = this.session(params.sessionId);
        session.working = false;
        session.asked = true;
        this.children.delete(session.id);
        // What was kept for it is not of the session that is asked for.
        for (const [child, parent] of this.#earlyChildren) if (parent === session.id) this.#earlyChildren.delete(child);
        this.#anew(session);
        break;
      }
      case 'session/prompt':
        this.#prompted(request as ClientRequest);
        break;
      case 'session/cancel':
        this.#cancelled(params.sessionId);
        break;
    }
  }

  #prompted({ id, params }: ClientRequest): void {
    const { host } = this;
    const session = this.session(params.sessionId);
    const label = Number(/#(\d+)#/.exec(JSON.stringify(params.prompt))?.[1]);
    if (!session.fuzzy && session.turn) host.fail('two prompts are under way in one session');
    if (!session.fuzzy && session.working) host.fail('prompted a session in which the agent works');
    if (this.turns.has(label)) host.fail('wrote a prompt twice');
    if (label <= session.newestPrompt) host.fail('prompts of a session left out of order');
    session.newestPrompt = label;
    const turn: TurnBook = {
      label,
      session,
      promptId: id,
      startedAt: host.now(),
      begun: false,
      stoppedAt: undefined,
      end: undefined,
      text: [],
      updates: [],
      bytes: 0,
      asked: 0,
      fuzzy: session.fuzzy,
    };
    session.turn = turn;
    this.turns.set(label, turn);
  }

  #cancelled(id: string): void {
    const session = this.session(id);
    const turn = session.turn ?? (session.fuzzy ? session.last : undefined);
    if (!turn) return this.host.fail('cancelled where no turn runs');
    if (turn.stoppedAt !== undefined) return this.host.fail('cancelled a turn twice');
    turn.stoppedAt = this.host.now();
  }

  #answeredByClient({ id, result, error }: ClientFrame): void {
    const { host } = this;
    const group = this.requests.get(JSON.stringify(id ?? null));
    if (!group) return host.fail('answered a request that was never made');
    if ((result === undefined) === (error === undefined))
      host.fail('an answer with both or neither of result and error');
    group.answers += 1;
    const open = group.all.filter(({ answered }) => !answered);
    if (open.length === 0) return host.fail('answered a request twice');
    const outcome = result?.outcome;
    if (outcome?.outcome === 'selected') {
      const [, serial, at] = /^o-(\d+)-(\d+)$/.exec(String(outcome.optionId)) ?? [];
      const request = group.all.find(({ n }) => n === Number(serial));
      if (!request) return host.fail('selected an option of another request');
      // Of several with one id it is the option that tells which was meant: another was answered before.
      this.#close(request.answered ? (open[0] as RequestBook) : request, 'outcome');
      if (request.turn && !request.turn.fuzzy && request.turn.stoppedAt !== undefined) {
        host.fail('selected in a turn that is being cancelled');
      }
      if (!host.mayBeSelected(request, Number(at))) host.fail('selected what nobody chose');
      return;
    }
    const said = outcome?.outcome === 'cancelled' ? 'outcome' : result?.action === undefined ? 'result' : 'action';
    const kind = error ? error.code : said;
    const { setup } = host.agent;
    // Of several with one id that it fits, the one that fewest answers fit: what another is answered with fits the rest.
    const fit = open
      .filter((each) => answersTo(each, setup).includes(kind))
      .sort((a, b) => answersTo(a, setup).length - answersTo(b, setup).length);
    const request = fit.find(({ turn, withdrawn }) => withdrawn || turn?.end) ?? fit[0];
    if (request) this.#close(request, kind);
    else host.fail(`answered ${(open[0] as RequestBook).method} by ${String(kind)}`);
  }

  #close(request: RequestBook, kind: unknown): void {
    request.answered = true;
    this.openRequests.delete(request);
    if (kind === 'outcome') this.outcomes += 1;
  }
}

/** What each request may be answered with, beside a selection. */
function answersTo({ method }: RequestBook, setup: Setup): unknown[] {
  if (method === 'session/request_permission') return ['outcome'];
  if (!serves(setup, method)) return [-32_601];
  switch (method) {
    case 'sim/ask':
      return ['result', -32_603, -32_800];
    case 'fs/read_text_file':
      return ['result', -32_603, -32_602, -32_800];
    case 'elicitation/create':
      return ['action'];
    default:
      return [-32_601];
  }
}
