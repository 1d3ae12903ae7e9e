/** The body of a frame as the page may show it: without its text unless that was asked for, and never large. */
import { redact } from '../redact.js';

/** A larger frame is shown by its head alone. */
const MOST_BYTES = 64 * 1024;
const LONGEST_TEXT = 4_000;
const MOST_NODES = 4_000;
const DEEPEST = 32;

interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** What the frame is and whom it concerns; the rest is told by its size. */
function head(message: Message, bytes: number): object {
  const { id, method, params } = message;
  const size = `[${bytes} bytes]`;
  if (method === undefined) return { id, [message.error === undefined ? 'result' : 'error']: size };
  const { sessionId, update } = (params ?? {}) as { sessionId?: unknown; update?: { sessionUpdate?: unknown } };
  const shown = { sessionId, update: { sessionUpdate: update?.sessionUpdate }, rest: size };
  return { id, method, params: shown };
}

/** A copy in which no text is long and of which there is never much. */
function cut(value: unknown, room: { nodes: number }, depth: number): unknown {
  room.nodes -= 1;
  if (typeof value === 'string' && value.length > LONGEST_TEXT) {
    return `${value.slice(0, LONGEST_TEXT)}… [${value.length - LONGEST_TEXT} more chars]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST || room.nodes <= 0) return '[more]';
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const entry of value) {
      if (room.nodes <= 0) break;
      list.push(cut(entry, room, depth + 1));
    }
    return list.length < value.length ? [...list, `[${value.length - list.length} more]`] : list;
  }
  const copy: [string, unknown][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (room.nodes <= 0) break;
    copy.push([name.slice(0, LONGEST_TEXT), cut(entry, room, depth + 1)]);
  }
  return Object.fromEntries(copy);
}

export function bodyOf(message: object, bytes: number, withText: boolean): unknown {
  if (withText) return cut(message, { nodes: MOST_NODES }, 0);
  return redact(bytes > MOST_BYTES ? head(message, bytes) : message);
}
