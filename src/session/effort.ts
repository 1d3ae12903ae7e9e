/**
 * Reasoning effort, normalised for matching only. The vocabulary stays open: agents advertise `max`, `ultra`, `minimal` or
 * what they like, and what is sent is always the agent's own spelling.
 */

/** What a caller can ask for without knowing the agent. */
export const PORTABLE_LEVELS = ['off', 'low', 'medium', 'high', 'xhigh'] as const;

/** Other words for a portable level. A word that may be a level of its own (`minimal`, `max`) is not among them. */
const SYNONYMS: ReadonlyMap<string, (typeof PORTABLE_LEVELS)[number]> = new Map([
  ['none', 'off'],
  ['disabled', 'off'],
  ['med', 'medium'],
  ['extrahigh', 'xhigh'],
]);

/** Without case and separators: `Extra-High`, `extra_high` and `extra high` are one. */
const folded = (level: string): string => level.toLowerCase().replace(/[\s._-]/g, '');

function portable(level: string): string {
  const plain = folded(level);
  return SYNONYMS.get(plain) ?? plain;
}

/** Whether an advertised level is the one wanted: exactly, else normalised. */
export const effortMatches = (advertised: string, wanted: string): boolean =>
  advertised === wanted || portable(advertised) === portable(wanted);

/**
 * The advertised level that is wanted, in the agent's spelling. The nearest reading wins over the order of the list: exact,
 * then but for case and separators, then by synonym, so that of `off` and `none` side by side each can be had.
 */
export function findEffort(advertised: readonly string[], wanted: string): string | undefined {
  if (advertised.includes(wanted)) return wanted;
  const same = folded(wanted);
  return advertised.find((level) => folded(level) === same) ?? advertised.find((level) => effortMatches(level, wanted));
}
