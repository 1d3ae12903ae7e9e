/**
 * Messages without their text. Redaction is by construction: a value stays only if it stands where the protocol has an id, an
 * enumeration or a count *and* looks like one; everything else is told by its length. So a member that nobody has thought of
 * is never shown, and neither is a known name in a place where it means something else.
 */
import { methodOf } from '../wire/methods.js';
import { type Shape, type ShapeName, SHAPES } from './redactShapes.js';

const LONGEST_PLAIN = 128;
const DEEPEST = 32;
const MOST_ENTRIES = 256;

const looksPlain = (text: string): boolean => text.length <= LONGEST_PLAIN && /^[\w.:/@+$-]*$/.test(text);
/** The name of a member can be the agent's word too. */
const looksNamed = (name: string): boolean => /^[A-Za-z_][A-Za-z_]{0,39}$/.test(name);

const told = (text: string): string => `[${text.length} chars]`;
/** What `told` and `hidden` write in place of a value. */
export const REDACTED = /^\[(\d+ chars|\d+ entries|\d+ more|number|object|deeper)\]$/;

/** A value in a place that is not known. */
function hidden(value: unknown): unknown {
  if (typeof value === 'string') return told(value);
  if (typeof value === 'number') return '[number]';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? [] : `[${value.length} entries]`;
  return Object.keys(value).length === 0 ? {} : '[object]';
}

/** An id, an enumeration, a count; anything else by its length. */
export function shown(value: unknown): unknown {
  if (typeof value === 'string') return looksPlain(value) ? value : told(value);
  if (Array.isArray(value)) return value.every((entry) => typeof entry === 'number') ? value : hidden(value);
  return typeof value === 'number' ? value : hidden(value);
}

function within(value: unknown, name: ShapeName, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return hidden(value);
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) {
    const list: unknown[] = value.slice(0, MOST_ENTRIES).map((entry) => within(entry, name, depth + 1));
    if (value.length > MOST_ENTRIES) list.push(`[${value.length - MOST_ENTRIES} more]`);
    return list;
  }
  const shape: Shape = SHAPES[name];
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.map(([key, entry]): [string, unknown] => [
      looksNamed(key) ? key : told(key),
      member(shape, key, entry, value as Record<string, unknown>, depth),
    ]),
  );
}

function member(shape: Shape, key: string, value: unknown, owner: Record<string, unknown>, depth: number): unknown {
  if (key === '_meta') return hidden(value);
  const inside = Object.hasOwn(shape.into, key) ? shape.into[key] : shape.each;
  if (inside !== undefined && typeof value === 'object') return within(value, inside, depth + 1);
  if (shape === SHAPES.message && key === 'params') {
    const { method } = owner;
    return within(value, methodOf(method) === undefined ? 'foreign' : 'params', depth + 1);
  }
  // The choice of a selection is one of its ids; of any other kind of option it may be anything.
  if (shape === SHAPES.configOption && key === 'currentValue' && owner['type'] === 'select') return shown(value);
  return shape.shown.has(key) ? shown(value) : hidden(value);
}

/** A copy in which no text is left but ids and enumerations of the protocol. */
export const redact = (message: unknown): unknown => within(message, 'message', 0);
