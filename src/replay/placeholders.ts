/** A recording without text, made fit to be spoken again: what stands for a value is left out, and a text stays as it is told. */
import { REDACTED } from '../inspect/redact.js';

const TEXT = /^\[\d+ chars\]$/;

export const isRedacted = (value: unknown): boolean => typeof value === 'string' && REDACTED.test(value);
export const isRedactedText = (value: unknown): boolean => typeof value === 'string' && TEXT.test(value);

/** Texts stay, being texts; an object, a list or a number of which only that is known cannot be given. */
const cannotBeGiven = (value: unknown): boolean => isRedacted(value) && !isRedactedText(value);

export function speakable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !cannotBeGiven(entry)).map(speakable);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !cannotBeGiven(member) && name !== '_meta');
  return Object.fromEntries(members.map(([name, member]) => [name, speakable(member)]));
}
