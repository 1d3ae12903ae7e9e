import type { NormalUpdate } from '../wire/normal.js';

type MessageUpdate = Extract<NormalUpdate, { kind: 'text' | 'thought' | 'user' }>;

/** Chunks are joined in blocks: a node for each would cost many times the text of an agent that sends it by the letter. */
const CHUNKS_A_BLOCK = 1024;
/** What a message costs beside its text, so that empty messages without end cost something. */
const MESSAGE_BYTES = 256;

/** One message, as it grows. */
class Message {
  #blocks: string[] = [];
  #chunks: string[] = [];
  bytes = 0;

  append(text: string, bytes: number): void {
    if (text === '') return;
    this.bytes += bytes;
    if (this.#chunks.push(text) < CHUNKS_A_BLOCK) return;
    this.#blocks.push(this.#chunks.join(''));
    this.#chunks = [];
  }

  replace(text: string, bytes: number): void {
    this.#blocks = [];
    this.#chunks = [text];
    this.bytes = bytes;
  }

  join(): string {
    return this.#blocks.join('') + this.#chunks.join('');
  }
}

/**
 * The agent's text of one turn: its messages, each in place of its first mention. A chunk without an id goes on with the
 * last such message until another begins.
 */
export class TextOfTurn {
  readonly #messages: Message[] = [];
  readonly #byId = new Map<string, Message>();
  #last: Message | undefined;
  #lastId: string | undefined;

  /**
   * Takes the update if what it adds fits into `left`, in UTF-8 bytes, and returns what it added: less than nothing where a
   * replacement is the shorter one. `undefined`: it does not fit, and nothing was taken.
   */
  take({ text, messageId, append }: MessageUpdate, left: number): number | undefined {
    const bytes = Buffer.byteLength(text);
    const known = this.#find(messageId);
    // The first anonymous message is the whole text of most agents: it costs its text to the byte.
    const begun = known ?? (messageId === undefined && this.#messages.length === 0);
    const added =
      (append ? bytes : bytes - (known?.bytes ?? 0)) + (begun ? 0 : MESSAGE_BYTES + (messageId?.length ?? 0));
    if (added > left) return undefined;
    const message = known ?? this.#begin(messageId);
    this.#last = message;
    this.#lastId = messageId;
    if (append) message.append(text, bytes);
    else message.replace(text, bytes);
    return added;
  }

  join(): string {
    return this.#messages.map((message) => message.join()).join('');
  }

  #find(messageId: string | undefined): Message | undefined {
    if (messageId === this.#lastId) return this.#last;
    return messageId === undefined ? undefined : this.#byId.get(messageId);
  }

  #begin(messageId: string | undefined): Message {
    const message = new Message();
    this.#messages.push(message);
    if (messageId !== undefined) this.#byId.set(messageId, message);
    return message;
  }
}
