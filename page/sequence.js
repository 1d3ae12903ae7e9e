/** The list of what happened, in two lanes. Only the rows around the place that is looked at are in the document. */
import { byId, el, say } from './dom.js';
import { count } from './format.js';
import { fold, GROUPS, groupOf, rowOf, searchOf } from './rows.js';

/** @typedef {import('./types.js').Entry} Entry @typedef {import('./history.js').History} History */

const BEFORE = 300;
const AFTER = 60;
/** How near to the end counts as being there, in pixels. */
const NEAR = 40;

export class Sequence {
  #rows = byId('rows');
  #scroll = byId('scroll');
  #earlier = byId('earlier');
  #empty = byId('empty');
  #filter = /** @type {HTMLInputElement} */ (byId('filter'));
  /** @type {Set<string>} */
  #shown = new Set(Object.keys(GROUPS));
  /** @type {Set<number>} Numbers of entries that are folded out. */
  #open = new Set();
  #before = BEFORE;
  /** Of the newest row that stands at the end; -1: the rows are around some earlier place. */
  #upTo = -1;
  /** Where the rows are, while they are not at the end. */
  #place = '';
  /** @type {Map<string, Entry>} */
  #byRow = new Map();
  /** @type {() => void} */
  #changed;

  /** @param {() => void} changed What is listed has changed. */
  constructor(changed) {
    this.#changed = changed;
    for (const [group, label] of Object.entries(GROUPS)) {
      const chip = el('button', 'chip', label);
      chip.type = 'button';
      chip.dataset['group'] = group;
      chip.ariaPressed = 'true';
      chip.addEventListener('click', () => {
        const off = this.#shown.delete(group);
        if (!off) this.#shown.add(group);
        chip.ariaPressed = String(!off);
        this.#again();
      });
      byId('kinds').append(chip);
    }
    this.#filter.addEventListener('input', () => this.#again());
    this.#earlier.addEventListener('click', () => {
      this.#before += BEFORE;
      this.#again();
    });
    this.#rows.addEventListener('click', (event) => {
      const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('.row'));
      const entry = row && this.#byRow.get(row.dataset['n'] ?? '');
      if (!row || !entry || /** @type {Element} */ (event.target).closest('.body')) return;
      if (fold(row, entry)) this.#open.add(entry.n);
      else this.#open.delete(entry.n);
    });
  }

  focusFilter() {
    this.#filter.focus();
    this.#filter.select();
  }

  clearFilter() {
    this.#filter.value = '';
    this.#again();
  }

  /** @param {Entry} entry */
  listed = (entry) => {
    const group = groupOf(entry);
    if (group === undefined || !this.#shown.has(group)) return false;
    const wanted = this.#filter.value.trim().toLowerCase();
    return wanted === '' || searchOf(entry).includes(wanted);
  };

  /** Another history, or another place in it. */
  reset() {
    this.#upTo = -1;
    this.#place = '';
    this.#before = BEFORE;
    this.#open.clear();
  }

  #again() {
    this.#upTo = -1;
    this.#place = '';
    this.#changed();
  }

  /** @param {History} history @param {boolean} following New rows come in at the end. */
  show(history, following) {
    const withText = history.now.header?.text === true;
    const pinned = this.#scroll.scrollHeight - this.#scroll.scrollTop - this.#scroll.clientHeight < NEAR;
    if (following && this.#upTo >= 0) this.#append(history, withText);
    else if (following || this.#moved(history)) this.#draw(history, withText);
    this.#upTo = following ? (history.entries.at(-1)?.n ?? -1) : -1;
    const none = this.#rows.childElementCount === 0;
    this.#empty.hidden = !none;
    if (none) say(this.#empty, history.entries.length > 1 ? 'Nothing here matches.' : 'Nothing has happened yet.');
    if (following && pinned) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  /** Paused, there is something to draw only where the place is another one, or more has come right behind it. @param {History} history */
  #moved({ entries, cursor }) {
    const place = [entries[0]?.n, cursor, Math.min(entries.length - cursor, AFTER)].join(' ');
    if (this.#upTo < 0 && place === this.#place) return false;
    this.#place = place;
    return true;
  }

  /** @param {History} history @param {boolean} withText */
  #append({ entries }, withText) {
    let from = entries.length;
    while (from > 0 && /** @type {Entry} */ (entries[from - 1]).n > this.#upTo) from -= 1;
    const fresh = entries.slice(from).filter(this.listed).slice(-BEFORE);
    this.#rows.append(...fresh.map((entry) => this.#row(entry, withText)));
    this.#rows.querySelector('.at')?.classList.remove('at');
    for (let over = this.#rows.childElementCount - this.#before; over > 0; over -= 1) {
      const row = /** @type {HTMLElement} */ (this.#rows.firstElementChild);
      this.#byRow.delete(row.dataset['n'] ?? '');
      row.remove();
      this.#earlier.hidden = false;
    }
  }

  /** @param {History} history @param {boolean} withText */
  #draw({ entries, cursor, missing }, withText) {
    /** @type {Entry[]} */
    const past = [];
    let at = cursor - 1;
    for (; at >= 0 && past.length < this.#before; at -= 1) {
      const entry = /** @type {Entry} */ (entries[at]);
      if (this.listed(entry)) past.push(entry);
    }
    this.#earlier.hidden = at < 0;
    if (at < 0 && missing > 0) {
      say(this.#earlier, `${count(missing)} earlier entries are forgotten`);
      this.#earlier.hidden = false;
    } else say(this.#earlier, 'Earlier');
    /** @type {Entry[]} */
    const future = [];
    for (let on = cursor; on < entries.length && future.length < AFTER; on += 1) {
      const entry = /** @type {Entry} */ (entries[on]);
      if (this.listed(entry)) future.push(entry);
    }
    this.#byRow.clear();
    const rows = past.reverse().map((entry) => this.#row(entry, withText));
    if (cursor < entries.length) rows.at(-1)?.classList.add('at');
    const later = future.map((entry) => this.#row(entry, withText));
    for (const row of later) row.classList.add('future');
    this.#rows.replaceChildren(...rows, ...later);
    this.#rows.querySelector('.at')?.scrollIntoView({ block: 'center' });
  }

  /** @param {Entry} entry @param {boolean} withText */
  #row(entry, withText) {
    this.#byRow.set(String(entry.n), entry);
    return rowOf(entry, { withText, open: this.#open.has(entry.n) });
  }
}
