/** The keyboard, and light or dark. */
import { byId } from './dom.js';

/** @typedef {Record<string, (event: KeyboardEvent) => void>} Keys */

/** @param {Keys} keys By `KeyboardEvent.key`, letters in lower case. @param {() => void} escape */
export function onKeys(keys, escape) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').hasAttribute('open')) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches('input[type="search"]');
    if (event.key === 'Escape') {
      escape();
      target.blur();
      return;
    }
    // A button does by Space and Enter what it is for, and the slider has its own arrows.
    if (typing || (event.key === ' ' && target.matches('button, input'))) return;
    if (target.matches('input[type="range"]') && event.key.startsWith('Arrow') && !event.shiftKey) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

const STORED = 'acp-turnstile.theme';

/** A browser may forbid to remember; then nothing is. @param {string} [choice] */
function remembered(choice) {
  try {
    if (choice !== undefined) localStorage.setItem(STORED, choice);
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** The system's choice, unless another was made here before. */
export function theme() {
  const root = document.documentElement;
  const stored = remembered();
  if (stored === 'light' || stored === 'dark') root.dataset['theme'] = stored;
  return () => {
    const dark = root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset['theme'] = dark === 'dark' ? 'light' : 'dark';
    remembered(root.dataset['theme']);
  };
}
