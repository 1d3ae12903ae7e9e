import type * as v from 'valibot';
import type { Choice, ConfigOption, ConfigValue } from './normal.js';
import {
  ChoiceSchema,
  CommandSchema,
  ConfigEntrySchema,
  ConfigOptionSchema,
  eachOf,
  entriesOfOneMessage,
  type EntriesLeft,
  ModelsSchema,
  ModesSchema,
  readAs,
} from './schemas.js';
import { isObject, type JsonObject } from './values.js';

type Entries = readonly unknown[] | undefined;
type ConfigEntry = v.InferOutput<typeof ConfigEntrySchema>;

function readValue(entry: ConfigEntry, group?: string): ConfigValue | undefined {
  const { value, name, description } = entry;
  if (value === undefined) return undefined;
  const one: ConfigValue = { value, name: name ?? value };
  if (description !== undefined) one.description = description;
  if (group !== undefined) one.group = group;
  return one;
}

/** A list is flat or in groups; which one is told by an inner `options`, entry by entry, not by the version. */
function readValues(entries: Entries, left: EntriesLeft): ConfigValue[] {
  const read = (entry: ConfigEntry): (ConfigValue | undefined)[] => {
    const { options } = entry;
    if (options === undefined) return [readValue(entry)];
    const group = entry.groupId ?? entry.group;
    return eachOf(ConfigEntrySchema, options, (inner) => readValue(inner, group), left);
  };
  return eachOf(ConfigEntrySchema, entries, read, left)
    .flat()
    .filter((one) => one !== undefined);
}

/**
 * A list of config options. The identifier is v2's `configId` or v1's `id`, an option with neither is left out. A type that is
 * not said is told by the members; options of a type unknown here are kept without values. The current value is kept
 * although it may not be among the values.
 */
export function readConfigOptions(entries: readonly unknown[]): ConfigOption[] {
  const left = entriesOfOneMessage();
  const read = (option: v.InferOutput<typeof ConfigOptionSchema>): ConfigOption | undefined => {
    const id = option.configId ?? option.id;
    if (id === undefined) return undefined;
    const { currentValue, options } = option;
    const type = option.type ?? (options !== undefined ? 'select' : typeof currentValue === 'boolean' ? 'boolean' : '');
    const wanted = type === 'select' ? 'string' : type === 'boolean' ? 'boolean' : typeof currentValue;
    return {
      id,
      name: option.name ?? id,
      category: option.category,
      type,
      value: typeof currentValue === wanted ? currentValue : undefined,
      values: type === 'select' ? readValues(options, left) : [],
    };
  };
  return eachOf(ConfigOptionSchema, entries, read, left);
}

function readChoice(current: string | undefined, entries: Entries, idIn: 'id' | 'modelId'): Choice | undefined {
  if (current === undefined && entries === undefined) return undefined;
  const available = eachOf(ChoiceSchema, entries, (entry) => {
    const id = entry[idIn] ?? entry.id ?? entry.modelId;
    if (id === undefined) return undefined;
    const choice = { id, name: entry.name ?? id };
    return entry.description === undefined ? choice : { ...choice, description: entry.description };
  });
  return { current, available };
}

/** v1's `modes`. */
export function readModes(modes: unknown): Choice | undefined {
  const read = readAs(ModesSchema, modes);
  return read && readChoice(read.currentModeId, read.availableModes, 'id');
}

/**
 * The legacy model state of a session result or an `initialize` answer: the member `models`, else what vendors put into
 * `_meta` in the same shape.
 */
export function readModels(result: JsonObject): Choice | undefined {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  for (const state of [result['models'], meta['modelState'], meta['models']]) {
    const read = readAs(ModelsSchema, state);
    const choice = read && readChoice(read.currentModelId, read.availableModels, 'modelId');
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** The names of commands, in the agent's order. Only late v2 gives commands a type; those without one are commands too. */
export const readCommands = (entries: readonly unknown[]): string[] =>
  eachOf(CommandSchema, entries, ({ name }) => name);
