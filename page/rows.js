/** One row of the sequence for each kind of entry. */
import { el } from './dom.js';
import { clockTime, count, duration, lastWords, shortState, size } from './format.js';
import { snippet } from './frames.js';

/** @typedef {import('./types.js').Entry} Entry */

/** What the chips switch on and off. */
export const GROUPS = { frames: 'Frames', updates: 'Updates', transitions: 'Transitions', decisions: 'Decisions' };

/** @param {Entry} entry @returns {keyof typeof GROUPS | undefined} `undefined`: not listed. */
export function groupOf(entry) {
  switch (entry.kind) {
    case 'frame':
      return entry.about.form === 'update' ? 'updates' : 'frames';
    case 'gap':
      return 'updates';
    case 'step':
      return entry.line.event === '' ? undefined : 'transitions';
    case 'decision':
      return 'decisions';
    case 'skipped':
    case 'full':
    case 'closed':
      return 'frames';
    default:
      return undefined;
  }
}

/** @param {Entry} entry @returns {string} */
export function searchOf(entry) {
  if (entry.search === undefined) {
    const said = entry.kind === 'frame' ? { ...entry.about, m: entry.line.m } : entry.line;
    entry.search = JSON.stringify(said).toLowerCase();
  }
  return entry.search;
}

/** @param {Extract<Entry, { kind: 'frame' }>} entry @param {boolean} withText */
function frame({ line, about }, withText) {
  const { form, method, detail, id, after } = about;
  const answer = form === 'answer' || form === 'refusal';
  const label = el('span', 'label');
  if (answer) label.append(el('span', 'mark', '↩ '));
  // An update's own kind says more than the method that all of them share.
  const title = form === 'update' && detail ? (detail.split(' ')[0] ?? method) : method;
  const rest = form === 'update' ? detail.split(' ').slice(1).join(' ') : detail;
  label.append(el('span', 'name', title));
  if (id) label.append(el('span', 'id', `#${id}`));
  if (rest) label.append(el('span', 'detail', rest));
  if (after !== undefined) label.append(el('span', 'after', `after ${duration(after)}`));
  const text = withText ? snippet(line.m) : '';
  if (text) label.append(el('span', 'text', text));
  return el('span', 'arrow', label, el('span', 'line'));
}

/** @param {Extract<Entry, { kind: 'step' }>} entry */
function step({ line }) {
  const { actor, chart, event, to, states } = line;
  const goes =
    event === 'begin'
      ? lastWords(states ?? to)
      : to.length === 0
        ? ''
        : to.map((id) => shortState(id, chart)).join(', ');
  return el(
    'span',
    'note',
    el('span', 'name', actor.split('/').slice(-2).join(' / ')),
    el('span', 'event', event),
    goes ? el('span', 'goes', `→ ${goes}`) : undefined,
  );
}

/** @param {Extract<Entry, { kind: 'decision' }>} entry */
function decision({ line }) {
  const { outcome, optionKind, policy, cause, requestId } = line.decision;
  return el(
    'span',
    'note',
    el('span', 'name', `permission #${requestId ?? ''}`),
    el('span', 'event', [outcome, optionKind].filter(Boolean).join(' ')),
    el('span', 'goes', `policy ${policy ?? '?'}, cause ${cause ?? '?'}`),
  );
}

/** @param {Entry} entry @param {boolean} withText */
function middle(entry, withText) {
  switch (entry.kind) {
    case 'frame':
      return frame(entry, withText);
    case 'step':
      return step(entry);
    case 'decision':
      return decision(entry);
    case 'gap':
      return el('span', 'note', `${count(entry.line.gap)} more frames, too many to list`);
    case 'skipped':
      return el('span', 'note', `a line of ${count(entry.line.skipped)} characters that was no message`);
    case 'closed':
      return el('span', 'note', el('span', 'name', 'the connection is over'), el('span', 'event', entry.line.closed));
    case 'full':
      return el('span', 'note', 'the recording reached its cap; nothing more was kept');
    default:
      return el('span', 'note');
  }
}

/** What is folded out. @param {Entry} entry */
function body(entry) {
  const value = entry.kind === 'frame' ? entry.line.m : entry.line;
  return el('pre', 'body', JSON.stringify(value, undefined, 2));
}

/** @param {Entry} entry @param {{ withText: boolean, open: boolean }} how */
export function rowOf(entry, { withText, open }) {
  const bytes = entry.kind === 'frame' || entry.kind === 'gap' ? size(entry.line.b) : '';
  const button = el(
    'button',
    'entry',
    el('span', 't', clockTime(entry.t)),
    middle(entry, withText),
    el('span', 'size', bytes),
  );
  button.type = 'button';
  button.ariaExpanded = String(open);
  const form = entry.kind === 'frame' ? ` ${entry.line.d} ${entry.about.form}` : '';
  const row = el('li', `row ${entry.kind}${form}`, button, open ? body(entry) : undefined);
  row.dataset['n'] = String(entry.n);
  return row;
}

/** @param {HTMLElement} row @param {Entry} entry @returns {boolean} It is open now. */
export function fold(row, entry) {
  const shown = row.querySelector('.body');
  if (shown) shown.remove();
  else row.append(body(entry));
  const button = /** @type {HTMLButtonElement} */ (row.querySelector('button'));
  button.ariaExpanded = String(!shown);
  return !shown;
}
