/** The panels at the side: actors as a tree, permissions, counters. */
import { byId, el } from './dom.js';
import { clockTime, count, duration, lastWords, size, words } from './format.js';

/** @typedef {import('./model.js').Model} Model */

const MOST_LEDGER_ROWS = 60;

/** @param {Model} now @param {string | undefined} chosen @param {(chart: string, path: string) => void} choose */
export function showActors({ actors }, chosen, choose) {
  const sorted = [...actors.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const rows = sorted.map(({ path, chart, states, status }) => {
    const parts = path.split('/');
    const button = el(
      'button',
      'actor',
      el('span', 'name', parts.at(-1) ?? ''),
      el('span', 'states', lastWords(states)),
    );
    button.type = 'button';
    button.title = states.join('\n');
    button.ariaPressed = String(path === chosen);
    button.classList.toggle('over', status !== 'active');
    button.addEventListener('click', () => choose(chart, path));
    const row = el('li', '', button);
    row.dataset['actor'] = path;
    row.style.setProperty('--depth', String(parts.length - 1));
    return row;
  });
  byId('actors').replaceChildren(...(rows.length > 0 ? rows : [el('li', 'empty', 'None yet.')]));
}

/** @param {Model} now @param {number} t How late it is, in the time of the entries. */
export function showPermissions({ questions, ledger }, t) {
  const open = [...questions.values()].map(({ id, t: asked, sessionId, toolCallId, toolKind, title, options }) => {
    const card = el(
      'div',
      'question',
      el('p', '', el('b', '', `#${id} waits`), el('span', 'since', duration(Math.max(0, t - asked)))),
      ...[toolKind, toolCallId, sessionId].filter(Boolean).map((about) => el('p', 'about', about)),
      title.startsWith('[') ? undefined : el('p', 'title', title),
      el('p', 'options', ...options.map((kind) => el('span', 'option', kind))),
    );
    card.dataset['question'] = id;
    return card;
  });
  const rows = ledger
    .slice(-MOST_LEDGER_ROWS)
    .reverse()
    .map(({ t: at, decision }) => {
      const { requestId, outcome, optionKind, policy, cause, latencyMs } = decision;
      const row = el(
        'li',
        `decision ${outcome ?? ''}`,
        el('span', 'id', `#${requestId ?? ''}`),
        el('span', 'outcome', optionKind ?? outcome ?? ''),
        el('span', 'why', [policy, cause === 'policy' ? undefined : cause].filter(Boolean).join(', ')),
        el('span', 'after', latencyMs === undefined ? '' : duration(latencyMs)),
      );
      row.title = `${clockTime(at)} s: ${outcome ?? ''}, policy ${policy ?? ''}, cause ${cause ?? ''}`;
      return row;
    });
  const list = rows.length > 0 ? el('ol', 'ledger', ...rows) : undefined;
  const nothing = open.length === 0 && !list ? el('p', 'empty', 'None asked for.') : undefined;
  byId('permissions').replaceChildren(...[...open, list, nothing].filter((part) => part !== undefined));
}

/** Of a live connection its own counters; of a recording what is in it. @param {Model} now */
export function showCounters({ tick, seen }) {
  /** @type {[string, number][]} */
  const counters = Object.entries(tick ? tick.stats : seen);
  const main = /^(frames|bytes)/;
  const shown = counters.filter(([name, value]) => main.test(name) || value > 0);
  if (tick && seen.notShown > 0) shown.push(['notListed', seen.notShown]);
  byId('counters').replaceChildren(
    ...shown.flatMap(([name, value]) => {
      const odd = !main.test(name) && name !== 'notListed';
      const figure = el('dd', odd ? 'odd' : '', name.startsWith('bytes') ? size(value) : count(value));
      figure.dataset['counter'] = name;
      return [el('dt', '', words(name)), figure];
    }),
  );
}
