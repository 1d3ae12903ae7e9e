/**
 * Whether an agent asks before it acts in the mode that it starts in, as far as the mode's own id, name and description say. What
 * it really does, only a turn can show.
 */
import type { Session } from '../index.js';

export interface Asking {
  mode: string | undefined;
  /** Undefined: its words do not tell, or contradict each other. */
  asks: boolean | undefined;
  /** What it says of the mode. */
  says: string | undefined;
}

const NEVER =
  /full[ -]access|unrestricted|without (asking|approval|confirm)|\byolo\b|bypass|don['’]?t[ -]?(ask|prompt)|(never|no) (asks?|prompts?|approvals?)|approves? all|allow all|\bclassifier\b|handles permission/i;
const ASKS = /\bapprovals?\b|\basks?\b|\basking\b|\bprompts for\b|\bconfirm|\bmanual\b/i;
/** Something is decided by itself, and which things is not said in a way that could be relied on. */
const BY_ITSELF = /\bauto|accept[ -]?edits/i;

/** `acceptEdits` as `accept Edits`. */
const asWords = (id: string): string => id.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

export function askingOf({ options }: Session): Asking {
  const { current, available } = options.modes;
  const mode = available.find(({ id }) => id === current);
  if (current === undefined) return { mode: undefined, asks: undefined, says: undefined };
  const { name = '', description = '' } = mode ?? {};
  const words = `${asWords(current)}\n${name}\n${description}`;
  const says = description === '' ? name || undefined : description;
  if (NEVER.test(words)) return { mode: current, asks: false, says };
  return { mode: current, asks: ASKS.test(words) && !BY_ITSELF.test(words) ? true : undefined, says };
}
