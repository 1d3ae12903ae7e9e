/** Draws what happens next, out of what can happen now. */
import type { Prng } from './prng.js';
import type { Action, AgentAction, AnswerHow, CallTerms, Noise, UpdateKind } from './script.js';
import type { World } from './world.js';

type Draw = () => Action;
type Row = readonly [number, Draw];

const STOPS = ['end_turn', 'end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'of_tomorrow'];
const STATES = ['running', 'running', 'requires_action', 'idle', 'idle', 'of_tomorrow'];
const CODES = [-32_000, -32_601, -32_602, -32_603, -32_002, 17];
const KINDS: UpdateKind[] = [
  ...(['text', 'text', 'text', 'text', 'message', 'thought', 'user', 'tool', 'tool'] as const),
  ...(['plan', 'commands', 'mode', 'config', 'usage', 'info', 'child', 'odd', 'malformed'] as const),
];
const NOISES: Noise[] = [
  ...([
    'text',
    'array',
    'scalar',
    'bare',
    'cut',
    'blank',
    'crlf',
    'ansi',
    'not-utf8',
    'glued',
    'no-jsonrpc',
    'deep',
  ] as const),
];
const TOOL_KINDS = ['read', 'edit', 'execute', 'delete', 'other', undefined];
const OPTIONS = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'of_tomorrow'];
const BAD: AnswerHow[] = [
  ...(['null', 'no-stop', 'error', 'error', 'error', 'both', 'neither', 'string-id', 'twice', 'wrong-type'] as const),
  ...(['no-id', 'taken-id'] as const),
];

export class Drawing {
  /** Numbers of what is made: calls, updates, requests, sessions. */
  #next = 1;
  #sessions = 1;
  #requestId = 1;
  /** How often the agent keeps to the protocol. */
  readonly #goodness: number;
  readonly #hurry: number;

  constructor(
    readonly world: World,
    readonly r: Prng,
  ) {
    this.#goodness = r.pick([0.95, 0.9, 0.7, 0.4]);
    this.#hurry = r.pick([0.3, 1, 2]);
  }

  next(): Action {
    const { r, world } = this;
    const action = r.weighted([
      ...this.#time(),
      ...this.#agent(),
      ...(world.handle ? this.#caller() : this.#connecting()),
    ])();
    if (r.chance(0.12)) action.join = true;
    if (isAgents(action)) {
      if (r.chance(0.25)) action.cut = r.int(1e6);
      if (r.chance(0.03)) action.hold = r.between(1, 40);
    }
    return action;
  }

  #time(): Row[] {
    const { r } = this;
    const h = this.#hurry;
    return [
      [5 * h, () => ({ do: 'advance', ms: r.between(1, 60) })],
      [2.5 * h, () => ({ do: 'advance', ms: r.between(60, 600) })],
      [0.6 * h, () => ({ do: 'advance', ms: r.between(600, 4000) })],
      [1.5 * h, () => ({ do: 'tick' })],
    ];
  }

  #connecting(): Row[] {
    return [[0.3, () => ({ do: 'abort-connect' })]];
  }

  /** An id that sessions may have: one that is open, mostly; or closed, next, or nobody's. */
  #session(): string | undefined {
    const { r, world } = this;
    const live = [...world.caller.sessions.values()].filter(({ closed }) => !closed);
    const opening = [...world.caller.opening.values()].filter((id) => id !== undefined);
    const strict = world.setup.scope === 'strict';
    const children = world.books.childIds();
    return r.weighted<() => string | undefined>([
      [live.length > 0 ? 80 : 0, () => r.pick(live).session.id],
      [opening.length > 0 ? 10 : 0, () => r.pick(opening)],
      [world.books.naming > 0 ? 8 : 0.5, () => `s-${this.#sessions}`],
      [strict ? 0.1 : 3, () => `s-${r.between(1, this.#sessions)}`],
      [strict ? 0.05 : 2, () => `x-${r.int(3)}`],
      [strict ? 0.02 : 0.3, () => undefined],
      [children.length > 0 ? 8 : 0, () => r.pick(children)],
    ])();
  }

  #someId(): string {
    return this.#session() ?? 'x-0';
  }

  #agent(): Row[] {
    const { r, world } = this;
    const { agentSide, books, setup } = world;
    const { open, pipe } = agentSide;
    if (pipe.over) return [];
    const prompts = open.filter(({ method }) => method === 'session/prompt');
    const others = open.filter(({ method }) => method !== 'session/prompt' && method !== 'initialize');
    const v2 = agentSide.setup.version === 2;
    const rows: Row[] = [
      [others.length > 0 ? 18 : 0, () => this.#answer(r.pick(others).method)],
      [prompts.length > 0 ? (v2 ? 8 : 5) : 0, () => this.#answer('session/prompt')],
      [0.7, () => ({ do: 'stray', id: r.pick<number | string | null>([900_000, -1, 0.5, 'x', '007', '', null]) })],
      [1.5, () => ({ do: 'noise', noise: r.pick(NOISES) })],
      [0.5, () => ({ do: 'note', method: r.pick(['sim/note', '_vendor/x', 'toString']) })],
      [0.06, () => ({ do: 'end' })],
      [0.03, () => ({ do: 'fail' })],
      [0.03, () => ({ do: 'oversize' })],
      [pipe.stalled ? 0 : 0.12, () => ({ do: 'stall' })],
      [pipe.stalled ? 5 : 0, () => ({ do: 'unstall' })],
      [0.03, () => ({ do: 'break' })],
    ];
    if (!world.handle) return rows;
    rows.push(
      [16, () => this.#update(r.pick(KINDS))],
      [setup.limits.maxFrameBytes > 1e6 ? 0.02 : 0, () => this.#update('big')],
      [v2 ? 12 : 0.5, () => this.#state()],
      [5, () => this.#ask()],
      [books.openRequests.size > 0 ? 1 : 0.1, () => ({ do: 'withdraw', id: this.#openId() })],
      [1.2, () => this.#request()],
    );
    return rows;
  }

  #answer(method: string): AgentAction {
    const { r, world } = this;
    const how = r.chance(this.#goodness) ? 'good' : r.pick(BAD);
    const a: Extract<AgentAction, { do: 'answer' }> = { do: 'answer', method, nth: r.int(3), how };
    if (method === 'session/new' || method === 'session/fork' || how === 'taken-id') {
      const live = [...world.caller.sessions.values()];
      const again = live.length > 0 && (how === 'taken-id' || r.chance(0.06));
      a.id = again ? r.pick(live).session.id : `s-${this.#sessions++}`;
    }
    if (method === 'session/prompt' && (world.agentSide.setup.version === 1 || r.chance(0.15)))
      a.stopReason = r.pick(STOPS);
    if (how === 'error') a.code = r.pick(CODES);
    if (method === 'session/list') a.code = r.int(2);
    return a;
  }

  #update(kind: UpdateKind): AgentAction {
    const { r } = this;
    const session = this.#session();
    const a: Extract<AgentAction, { do: 'update' }> = { do: 'update', n: this.#next++, kind };
    if (session !== undefined) a.session = session;
    if (kind !== 'tool') return a;
    const toolKind = r.pick(TOOL_KINDS);
    if (r.chance(0.5)) a.tool = `t-${r.int(4)}`;
    if (toolKind !== undefined) a.toolKind = toolKind;
    return a;
  }

  #state(): AgentAction {
    const { r } = this;
    const state = r.pick(STATES);
    const a: Extract<AgentAction, { do: 'state' }> = { do: 'state', n: this.#next++, session: this.#someId(), state };
    if (state === 'idle' ? r.chance(0.8) : r.chance(0.05)) a.stopReason = r.chance(0.1) ? 'error' : r.pick(STOPS);
    return a;
  }

  /** A request's own id: new, or one that the protocol forbids to use. */
  #newId(): number | string | null {
    const { r } = this;
    const fresh = this.#requestId++;
    return r.weighted<() => number | string | null>([
      [80, () => fresh],
      [8, () => `r-${fresh}`],
      [4, () => String(fresh)],
      [2, () => fresh + 0.5],
      [3, () => this.#openId()],
      [1, () => null],
    ])();
  }

  #openId(): number | string | null {
    const open = [...this.world.books.openRequests];
    return open.length > 0 ? this.r.pick(open).id : this.r.int(this.#requestId + 1);
  }

  #ask(): AgentAction {
    const { r } = this;
    const options = Array.from({ length: r.pick([0, 1, 2, 2, 2, 3, 4]) }, () => r.pick(OPTIONS));
    const session = this.#session();
    const a: Extract<AgentAction, { do: 'ask' }> = { do: 'ask', n: this.#next++, id: this.#newId(), options };
    const toolKind = r.pick(TOOL_KINDS);
    if (session !== undefined) a.session = session;
    if (r.chance(0.3)) a.tool = `t-${r.int(4)}`;
    if (toolKind !== undefined) a.toolKind = toolKind;
    return a;
  }

  #request(): AgentAction {
    const { r } = this;
    const method = r.pick([
      'sim/ask',
      'sim/ask',
      'fs/read_text_file',
      'fs/read_text_file',
      'elicitation/create',
      'elicitation/create',
      'x/unknown',
      'constructor',
    ]);
    return { do: 'request', n: this.#next++, id: this.#newId(), method, session: this.#someId() };
  }

  #terms(): CallTerms {
    const { r, world } = this;
    const { turnIdleMs, turnAbsoluteMs } = world.setup.limits;
    const terms: CallTerms = {};
    if (r.chance(0.15)) terms.signal = true;
    if (r.chance(0.02)) terms.budget = 'shared';
    else if (r.chance(0.12)) {
      terms.budget = { idleMs: r.between(50, turnIdleMs), absoluteMs: r.between(50, turnAbsoluteMs) };
    }
    return terms;
  }

  #caller(): Row[] {
    const { r, world } = this;
    const { caller } = world;
    const sessions = [...caller.sessions.values()];
    const live = sessions.filter(({ closing }) => !closing);
    const turns = [...caller.turns.values()];
    const running = turns.filter(({ result }) => !result.settled);
    const readers = turns.filter(({ reading, iterator }) => reading === 'no' || (reading === 'on' && iterator));
    const asked = [...caller.asked].filter(([, { over }]) => !over).map(([n]) => n);
    const serving = [...caller.serving.keys()];
    const signals = [...caller.signals].filter(([, { signal }]) => !signal.aborted).map(([label]) => label);
    const tickets = [...caller.tickets.keys()];
    const as = (): number => this.#next++;
    const some = (): number => (r.chance(0.9) && live.length > 0 ? r.pick(live) : r.pick(sessions)).label;
    const over = world.handle?.state !== 'ready' ? 0.15 : 1;
    const rows: Row[] = [
      [over * (live.length + caller.opening.size < 3 ? 8 : 1), () => this.#open()],
      [0.4 * over, () => ({ do: 'authenticate', as: as(), terms: this.#terms() })],
      [0.15 * over, () => ({ do: 'logout', as: as(), terms: this.#terms() })],
      [0.4 * over, () => ({ do: 'list', as: as(), terms: this.#terms() })],
      [0.2 * over, () => ({ do: 'delete', as: as(), id: this.#someId(), terms: this.#terms() })],
      [0.4 * over, () => ({ do: 'send', as: as(), method: r.pick(['x/do', 'session/prompt', 'session/info']) })],
      [0.2 * over, () => ({ do: 'notify', as: as(), method: r.pick(['x/note', 'session/cancel']) })],
      [0.12, () => ({ do: 'close', as: as() })],
      [0.04, () => ({ do: 'abort-connect' })],
    ];
    if (sessions.length > 0) {
      rows.push(
        [14 * over, () => this.#prompt(some())],
        [0.6, () => ({ do: 'close-session', as: as(), on: some(), terms: this.#terms() })],
        [0.4, () => ({ do: 'dispose', as: as(), on: some() })],
        [0.8 * over, () => this.#select(some())],
        [0.4 * over, () => this.#setConfig(some())],
      );
    }
    if (running.length > 0) rows.push([2, () => ({ do: 'cancel', turn: r.pick(running).label })]);
    if (turns.length > 0) rows.push([0.3, () => ({ do: 'cancel', turn: r.pick(turns).label })]);
    if (readers.length > 0) {
      rows.push([3, () => ({ do: 'read', as: as(), turn: r.pick(readers).label })]);
      rows.push([0.4, () => ({ do: 'leave', turn: r.pick(readers).label })]);
    }
    if (asked.length > 0) rows.push([7, () => this.#decide(r.pick(asked))]);
    if (serving.length > 0) {
      rows.push([
        3,
        () => ({ do: 'serve', ask: r.pick(serving), how: r.pick(['result', 'result', 'throw', 'function']) }),
      ]);
    }
    if (signals.length > 0) rows.push([0.8, () => ({ do: 'abort', of: r.pick(signals) })]);
    if (tickets.length > 0) {
      rows.push([0.6, () => ({ do: 'await', as: as(), ticket: r.pick(tickets), terms: this.#terms() })]);
    }
    if (caller.works.length > 0) rows.push([8, () => ({ do: 'release' })]);
    return rows;
  }

  #open(): Action {
    const { r } = this;
    const via = r.pick(['new', 'new', 'new', 'load', 'resume', 'fork', 'open'] as const);
    const a: Extract<Action, { do: 'open' }> = { do: 'open', as: this.#next++, via, terms: this.#terms() };
    if (via !== 'new') a.id = r.chance(0.5) ? this.#someId() : `h-${r.int(4)}`;
    return a;
  }

  #prompt(on: number): Action {
    const { r } = this;
    const reader = r.weighted([
      [5, 'none'],
      [3, 'eager'],
      [2, 'slow'],
      [1, 'leaves'],
    ] as const);
    const { chance } = r;
    return {
      do: 'prompt',
      as: this.#next++,
      on,
      queue: chance(0.4),
      context: chance(0.2),
      reader,
      terms: this.#terms(),
    };
  }

  #select(on: number): Action {
    const { r } = this;
    const a: Extract<Action, { do: 'select' }> = { do: 'select', as: this.#next++, on, terms: this.#terms() };
    if (r.chance(0.5)) a.model = r.pick(['fast', 'deep', 'nowhere']);
    if (r.chance(0.5)) a.effort = r.pick(['low', 'high', 'MAX', 'nowhere']);
    if (r.chance(0.5)) a.mode = r.pick(['ask', 'code']);
    return a;
  }

  #setConfig(on: number): Action {
    const { r } = this;
    const [id, value] = r.pick([
      ['model', 'deep'],
      ['web', true],
      ['mode', 'nowhere'],
      ['__proto__', 'x'],
    ] as [string, string | boolean][]);
    return { do: 'set-config', as: this.#next++, on, id, value, terms: this.#terms() };
  }

  #decide(ask: number): Action {
    const { r } = this;
    const how = r.weighted([
      [8, 'option'],
      [1, 'null'],
      [1, 'foreign'],
      [1, 'throw'],
    ] as const);
    return { do: 'decide', ask, how, option: r.int(4) };
  }
}

const AGENTS = new Set(['answer', 'stray', 'update', 'state', 'ask', 'request', 'withdraw', 'note', 'noise']);
const isAgents = (action: Action): action is AgentAction & { join?: true } => AGENTS.has(action.do);
