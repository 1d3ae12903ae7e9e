/** Durations as people type and read them. */
import { InvalidArgumentError } from 'commander';

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const TYPED = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i;
const WORKS = 'Write it as 300ms, 30s, 5m or 2h.';

/** Milliseconds. @throws InvalidArgumentError, which commander shows. */
export function parseDuration(typed: string): number {
  const [, digits, unit = ''] = TYPED.exec(typed.trim()) ?? [];
  if (digits === undefined) throw new InvalidArgumentError(WORKS);
  // A bare number is seconds to one reader and milliseconds to the next.
  if (unit === '') throw new InvalidArgumentError(`It has no unit: ${digits}s, ${digits}m or ${digits}h?`);
  const ms = Number(digits) * (UNIT_MS.get(unit.toLowerCase()) ?? NaN);
  if (Number.isNaN(ms)) throw new InvalidArgumentError(WORKS);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than nothing.');
  return ms;
}

const oneDigit = (seconds: number): string => seconds.toFixed(1).replace(/\.0$/, '');

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit} ${String(small).padStart(2, '0')}${smallUnit}`;
}

/** Short, for one who waits: `300ms`, `4.2s`, `1m 05s`, `2h`. */
export function formatDuration(ms: number): string {
  if (ms === Infinity) return 'no limit';
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 9_950) return `${oneDigit(ms / 1000)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, 'm', seconds % 60, 's');
  return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
}

/** Whole seconds, for a line that ticks. */
export const formatSeconds = (ms: number): string => (ms < 1000 ? '0s' : formatDuration(Math.floor(ms / 1000) * 1000));
