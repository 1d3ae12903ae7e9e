import * as v from 'valibot';
import { isObject, type JsonObject } from './values.js';

/**
 * The schemas of the lifecycle messages, v1 and both drafts of v2 in one: a member that cannot be read is as good as absent,
 * and takes nothing else with it (the specification's `x-deserialize-default-on-error`, applied to every member).
 */
const lenient = <const S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);

/** An object and no array: `v.object` would take one. Only the named members are read, as own values of their names. */
const members = <const E extends v.ObjectEntries>(named: E) => {
  const schema = v.object(named);
  return v.pipe(
    v.custom<JsonObject>(isObject),
    v.transform((object) => object as v.InferInput<typeof schema>),
    schema,
  );
};

const word = lenient(v.string());
const identifier = lenient(v.pipe(v.string(), v.nonEmpty()));
const object = lenient(v.custom<JsonObject>(isObject));
/** Not `v.array`, which would visit and copy every entry. */
const entries = v.custom<unknown[]>(Array.isArray);
const list = lenient(entries);
const anything = v.optional(v.unknown());
const count = lenient(v.pipe(v.number(), v.safeInteger(), v.minValue(0)));

/** How many entries of the lists of one message are looked at, nested ones included. No agent comes near; a frame of brackets would. */
const MAX_ENTRIES = 16_384;
export interface EntriesLeft {
  count: number;
}
export const entriesOfOneMessage = (): EntriesLeft => ({ count: MAX_ENTRIES });

/** Reads what can be read of a list, in its order: bad entries drop out alone (`x-deserialize-skip-invalid-items`). */
export function eachOf<S extends v.GenericSchema, T>(
  schema: S,
  items: readonly unknown[] | undefined,
  make: (entry: v.InferOutput<S>, raw: unknown) => T | undefined,
  left: EntriesLeft = entriesOfOneMessage(),
): T[] {
  const kept: T[] = [];
  for (const raw of items ?? []) {
    if (left.count === 0) break;
    left.count -= 1;
    const reading = v.safeParse(schema, raw);
    const made = reading.success ? make(reading.output, raw) : undefined;
    if (made !== undefined) kept.push(made);
  }
  return kept;
}

export function readAs<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined {
  const reading = v.safeParse(schema, value);
  return reading.success ? reading.output : undefined;
}

const ImplementationSchema = members({ name: word, title: word, version: word });

/** Exactly the JSON integers: no coercion, for a version that was guessed is one that was not agreed. */
export const InitializeSchema = members({
  protocolVersion: v.picklist([1, 2]),
  agentInfo: lenient(ImplementationSchema),
  agentCapabilities: object,
  info: lenient(ImplementationSchema),
  capabilities: object,
  authMethods: list,
});

/**
 * `agent` is what v1 means by no type. A type that cannot be read must not become it: it may be
 * a login in a terminal, which is never sent.
 */
export const AuthMethodSchema = members({
  methodId: identifier,
  id: identifier,
  type: v.fallback(v.nullish(v.string(), 'agent'), 'unknown'),
  name: word,
});

export const SupportedVersionsSchema = members({ supported: entries });

export const SessionResultSchema = members({
  sessionId: word,
  configOptions: list,
  modes: anything,
  availableCommands: list,
});

export const ConfigOptionSchema = members({
  configId: identifier,
  id: identifier,
  name: word,
  category: word,
  type: word,
  currentValue: lenient(v.union([v.string(), v.boolean()])),
  options: list,
});
export const ConfigEntrySchema = members({
  value: word,
  name: word,
  description: word,
  groupId: word,
  group: word,
  options: list,
});

export const ModesSchema = members({ currentModeId: word, availableModes: list });
export const ModelsSchema = members({ currentModelId: word, availableModels: list });
export const ChoiceSchema = members({ id: identifier, modelId: identifier, name: word, description: word });

export const CommandSchema = members({ name: v.pipe(v.string(), v.nonEmpty()) });

export const UsageSchema = members({ inputTokens: count, outputTokens: count, totalTokens: count });
export const PromptResultSchema = members({ stopReason: word, messageId: word, usage: anything });

export const SessionListSchema = members({ sessions: list, nextCursor: identifier });
export const SessionInfoSchema = members({
  sessionId: v.pipe(v.string(), v.nonEmpty()),
  cwd: word,
  title: word,
  updatedAt: word,
});

export const PermissionSchema = members({
  sessionId: word,
  title: word,
  toolCall: anything,
  subject: lenient(members({ type: word, toolCall: anything })),
  options: list,
});
export const PermissionOptionSchema = members({ optionId: v.string(), name: word, kind: word });
