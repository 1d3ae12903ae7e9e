/** Ours, `on('update')`. */
import { openWith } from './turnstile.mjs';

export { permissions } from './turnstile.mjs';

const style = {
  listener: (onText) => (update) => onText(update.text),
  turn: (turn) => turn.result,
};

export const open = (options) => openWith(style, options);
