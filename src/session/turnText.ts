import type { NormalUpdate } from '../wire/normal.js';

type MessageUpdate = Extract<NormalUpdate, { kind: 'text' | 'thought' | 'user' }>;

/** Chunks are put together in blocks: a node for each would cost many times the text of an agent that sends it by the letter. */
const BLOCK_CHARS = 1024;
/** UTF-8 spends at most three bytes on one UTF-16 unit. */
const MOST_BYTES = 3;
/** What a message costs beside its text, so that empty messages without end cost something. */
const MESSAGE_BYTES = 256;

/** One message, as it grows. Text is added as V8 adds strings: copied into a block while that is hot, and then not again. */
class Message {
  #text = '';
  #textBytes = 0;
  #block = '';
  /** Of the text, in UTF-8; for what was added to the block since `count`, the most that it can be. */
  bytes = 0;

  append(text: string): void {
    this.#block += text;
    this.bytes += MOST_BYTES * text.length;
    if (this.#block.length < BLOCK_CHARS) return;
    this.count();
    this.#textBytes = this.bytes;
    this.#text += this.#block;
    this.#block = '';
  }

  replace(text: string): void {
    this.#text = this.#block = '';
    this.#textBytes = this.bytes = 0;
    this.append(text);
  }

  /** Makes `bytes` exact. To count the block is to put it together: V8 makes one flat string of it. */
  count(): void {
    this.bytes = this.#textBytes + Buffer.byteLength(this.#block);
  }

  get text(): string {
    return this.#text + this.#block;
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
  /** Of all messages, in UTF-8 bytes; the last one may be taken for more than it is. */
  #bytes = 0;

  /** Takes the update if the whole then fits into `mostBytes`. False: it does not, and nothing was taken. */
  take({ text, messageId, append }: MessageUpdate, mostBytes: number): boolean {
    const last = this.#last;
    if (!append || last === undefined || messageId !== this.#lastId) {
      return this.#takeExactly(text, messageId, append, mostBytes);
    }
    if (this.#bytes + MOST_BYTES * text.length > mostBytes) {
      return this.#takeExactly(text, messageId, append, mostBytes);
    }
    const before = last.bytes;
    last.append(text);
    this.#bytes += last.bytes - before;
    return true;
  }

  /** UTF-8 bytes of what was taken, and of what its messages cost. */
  get bytes(): number {
    if (this.#last !== undefined) this.#count(this.#last);
    return this.#bytes;
  }

  join(): string {
    return this.#messages.reduce((text, message) => text + message.text, '');
  }

  /** Where a message begins, is replaced, or the limit is near, it is told to the byte. */
  #takeExactly(text: string, messageId: string | undefined, append: boolean, mostBytes: number): boolean {
    if (this.#last !== undefined) this.#count(this.#last);
    const known = this.#find(messageId);
    const bytes = Buffer.byteLength(text);
    // The first anonymous message is the whole text of most agents: it costs its text to the byte.
    const begun = known !== undefined || (messageId === undefined && this.#messages.length === 0);
    const beginning = begun ? 0 : MESSAGE_BYTES + (messageId?.length ?? 0);
    const added = (append ? bytes : bytes - (known?.bytes ?? 0)) + beginning;
    if (this.#bytes + added > mostBytes) return false;
    const message = known ?? this.#begin(messageId);
    this.#last = message;
    this.#lastId = messageId;
    const before = message.bytes;
    if (append) message.append(text);
    else message.replace(text);
    this.#bytes += beginning + message.bytes - before;
    this.#count(message);
    return true;
  }

  #count(message: Message): void {
    this.#bytes -= message.bytes;
    message.count();
    this.#bytes += message.bytes;
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
