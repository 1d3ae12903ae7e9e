/**
 * What an agent says, made fit for a terminal: nothing in it moves the cursor, sets a title, fills the clipboard, or hides
 * what stands beside it.
 */
import { stripVTControlCharacters } from 'node:util';

/** Every control character but tab and newline. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
const UNFIT_FOR_A_LABEL = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\s]+/gu;
const CODE_UNITS_LOOKED_AT = 4096;

/** Text of several lines. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, '');

/** A label of one line and at most `longest` characters. */
export function oneLine(text: string, longest: number): string {
  const plain = stripVTControlCharacters(text.slice(0, CODE_UNITS_LOOKED_AT)).replace(UNFIT_FOR_A_LABEL, ' ').trim();
  const characters = Array.from(plain);
  return characters.length <= longest ? plain : `${characters.slice(0, longest - 1).join('')}…`;
}

const NARROWEST = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]$/u;

/** Columns that a character takes on most terminals. */
export function columnsOf(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (NARROWEST.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns that a label takes. */
export function widthOf(label: string): number {
  let width = 0;
  for (const character of label) width += columnsOf(character);
  return width;
}

/** A count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
