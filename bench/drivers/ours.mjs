/** Ours, `for await`. */
import { openWith } from './turnstile.mjs';

export { permissions } from './turnstile.mjs';

const style = {
  turn: async (turn, onText) => {
    for await (const update of turn) {
      const held = onText(update.text);
      if (held) await held;
    }
    return turn.result;
  },
};

export const open = (options) => openWith(style, options);
