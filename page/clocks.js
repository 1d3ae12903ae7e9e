/** Both clocks of every wait, running down between two tellings. */
import { byId, el } from './dom.js';
import { bound, remaining } from './format.js';

/** @typedef {import('./types.js').WaitSeen} WaitSeen */

const TITLES = { idle: 'silence', absolute: 'in all' };

/** @param {'idle' | 'absolute'} which @param {WaitSeen} wait @param {number} passed ms since it was told */
function clock(which, wait, passed) {
  const term = wait[which];
  if (!term) return undefined;
  const stands = which === 'idle' && wait.paused;
  const left = Math.max(0, term.leftMs - (stands ? 0 : passed));
  const share = Math.max(0, Math.min(1, left / term.ms));
  const bar = el('span', 'fill');
  bar.style.width = `${(share * 100).toFixed(2)}%`;
  const made = el(
    'div',
    `clock ${which}${stands ? ' stands' : ''}${share < 0.2 ? ' low' : ''}`,
    el('span', 'name', stands ? 'silence, held' : TITLES[which]),
    el('span', 'left', el('b', '', remaining(left)), ` of ${bound(term.ms)}`),
    el('span', 'bar', bar),
  );
  made.dataset['leftMs'] = String(Math.round(left));
  return made;
}

/** @param {readonly WaitSeen[] | undefined} waits `undefined`: not known. @param {number} passed */
export function showClocks(waits, passed) {
  const place = byId('clocks');
  if (!waits) return place.replaceChildren(el('p', 'empty', 'A recording holds no clocks.'));
  if (waits.length === 0) return place.replaceChildren(el('p', 'empty', 'Nothing is waited for.'));
  place.replaceChildren(
    ...waits.map((wait) => {
      const title = el(
        'p',
        'wait',
        el('b', '', wait.phase),
        wait.sessionId ? el('span', '', wait.sessionId) : undefined,
      );
      const bounds = [clock('idle', wait, passed), clock('absolute', wait, passed)].filter(
        (part) => part !== undefined,
      );
      return el('div', 'waiting', title, ...(bounds.length > 0 ? bounds : [el('p', 'empty', 'No bound.')]));
    }),
  );
}
