import { BadArgument } from '../rpc/badArgument.js';
import { isObject, type JsonObject } from '../wire/values.js';

/** Prepared context of a prompt: text, or the text of a resource. Neither the URI nor any file is opened. */
export type ContextItem = string | { uri: string; text: string; mimeType?: string | undefined };

const textBlock = (text: string): JsonObject => ({ type: 'text', text });

/** @throws BadArgument `prompt`: nothing in it, or something that is no content block. */
function authored(prompt: unknown): readonly unknown[] {
  if (typeof prompt === 'string' && prompt !== '') return [textBlock(prompt)];
  if (!Array.isArray(prompt) || prompt.length === 0) throw new BadArgument('prompt');
  const blocks = prompt as readonly unknown[];
  if (!blocks.every((block) => isObject(block) && typeof block['type'] === 'string')) throw new BadArgument('prompt');
  return [...blocks];
}

/** A resource must have a URI; bare text is given one that names its place and nothing to open. */
function contextBlock(item: unknown, position: number, embedded: boolean): JsonObject {
  const resource = typeof item === 'string' ? { uri: `context:${position}`, text: item } : item;
  if (!isObject(resource)) throw new BadArgument('context');
  const { uri, text, mimeType } = resource;
  if (typeof uri !== 'string' || uri === '' || typeof text !== 'string') throw new BadArgument('context');
  if (mimeType !== undefined && typeof mimeType !== 'string') throw new BadArgument('context');
  if (!embedded) return textBlock(text);
  return { type: 'resource', resource: mimeType === undefined ? { uri, text } : { uri, mimeType, text } };
}

function contextBlocks(context: unknown, embedded: boolean): JsonObject[] {
  if (context === undefined || context === null) return [];
  const items: readonly unknown[] = Array.isArray(context) ? context : [context];
  return items.filter((item) => item !== '').map((item, at) => contextBlock(item, at + 1, embedded));
}

/** Agents look for a command at the very beginning of the first block. */
function isCommand(block: unknown): boolean {
  return (
    isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && block['text'].startsWith('/')
  );
}

/**
 * The content blocks of a prompt. Context goes into blocks of its own before the authored ones, or behind them if those
 * begin with a slash command: an inline text resource each where the agent takes embedded context, else a text block. What
 * was authored is not touched.
 *
 * @throws BadArgument `prompt` or `context`.
 */
export function toBlocks(prompt: unknown, context: unknown, embeddedContext: boolean): readonly unknown[] {
  const blocks = authored(prompt);
  const prepared = contextBlocks(context, embeddedContext);
  return isCommand(blocks[0]) ? [...blocks, ...prepared] : [...prepared, ...blocks];
}

/** Text and resource links every agent takes; blocks of a type unknown here are the caller's business. */
const CAPABILITY_OF: ReadonlyMap<unknown, string> = new Map([
  ['image', 'promptCapabilities.image'],
  ['audio', 'promptCapabilities.audio'],
  ['resource', 'promptCapabilities.embeddedContext'],
]);

/** The capabilities that a prompt needs, as v1's dotted paths, each once. */
export function requiredCapabilities(blocks: readonly unknown[]): string[] {
  const needed = blocks.map((block) => (isObject(block) ? CAPABILITY_OF.get(block['type']) : undefined));
  return [...new Set(needed.filter((path) => path !== undefined))];
}
