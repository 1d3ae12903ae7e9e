/** What of an agent's words two conversations have to have in common: not its texts, not in how many pieces they come. */
import { classify } from '../rpc/envelope.js';
import { isObject, textOf } from '../wire/values.js';
import type { Message } from './told.js';

/** They come when they come. */
const AT_ANY_TIME: ReadonlySet<string | undefined> = new Set([
  ...['available_commands_update', 'usage_update', 'session_info_update', 'config_option_update'],
  ...['current_mode_update', 'notice', 'compaction_update', 'compaction_summary_chunk', 'terminal_output_chunk'],
  ...['tool_call_content_chunk', 'terminal_update'],
]);

const updateOf = (message: Message): Record<string, unknown> | undefined => {
  const { params } = message;
  const update = isObject(params) ? params['update'] : undefined;
  return message['method'] === 'session/update' && isObject(update) ? update : undefined;
};

/** It is in no order with the rest. */
export function isBeside(message: Message): boolean {
  const envelope = classify(message);
  if (envelope.kind === 'notification' && envelope.method !== 'session/update') return true;
  if (envelope.kind === 'skip' || envelope.kind === 'hollow') return true;
  const update = updateOf(message);
  if (!update) return false;
  const kind = textOf(update['sessionUpdate']);
  return AT_ANY_TIME.has(kind) || (kind === 'tool_call_update' && update['status'] === undefined);
}

/** Several alike in a row are as good as one. */
export const isRepeatable = (message: Message): boolean => updateOf(message) !== undefined;
