import type { NormalUpdate, ToolCall } from '../wire/normal.js';
import { TextOfTurn } from './turnText.js';
import type { Applied, ToolCallStore } from './toolCalls.js';

/** Text and tool calls of one result together; what is delivered is not bounded by it. */
export const RESULT_LIMIT_BYTES = 64 * 1024 * 1024;
const TOOL_CALLS_OF_A_RESULT = 10_000;

type MessageUpdate = Extract<NormalUpdate, { kind: 'text' | 'thought' | 'user' }>;

export interface Heard {
  /** The agent's messages, in order of their first mention. */
  text: string;
  /** In order of their first mention in the turn. */
  toolCalls: readonly ToolCall[];
  /** More was said than is kept here. */
  truncated: boolean;
}

/** What one turn's result keeps of what was delivered in it. Past the limit nothing more is kept. */
export class Transcript {
  readonly #text = new TextOfTurn();
  readonly #calls = new Map<string, Applied>();
  #callsBytes = 0;
  #truncated = false;

  constructor(private readonly limitBytes = RESULT_LIMIT_BYTES) {}

  /** A message update. Thoughts and echoes of the user are delivered and not kept. */
  message(update: MessageUpdate): void {
    if (update.kind !== 'text' || this.#truncated) return;
    if (!this.#text.take(update, this.limitBytes - this.#callsBytes)) this.#truncated = true;
  }

  /** A change of a tool call, merged: from an update, or from the permission request that mentions it. */
  tool(applied: Applied): void {
    if (this.#truncated) return;
    const id = applied.toolCall.toolCallId;
    const before = this.#calls.get(id);
    const cost = applied.bytes - (before?.bytes ?? 0);
    const left = this.limitBytes - this.#callsBytes - this.#text.bytes;
    if (cost > left || (before === undefined && this.#calls.size >= TOOL_CALLS_OF_A_RESULT)) {
      this.#truncated = true;
      return;
    }
    this.#callsBytes += cost;
    this.#calls.set(id, applied);
    if (applied.clipped) this.#truncated = true;
  }

  /** The turn is being cancelled: its calls that have not ended are marked, in the session's store and here. */
  cancelUnfinished(store: ToolCallStore): void {
    for (const [id, applied] of this.#calls) {
      const toolCall = store.cancelUnfinished(id);
      if (toolCall !== undefined) this.#calls.set(id, { ...applied, toolCall });
    }
  }

  heard(): Heard {
    return {
      text: this.#text.join(),
      toolCalls: [...this.#calls.values()].map(({ toolCall }) => toolCall),
      truncated: this.#truncated,
    };
  }
}
