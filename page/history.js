/** Everything that the page was told, bounded, and the place in it that is looked at. */
import { Reader } from './frames.js';
import { Model } from './model.js';

/** @typedef {import('./types.js').Entry} Entry */

const MOST_ENTRIES = 20_000;

/** @param {any} line @returns {Entry['kind'] | undefined} */
function kindOf(line) {
  if (typeof line !== 'object' || line === null || typeof line.t !== 'number') return undefined;
  if (typeof line.d === 'string' && typeof line.m === 'object' && line.m !== null) return 'frame';
  if (typeof line.actor === 'string' && Array.isArray(line.from) && Array.isArray(line.to)) return 'step';
  if (typeof line.decision === 'object' && line.decision !== null) return 'decision';
  if (typeof line.gap === 'number') return 'gap';
  if (typeof line.stats === 'object' && Array.isArray(line.waits)) return 'tick';
  if (typeof line.skipped === 'number') return 'skipped';
  if (typeof line.closed === 'string') return 'closed';
  if (typeof line.recording === 'number') return 'header';
  return line.full === true ? 'full' : undefined;
}

export class History {
  /** @type {Entry[]} */
  entries = [];
  /** Entries of which only the outcome is known. */
  missing = 0;
  /** Looked at: everything before this place in `entries` has happened. */
  cursor = 0;
  /** What is so at the cursor. */
  now = new Model();
  /** What was so before the oldest entry. */
  #base = new Model();
  #reader = new Reader();
  #next = 0;

  /** @param {unknown[]} base @param {number} missing */
  constructor(base = [], missing = 0) {
    this.missing = missing;
    for (const line of base) {
      const entry = this.#entry(line);
      if (entry) this.#base.apply(entry);
    }
    this.now = this.#base.clone();
  }

  get atEnd() {
    return this.cursor === this.entries.length;
  }

  /** @param {unknown[]} lines @param {boolean} follow The cursor goes along. @returns {Entry[]} */
  add(lines, follow) {
    const added = lines.map((line) => this.#entry(line)).filter((entry) => entry !== undefined);
    for (const entry of added) {
      this.entries.push(entry);
      if (follow) this.now.apply(entry);
    }
    if (follow) this.cursor = this.entries.length;
    this.#bound();
    return added;
  }

  /** @param {number} place */
  go(place) {
    const to = Math.max(0, Math.min(place, this.entries.length));
    if (to < this.cursor) {
      this.now = this.#base.clone();
      this.cursor = 0;
    }
    for (; this.cursor < to; this.cursor += 1) this.now.apply(/** @type {Entry} */ (this.entries[this.cursor]));
  }

  /** The place after the next entry that is wanted, from the cursor in a direction. @param {1 | -1} by @param {(entry: Entry) => boolean} wanted */
  find(by, wanted) {
    for (let at = this.cursor + (by > 0 ? 0 : -2); at >= 0 && at < this.entries.length; at += by) {
      if (wanted(/** @type {Entry} */ (this.entries[at]))) return at + 1;
    }
    return by > 0 ? this.entries.length : 0;
  }

  /** @param {any} line @returns {Entry | undefined} */
  #entry(line) {
    const kind = kindOf(line);
    if (kind === undefined) return undefined;
    const entry = /** @type {Entry} */ ({ n: this.#next++, t: line.t, kind, line });
    if (entry.kind === 'frame') entry.about = this.#reader.read(entry.line);
    return entry;
  }

  #bound() {
    const over = this.entries.length - MOST_ENTRIES;
    // By the eighth, so that not every addition moves all of them.
    if (over < MOST_ENTRIES / 8) return;
    for (const entry of this.entries.splice(0, over)) this.#base.apply(entry);
    this.missing += over;
    if (this.cursor < over) {
      this.now = this.#base.clone();
      this.cursor = 0;
    } else this.cursor -= over;
  }
}
