/** What `doctor` does with one version of the protocol: each step of a session's life, timed, until one fails. */
import { AcpError, type Agent, connect, type ConnectOptions, type Observer, type Session } from '../index.js';
import { markedProcesses, type MarkedProcess } from '../process/marked.js';
import { type Asking, askingOf } from './asksPermission.js';
import { logIn } from './logIn.js';

export type StepName = 'spawn' | 'initialize' | 'log in' | 'new session' | 'cancel' | 'close session' | 'end';

export interface Step {
  name: StepName;
  /** `login`: it asks for one. `absent`: not advertised. `not spoken`: it does not speak this version. */
  state: 'ok' | 'failed' | 'login' | 'absent' | 'not tried' | 'not spoken';
  ms?: number;
  note?: string;
}

export interface Checkup {
  version: 1 | 2;
  steps: Step[];
  info?: Agent['info'];
  asking?: Asking;
  /** What ended it. */
  error?: AcpError;
  /** What lives on after the end. Undefined: not looked for, or the system does not tell. */
  left?: MarkedProcess[] | undefined;
}

export interface CheckupOptions {
  version: 1 | 2;
  connect: ConnectOptions;
  auth: string | undefined;
  /** Send one prompt, and cancel it. */
  prompt: boolean;
  /** Of each step. */
  limitMs: number;
  /** An empty folder, for the session. */
  folder: string;
  /** In the environment of the agent: `NAME=value`. */
  mark: string;
  signal: AbortSignal;
  at: (step: StepName) => void;
}

const PROMPT = 'This is a test of the connection. Do nothing, use no tools, and answer with one word: ok.';
const MOST_GRACE_MS = 15_000;
/** What leaves by itself may take a moment after the group has gone. */
const LEAVING_MS = 1_500;
const LOOK_AGAIN_MS = 50;

/** When it was started, and what it took to end it. */
class Stages implements Observer {
  readonly began = performance.now();
  startedMs: number | undefined;
  endedBy = 'on end of stdin';
  #gone: () => void = () => {};
  /** Settles when nothing is left of its group. */
  readonly gone = new Promise<void>((resolve) => (this.#gone = resolve));

  transition({ to }: { to: readonly string[] }): void {
    if (to.includes('connection.live.initializing')) this.startedMs ??= performance.now() - this.began;
    if (to.includes('process.terminating')) this.endedBy = 'after SIGTERM';
    if (to.includes('process.killing')) this.endedBy = 'after SIGKILL';
    if (to.includes('process.exited')) this.#gone();
  }
}

/** Rejects only with the reason of `signal`, or with a fault that is no agent's. */
export async function checkUp(options: CheckupOptions): Promise<Checkup> {
  const run = new Run(options);
  try {
    await run.all();
  } catch (error) {
    if (options.signal.aborted || !(error instanceof AcpError)) throw error;
    run.failed(error);
  } finally {
    await run.end();
  }
  return run.result;
}

class Run {
  readonly result: Checkup;
  readonly #o: CheckupOptions;
  readonly #stages = new Stages();
  #step: { name: StepName; began: number };
  #agent: Agent | undefined;

  constructor(options: CheckupOptions) {
    this.#o = options;
    this.result = { version: options.version, steps: [] };
    this.#step = this.#begin('spawn');
  }

  async all(): Promise<void> {
    const agent = await this.#connected();
    const { auth, folder, prompt } = this.#o;
    if (auth !== undefined) await this.#timed('log in', () => logIn(agent, auth));
    const session = await this.#timed('new session', () => agent.newSession({ cwd: folder }));
    this.result.asking = askingOf(session);
    if (prompt) await this.#cancel(session);
    else this.#told({ name: 'cancel', state: 'not tried', note: '--prompt' });
    if (agent.advertises('sessionCapabilities.close')) await this.#timed('close session', () => session.close());
    else this.#told({ name: 'close session', state: 'absent' });
  }

  /** The step at which it stopped. */
  failed(error: AcpError): void {
    const { name, began } = this.#startedTo(error);
    const refused = refusesOffer(error) ? 'not spoken' : 'failed';
    const state = error.kind === 'auth-required' ? 'login' : refused;
    this.#told({ name, state, ms: performance.now() - began, note: error.kind });
    this.result.error = error;
  }

  async end(): Promise<void> {
    const { startedMs, gone } = this.#stages;
    if (startedMs === undefined) return;
    const agent = this.#agent;
    const before = agent !== undefined && agent.closeReason !== undefined;
    const { began } = this.#begin('end');
    // A connection that was not made is being closed already.
    await (agent ? agent.close() : gone);
    const ms = performance.now() - began;
    this.#told({ name: 'end', state: 'ok', ms, note: before ? 'by itself before' : this.#stages.endedBy });
    this.result.left = await leftAfter(this.#o.mark);
  }

  async #connected(): Promise<Agent> {
    const { connect: given, version, limitMs, signal } = this.#o;
    const bounds = { idleMs: limitMs, absoluteMs: limitMs };
    const agent = await connect({
      ...given,
      protocolVersions: [version],
      budget: bounds,
      turnBudget: bounds,
      requestLimitMs: limitMs,
      cancelGraceMs: Math.min(limitMs, MOST_GRACE_MS),
      recorder: this.#stages,
      signal,
    });
    this.#agent = agent;
    this.result.info = agent.info;
    const { began, startedMs = 0 } = this.#stages;
    this.#told({ name: 'spawn', state: 'ok', ms: startedMs });
    this.#told({ name: 'initialize', state: 'ok', ms: performance.now() - began - startedMs });
    return agent;
  }

  async #cancel(session: Session): Promise<void> {
    const { began } = this.#begin('cancel');
    const turn = session.prompt(PROMPT);
    await turn.sent;
    await turn.cancel();
    const { outcome } = await turn.result;
    const note = outcome === 'cancelled' ? {} : { note: `ended first: ${outcome}` };
    this.#told({ name: 'cancel', state: 'ok', ms: performance.now() - began, ...note });
  }

  async #timed<T>(name: StepName, work: () => Promise<T>): Promise<T> {
    const { began } = this.#begin(name);
    const value = await work();
    this.#told({ name, state: 'ok', ms: performance.now() - began });
    return value;
  }

  /** A failed `connect` is one of the spawn, or of what came after it. */
  #startedTo({ kind }: AcpError): { name: StepName; began: number } {
    const { startedMs, began } = this.#stages;
    if (this.#agent || startedMs === undefined || kind === 'spawn-failed') return this.#step;
    this.#told({ name: 'spawn', state: 'ok', ms: startedMs });
    return { name: 'initialize', began: began + startedMs };
  }

  #begin(name: StepName): { name: StepName; began: number } {
    this.#o.at(name);
    return (this.#step = { name, began: performance.now() });
  }

  #told(step: Step): void {
    this.result.steps.push(step);
  }
}

const METHOD_NOT_FOUND = -32601;

/** How agents that speak another version refuse the offer of one; a method that is not there at all is no such answer. */
function refusesOffer(error: AcpError): boolean {
  if (error.phase !== 'initialize') return false;
  return error.kind === 'version-unsupported' || (error.kind === 'agent-error' && error.agentCode !== METHOD_NOT_FOUND);
}

async function leftAfter(mark: string): Promise<MarkedProcess[] | undefined> {
  const began = performance.now();
  for (;;) {
    const left = markedProcesses(mark);
    if (left === undefined || left.length === 0 || performance.now() - began > LEAVING_MS) return left;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
