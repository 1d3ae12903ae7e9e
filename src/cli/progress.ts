/** What the status line says: state, time, and the tool at work. */
import type { ToolCall, Update } from '../index.js';
import { formatSeconds } from './durations.js';
import type { Output } from './output.js';
import { oneLine } from './printable.js';

const TICK_MS = 1000;
const TOOLS_KEPT = 100;
const LONGEST_TITLE = 160;
const AT_WORK = new Set(['pending', 'in_progress']);
const SAYS: ReadonlyMap<string, string> = new Map([
  ['connecting', 'starting the agent'],
  ['ready', 'opening a session'],
  ['idle', 'ready'],
  ['awaiting-permission', 'waiting for permission'],
  ['cancelling', 'waiting for the agent to stop'],
  ['draining', 'waiting for the agent to stop'],
  ['closing', 'ending the agent'],
]);

export class Progress {
  readonly #output: Output;
  readonly #began = performance.now();
  readonly #tools = new Map<string, ToolCall>();
  readonly #timer: NodeJS.Timeout | undefined;
  #state = 'connecting';

  constructor(output: Output) {
    this.#output = output;
    if (!output.hasStatus) return;
    this.#timer = setInterval(() => this.#show(), TICK_MS);
    this.#show();
  }

  state(state: string): void {
    this.#state = state;
    if (state !== 'running' && state !== 'awaiting-permission') this.#tools.clear();
    this.#show();
  }

  update(update: Update): void {
    if (update.kind !== 'tool') return;
    const { toolCall } = update;
    this.#tools.delete(toolCall.toolCallId);
    if (AT_WORK.has(toolCall.status) && this.#tools.size < TOOLS_KEPT) this.#tools.set(toolCall.toolCallId, toolCall);
    this.#show();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#output.status(undefined);
  }

  #show(): void {
    if (!this.#output.hasStatus) return;
    const parts = [SAYS.get(this.#state) ?? this.#state, formatSeconds(performance.now() - this.#began)];
    const newest = [...this.#tools.values()].at(-1);
    if (newest) {
      const more = this.#tools.size > 1 ? ` (and ${this.#tools.size - 1} more)` : '';
      parts.push(oneLine(newest.title ?? newest.kind ?? 'a tool', LONGEST_TITLE) + more);
    }
    this.#output.status(parts.join(' · '));
  }
}
