/** What a turn's caller is told of it, however it ended. */
import type { Decision } from '../policy/permission.js';

import type { ToolCall, Usage } from '../wire/normal.js';

export interface TurnHeard {
  /** All agent message text of the turn. */
  text: string;
  toolCalls: readonly ToolCall[];
  usage: Usage | undefined;
  /** How the permissions asked in the turn were answered, in order. */
  permissions: readonly Decision[];
  /** Updates that the turn was given. */
  updates: number;
  /** Those of them that no reader took. */
  unread: number;
  /** Text or tool calls past 64 MiB are not kept here; they were delivered all the same. */
  truncated: boolean;
  /** The caller asked to cancel. */
  cancelRequested: boolean;
}

export interface TurnResult extends TurnHeard {
  outcome: 'completed' | 'cancelled' | 'refused' | 'limit' | 'other';
  /** As the agent spelled it. Undefined: a v2 agent went idle without one. */
  stopReason: string | undefined;
}

const OUTCOMES: ReadonlyMap<string, TurnResult['outcome']> = new Map([
  ['end_turn', 'completed'],
  ['max_tokens', 'limit'],
  ['max_turn_requests', 'limit'],
  ['refusal', 'refused'],
  ['cancelled', 'cancelled'],
]);

export const outcomeOf = (stopReason: string | undefined): TurnResult['outcome'] =>
  OUTCOMES.get(stopReason ?? '') ?? 'other';
