/** The agent's messages of one turn as one running text. */
import type { Update } from '../index.js';

type TextUpdate = Extract<Update, { kind: 'text' | 'thought' | 'user' }>;

/** So much of a message is compared with what replaces it, and of the rest the length. */
const COMPARED_CHARS = 64 * 1024;
const MESSAGES_REMEMBERED = 16;

interface Written {
  start: string;
  length: number;
}

export class AnswerText {
  /** By message id; the oldest are forgotten. */
  readonly #written = new Map<string | undefined, Written>();
  #current: { id: string | undefined } | undefined;
  #atLineStart = true;

  /** What is to be written for this update. A message begins on a line of its own. */
  take({ text, messageId, append }: TextUpdate): string {
    const before = this.#written.get(messageId);
    if (append || before === undefined) return this.#write(text, messageId, before);
    // What stands there cannot be taken back: only what the replacement adds is written, or else all of it anew.
    const same = text.length >= before.length && text.startsWith(before.start);
    if (same) return this.#write(text.slice(before.length), messageId, before);
    this.#current = undefined;
    return this.#write(text, messageId, undefined);
  }

  /** Something else came in between: text without an id is another message from here on. */
  interrupted(): void {
    if (this.#current?.id !== undefined) return;
    this.#current = undefined;
    this.#written.delete(undefined);
  }

  #write(text: string, id: string | undefined, before: Written | undefined): string {
    if (text === '') return '';
    const goesOn = this.#current !== undefined && this.#current.id === id;
    const separator = goesOn || this.#atLineStart ? '' : '\n';
    const { start, length } = before ?? { start: '', length: 0 };
    this.#written.delete(id);
    this.#written.set(id, {
      start: start.length < COMPARED_CHARS ? start + text.slice(0, COMPARED_CHARS) : start,
      length: length + text.length,
    });
    for (const oldest of this.#written.keys()) {
      if (this.#written.size <= MESSAGES_REMEMBERED) break;
      this.#written.delete(oldest);
    }
    this.#current = { id };
    this.#atLineStart = text.endsWith('\n');
    return separator + text;
  }
}
