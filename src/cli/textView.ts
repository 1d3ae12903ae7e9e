/** `run` for people: the agent's text on stdout, all the rest on stderr. */
import type { AcpError, TurnResult, Update, Where } from '../index.js';
import type { AdviceContext } from './advice.js';
import { AnswerText } from './answerText.js';
import { formatDuration } from './durations.js';
import type { Output } from './output.js';
import { counted } from './printable.js';
import { reportError } from './report.js';
import type { RunView } from './views.js';

/** Any other stop reason is a word of the agent's. */
const KNOWN_REASONS: ReadonlySet<string | undefined> = new Set(['max_tokens', 'max_turn_requests', 'refusal']);
const SAYS: Record<TurnResult['outcome'], string> = {
  completed: 'completed',
  cancelled: 'the agent ended the turn as cancelled',
  refused: 'the agent refused to go on',
  limit: 'the agent reached a limit of its own',
  other: 'the agent stopped for a reason of its own',
};

export class TextView implements RunView {
  readonly #output: Output;
  readonly #context: AdviceContext;
  readonly #answer = new AnswerText();
  readonly #began = performance.now();

  constructor(output: Output, context: AdviceContext) {
    this.#output = output;
    this.#context = context;
  }

  connected(): void {}
  opened(): void {}
  state(): void {}
  decision(): void {}

  update(update: Update, { phase }: Where): void | Promise<void> {
    if (phase !== 'turn') return undefined;
    if (update.kind === 'text') return this.#output.text(this.#answer.take(update));
    if (update.kind === 'tool') this.#answer.interrupted();
    return undefined;
  }

  result({ outcome, stopReason, toolCalls, cancelRequested }: TurnResult): void {
    const output = this.#output;
    output.endLine();
    const { dim, yellow } = output.errColors;
    if (outcome === 'completed') {
      const tools = toolCalls.length === 0 ? '' : `, ${counted(toolCalls.length, 'tool call')}`;
      if (output.hasStatus) output.note(dim(`completed in ${formatDuration(performance.now() - this.#began)}${tools}`));
      return;
    }
    const reason = KNOWN_REASONS.has(stopReason) ? ` (${stopReason ?? ''})` : '';
    const says = outcome === 'cancelled' && cancelRequested ? 'the agent has stopped' : SAYS[outcome];
    output.note(`${yellow(`${outcome}:`)} ${says}${reason}`);
  }

  failed(error: AcpError): void {
    this.#output.endLine();
    reportError(this.#output, error, this.#context);
  }

  interrupted(signal: string | undefined): void {
    this.#output.endLine();
    if (signal !== undefined) this.#output.note(`${signal === 'SIGINT' ? 'cancelled' : 'ended'} by ${signal}`);
  }
}
