import type { NormalUpdate } from './normal.js';
import { isObject, type JsonObject } from './values.js';

type MessageKind = 'text' | 'thought' | 'user';

/**
 * `agent_message_chunk` and its kin: most of all frames, so that this is written by hand and copies nothing. Whatever the
 * content is, the text is a string; content that is no text is handed on beside it.
 */
export const chunk =
  (kind: MessageKind) =>
  (update: JsonObject): NormalUpdate => {
    const content = update['content'];
    const messageId = update['messageId'];
    if (isObject(content)) {
      const text = content['text'];
      if (content['type'] === 'text' && typeof text === 'string') {
        return typeof messageId === 'string'
          ? { kind, text, messageId, append: true, raw: update }
          : { kind, text, append: true, raw: update };
      }
      return typeof messageId === 'string'
        ? { kind, text: '', messageId, append: true, content, raw: update }
        : { kind, text: '', append: true, content, raw: update };
    }
    return typeof messageId === 'string'
      ? { kind, text: '', messageId, append: true, raw: update }
      : { kind, text: '', append: true, raw: update };
  };

/**
 * v2's `agent_message` and its kin say what the whole message of that id is. Null or an empty list clears it. Content that is
 * left out, or cannot be read, is unchanged: it reads as appending nothing. Without an id there is no message to replace, so
 * that the text is one of its own.
 */
export const wholeMessage =
  (kind: MessageKind) =>
  (update: JsonObject): NormalUpdate => {
    const { content, messageId } = update;
    const blocks: unknown[] | undefined = Array.isArray(content) ? content : content === null ? [] : undefined;
    let text = '';
    let onlyText = true;
    for (const block of blocks ?? []) {
      if (isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string') text += block['text'];
      else onlyText = false;
    }
    const read: NormalUpdate = { kind, text, append: blocks === undefined, raw: update };
    if (typeof messageId === 'string') read.messageId = messageId;
    else read.append = true;
    if (!onlyText) read.content = blocks;
    return read;
  };
