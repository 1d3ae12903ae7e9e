/**
 * Messages without their text. Redaction is by construction: a string stays only if its key is one of the protocol's words
 * for ids and enumerations *and* it looks like one; everything else is told by its length. So a member that nobody has
 * thought of is never shown.
 */

/** Keys whose values are ids, enumerations or names of the protocol. */
const PLAIN: ReadonlySet<string> = new Set([
  ...[
    'jsonrpc',
    'method',
    'id',
    'sessionId',
    'requestId',
    'toolCallId',
    'terminalId',
    'messageId',
    'planId',
    'elicitationId',
  ],
  ...['sessionUpdate', 'type', 'kind', 'status', 'state', 'stopReason', 'outcome', 'action', 'severity', 'mode'],
  ...[
    'optionId',
    'configId',
    'group',
    'groupId',
    'category',
    'modeId',
    'currentModeId',
    'modelId',
    'currentModelId',
    'methodId',
  ],
  ...['protocolVersion', 'version', 'mimeType', 'priority', 'cursor', 'nextCursor'],
]);
/** Objects in which a `name` is that of a program, not of a person, a file or a secret. */
const NAMED: ReadonlySet<string> = new Set(['clientInfo', 'agentInfo', 'info']);
const LONGEST_PLAIN = 128;
const DEEPEST = 32;
const MOST_ENTRIES = 256;

const looksPlain = (text: string): boolean => text.length <= LONGEST_PLAIN && /^[\w.:/@+$-]*$/.test(text);

const told = (text: string): string => `[${text.length} chars]`;

function redacted(value: unknown, key: string, inside: string, depth: number): unknown {
  if (typeof value === 'string') {
    const plain = PLAIN.has(key) || (key === 'name' && NAMED.has(inside));
    return plain && looksPlain(value) ? value : told(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) {
    const list: unknown[] = value.slice(0, MOST_ENTRIES).map((entry) => redacted(entry, key, inside, depth + 1));
    if (value.length > MOST_ENTRIES) list.push(`[${value.length - MOST_ENTRIES} more]`);
    return list;
  }
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  // A key can be the agent's word too: one that is no identifier is told by its length.
  const shown = entries.map(([name, entry]): [string, unknown] => [
    looksPlain(name) ? name : told(name),
    name === '_meta' ? '[meta]' : redacted(entry, name, key, depth + 1),
  ]);
  return Object.fromEntries(shown);
}

/** A copy in which no text is left but ids and enumerations of the protocol. */
export const redact = (message: unknown): unknown => redacted(message, '', '', 0);
