/** `run` for programs: one JSON object a line, with the milliseconds since the start in `at`. */
import type { AcpError, Agent, Decision, Session, Stats, TurnResult, Update, Where } from '../index.js';
import type { AdviceContext } from './advice.js';
import { jsonLine } from './jsonLines.js';
import type { Output } from './output.js';
import { reportError } from './report.js';
import type { RunView } from './views.js';

export class JsonView implements RunView {
  readonly #output: Output;
  readonly #context: AdviceContext;
  readonly #began = performance.now();

  constructor(output: Output, context: AdviceContext) {
    this.#output = output;
    this.#context = context;
  }

  connected({ info, pid }: Agent): void {
    const authMethods = info.authMethods.map(({ id, type, name }) => ({ id, type, name }));
    void this.#event('connected', { agent: { ...info, authMethods }, pid });
  }

  opened({ id, origin, options }: Session): void {
    const { models, efforts, modes } = options;
    const [model, effort, mode] = [models.current, efforts.current, modes.current];
    void this.#event('session', { sessionId: id, origin, model, effort, mode });
  }

  state(of: 'connection' | 'session', state: string): void {
    void this.#event('state', { of, state });
  }

  update(update: Update, { sessionId, phase }: Where): void | Promise<void> {
    const { raw, ...read } = update;
    // What was read into members is not said twice; what was not is there as the agent wrote it.
    const unread = Object.values(read).filter((member) => member !== undefined).length === 1;
    return this.#event('update', { sessionId, phase, update: unread ? { ...read, raw } : read });
  }

  decision(decision: Decision): void {
    void this.#event('decision', { ...decision });
  }

  result(result: TurnResult, stats: Stats, exitCode: number): void {
    const { unread: _, ...rest } = result;
    void this.#event('result', { exitCode, ...rest, stats });
  }

  failed(error: AcpError, exitCode: number): void {
    void this.#event('error', { ...error, exitCode, message: error.message, agentText: error.agentText });
    reportError(this.#output, error, this.#context);
  }

  interrupted(signal: string | undefined, exitCode: number): void {
    void this.#event('error', { exitCode, kind: 'closed', signal });
  }

  #event(event: string, members: Record<string, unknown>): Promise<void> | undefined {
    const at = Math.round(performance.now() - this.#began);
    return this.#output.text(jsonLine({ event, at, ...members }));
  }
}
