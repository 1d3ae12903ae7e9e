import { readCommands, readConfigOptions, readModels, readModes } from './configOptions.js';
import type { ConfigOption, Dialect, PromptReading, SessionReading, Usage } from './normal.js';
import {
  eachOf,
  PromptResultSchema,
  readAs,
  SessionInfoSchema,
  SessionListSchema,
  SessionResultSchema,
  UsageSchema,
} from './schemas.js';
import { isObject } from './values.js';

/** Real agents answer `null`, or nothing, where the specification has an empty object; both versions read it as one. */
const orEmpty = (result: unknown): unknown => result ?? {};

/** The result of new, load, resume or fork. */
export function readSession(result: unknown): SessionReading | undefined {
  const object = orEmpty(result);
  const read = readAs(SessionResultSchema, object);
  if (read === undefined || !isObject(object)) return undefined;
  const session: SessionReading = { sessionId: read.sessionId };
  if (read.configOptions !== undefined) session.config = readConfigOptions(read.configOptions);
  const modes = readModes(read.modes);
  if (modes !== undefined) session.modes = modes;
  const models = readModels(object);
  if (models !== undefined) session.models = models;
  if (read.availableCommands !== undefined) session.commands = readCommands(read.availableCommands);
  return session;
}

export function readUsage(value: unknown): Usage | undefined {
  const read = readAs(UsageSchema, value);
  if (read === undefined) return undefined;
  const usage: Usage = {};
  if (read.inputTokens !== undefined) usage.inputTokens = read.inputTokens;
  if (read.outputTokens !== undefined) usage.outputTokens = read.outputTokens;
  if (read.totalTokens !== undefined) usage.totalTokens = read.totalTokens;
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/**
 * v1: the end of the turn. v2: the acknowledgement, `{}` in the early draft and `{messageId}` in the late one; a stop reason
 * in it is read all the same, for it ends the turn of an agent that says v2 and speaks v1.
 */
export function readPrompt(result: unknown): PromptReading | undefined {
  const read = readAs(PromptResultSchema, orEmpty(result));
  if (read === undefined) return undefined;
  const prompt: PromptReading = { stopReason: read.stopReason };
  if (read.messageId !== undefined) prompt.messageId = read.messageId;
  const usage = readUsage(read.usage);
  if (usage !== undefined) prompt.usage = usage;
  return prompt;
}

/** `session/set_config_option` answers with the full list; `config_option_update` carries the same member. */
export function readConfig(result: unknown): ConfigOption[] | undefined {
  const entries = isObject(result) ? result['configOptions'] : undefined;
  return Array.isArray(entries) ? readConfigOptions(entries) : undefined;
}

/** Sessions without an id are left out. An empty cursor ends the list, as an absent one does: it would start it anew. */
export function readSessionList(result: unknown): ReturnType<Dialect['readSessionList']> {
  const read = readAs(SessionListSchema, orEmpty(result));
  if (read === undefined) return undefined;
  const sessions = eachOf(SessionInfoSchema, read.sessions, ({ sessionId, cwd = '', title, updatedAt }) => ({
    sessionId,
    cwd,
    ...(title === undefined ? {} : { title }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }));
  return read.nextCursor === undefined ? { sessions } : { sessions, nextCursor: read.nextCursor };
}
