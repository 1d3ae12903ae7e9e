/** Numbers as people read them. */

/** Seconds since the start, to the millisecond. @param {number} ms */
export const clockTime = (ms) => (ms / 1000).toFixed(3);

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return remaining(ms);
}

/** What a clock shows: 0:09, 14:59, 3:59:59. @param {number} ms */
export function remaining(ms) {
  const seconds = Math.ceil(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** @param {number} ms */
export function bound(ms) {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${Math.round(ms)} ms`;
}

const thousands = new Intl.NumberFormat('en', { useGrouping: true });

/** @param {number} n */
export const count = (n) => thousands.format(n).replaceAll(',', '\u202f');

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 10_000) return count(bytes);
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)}k`;
  return `${(bytes / 1_000_000).toFixed(1)}M`;
}

/** `session.open.turns.idle` within `session`: `open.turns.idle`. @param {string} id @param {string} chart */
export const shortState = (id, chart) => (id.startsWith(`${chart}.`) ? id.slice(chart.length + 1) : id);

/** The states of an actor, the one entered last first, each by its own name: `turning · deciding`. @param {readonly string[]} states */
export const lastWords = (states) =>
  states
    .map((id) => id.split('.').at(-1) ?? id)
    .reverse()
    .join(' · ');

/** `agentName` or `lateUpdates` as words: `late updates`. @param {string} name */
export const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
