/** Opens a recording from the disk. It is read here and goes nowhere. */
import { byId } from './dom.js';
import { History } from './history.js';

const MOST_BYTES = 128 * 1024 * 1024;

/** @param {File} file @returns {Promise<History>} Throws an error fit to be shown. */
export async function readRecording(file) {
  if (file.size > MOST_BYTES) throw new Error('larger than 128 MiB');
  const lines = (await file.text()).split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line)];
    } catch {
      return []; // the last one may be cut short
    }
  });
  if (typeof lines[0]?.recording !== 'number') throw new Error('this is not a recording of acp-turnstile');
  const history = new History();
  history.add(lines, true);
  return history;
}

/** By drag and drop, and by the button. @param {(file: File) => void} open */
export function onDropped(open) {
  const [hint, input] = [byId('drop'), /** @type {HTMLInputElement} */ (byId('file'))];
  let inside = 0;
  /** @param {boolean} over */
  const show = (over) => {
    inside = over ? inside : 0;
    hint.hidden = !over;
  };
  addEventListener('dragenter', (event) => {
    event.preventDefault();
    inside += 1;
    show(true);
  });
  addEventListener('dragleave', () => {
    inside -= 1;
    if (inside <= 0) show(false);
  });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    show(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) open(file);
  });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) open(file);
    input.value = '';
  });
  byId('open').addEventListener('click', () => input.click());
}
