/** One agent, one session, one turn: what `run` does once it knows what was asked for. */
import {
  type Agent,
  budget,
  type CallOptions,
  type ConnectOptions,
  type Observer,
  type Policy,
  type Session,
  type Turn,
} from '../index.js';
import { DEFAULT_TURN_IDLE_MS } from '../policy/budget.js';
import { type AgentCommand, connectOptions } from './agentOptions.js';
import { EXIT, exitCodeOf, exitCodeOfOutcome } from './exitCodes.js';
import type { Interrupts } from './interrupts.js';
import { logIn } from './logIn.js';
import type { Output } from './output.js';
import { Refusals } from './permissionFlags.js';
import { Progress } from './progress.js';
import type { RunFlags } from './flags.js';
import type { RunView } from './views.js';
import { withAgent } from './withAgent.js';

export interface ConversationOptions {
  agent: AgentCommand;
  /** Undefined: nothing is asked; the session is open until Ctrl-C. */
  text: string | undefined;
  flags: RunFlags;
  permissions: Policy;
  output: Output;
  interrupts: Interrupts;
  view: RunView;
  /** Called when there will be no more questions, which is before the agent is closed. */
  answered?: (() => void) | undefined;
  recorder?: Observer | undefined;
}

/** One budget from the start of the process to the end of the turn; without either bound each call has its default. */
function boundsOf({ idle, max }: RunFlags): CallOptions {
  if (idle === undefined && max === undefined) return {};
  return { budget: budget({ idleMs: idle ?? DEFAULT_TURN_IDLE_MS, absoluteMs: max }) };
}

export class Conversation {
  readonly #o: ConversationOptions;
  readonly #bounds: CallOptions;
  readonly #progress: Progress;
  readonly #refusals: Refusals;
  /** How it ended has been told. */
  #told = false;

  constructor(options: ConversationOptions) {
    const { flags, output } = options;
    this.#o = options;
    this.#bounds = boundsOf(flags);
    this.#progress = new Progress(output);
    this.#refusals = new Refusals(flags.allow ?? []);
  }

  /** Gives the exit code. */
  async run(): Promise<number> {
    const { agent, flags, permissions, interrupts, view } = this.#o;
    const { recorder } = this.#o;
    const own = { permissions, recorder, on: this.#listeners() };
    const options = { ...connectOptions(agent, flags), ...this.#bounds, ...own };
    try {
      view.state('connection', 'connecting');
      const exitCode = await withAgent({
        options,
        interrupts,
        failed: (error) => this.#tell(() => view.failed(error, exitCodeOf(error))),
        body: (connected) => this.#converse(connected),
      });
      if (!this.#told) view.interrupted(interrupts.by, exitCode);
      return exitCode;
    } finally {
      this.#progress.stop();
    }
  }

  async #converse(agent: Agent): Promise<number> {
    const { text, flags, interrupts, view } = this.#o;
    view.connected(agent);
    follow(agent, (state) => this.#changed('connection', state));
    await logIn(agent, flags.auth);
    const session = await opened(agent, flags, this.#bounds);
    view.opened(session);
    follow(session, (state) => this.#changed('session', state));
    if (text === undefined) return this.#untilAsked(agent);
    const turn = session.prompt(text, this.#bounds);
    interrupts.onAsked = () => this.#cancel(turn);
    try {
      const result = await turn.result;
      const exitCode = exitCodeOfOutcome(result.outcome);
      this.#tell(() => view.result(result, agent.stats, exitCode));
      return exitCode;
    } finally {
      // What is left is closing, which has its own bounds: only a second Ctrl-C cuts it short.
      interrupts.onAsked = () => {};
    }
  }

  /** The agent may also leave by itself. */
  async #untilAsked(agent: Agent): Promise<number> {
    const { interrupts, output } = this.#o;
    const asked = new Promise<void>((resolve) => (interrupts.onAsked = resolve));
    const end = await Promise.race([asked, agent.closed]);
    interrupts.onAsked = () => {};
    if (end?.error) throw end.error;
    if (output.hasStatus) output.note('');
    this.#told = true;
    return EXIT.completed;
  }

  #listeners(): ConnectOptions['on'] {
    const { view } = this.#o;
    return {
      update: (update, where) => {
        if (where.phase === 'turn') this.#progress.update(update);
        return view.update(update, where);
      },
      permission: (request) => this.#refusals.asked(request),
      decision: (decision) => {
        this.#refusals.decided(decision);
        view.decision(decision);
      },
    };
  }

  #cancel(turn: Turn): void {
    const { output } = this.#o;
    output.letGo();
    // On a terminal it ends the line that the typed ^C stands in.
    if (output.hasStatus) output.note(' cancelling; Ctrl-C again kills the agent');
    void turn.cancel();
  }

  #changed(of: 'connection' | 'session', state: string): void {
    if (!this.#told) this.#progress.state(state);
    this.#o.view.state(of, state);
  }

  #tell(end: () => void): void {
    this.#told = true;
    this.#o.answered?.();
    end();
    const advice = this.#refusals.summary();
    if (advice !== undefined) this.#o.output.note(advice);
    this.#progress.state('closing');
  }
}

async function opened(agent: Agent, flags: RunFlags, bounds: CallOptions): Promise<Session> {
  const { load, cwd, model, effort, mode } = flags;
  const options = { ...bounds, cwd };
  const session = await (load === undefined
    ? agent.newSession(options)
    : agent.openSession({ ...options, id: load, prefer: ['load', 'resume'] }));
  if (model !== undefined || effort !== undefined || mode !== undefined) {
    await session.select({ model, effort, mode }, bounds);
  }
  return session;
}

interface Followed {
  readonly state: string;
  subscribe(fn: () => void): () => void;
}

/** Tells of the state now, and of each other one that follows. */
function follow(followed: Followed, tell: (state: string) => void): void {
  let last: string | undefined;
  const look = (): void => {
    const { state } = followed;
    if (state !== last) tell(state);
    last = state;
  };
  followed.subscribe(look);
  look();
}
