import type { Choice, ConfigOption, NormalUpdate, SessionReading } from '../wire/normal.js';
import { findEffort } from './effort.js';

/** What `select` can set, in its order: the model first, since it decides which efforts there are. */
export const SELECTABLE = ['model', 'effort', 'mode'] as const;
export type Selectable = (typeof SELECTABLE)[number];

/** How to set something, or why it cannot be. `value` and ids are the agent's spelling. */
export type Plan =
  | { via: 'config'; configId: string; value: string | boolean; type: string }
  | { via: 'setMode'; modeId: string }
  | { via: 'setModel'; modelId: string }
  | { refused: 'invalid-argument'; argument: string; offered: readonly string[] }
  /** Nothing of the kind is advertised in this session; `capability` is the member of the session result that is absent. */
  | { refused: 'capability-absent'; capability: string };

export interface SessionOptions {
  models: Choice;
  efforts: Choice;
  modes: Choice;
  config: readonly ConfigOption[];
}

/** How the config option for each is found: by category, then by well-known id, the weakest last. */
const FOUND_BY: Record<Selectable, { category: string; ids: readonly string[]; capability: string }> = {
  model: { category: 'model', ids: ['model'], capability: 'models' },
  effort: {
    category: 'thought_level',
    ids: ['effort', 'reasoning_effort', 'thought_level', 'variant', 'thinking'],
    capability: 'configOptions',
  },
  mode: { category: 'mode', ids: ['mode'], capability: 'modes' },
};
const CATEGORIES: ReadonlySet<string | undefined> = new Set(SELECTABLE.map((what) => FOUND_BY[what].category));

const NOTHING: Choice = { current: undefined, available: [] };

function choiceOf(option: ConfigOption): Choice {
  return {
    current: typeof option.value === 'string' ? option.value : undefined,
    available: option.values.map(({ value, name, description }) =>
      description === undefined ? { id: value, name } : { id: value, name, description },
    ),
  };
}

const ids = (choice: Choice): string[] => choice.available.map(({ id }) => id);

/**
 * The options of one session, as the agent last said they are. Lists replace whole lists, in order of arrival; a current
 * value that is missing, or not among the values, is kept as it is.
 */
export class SessionOptionsStore {
  #config: readonly ConfigOption[] = [];
  #models: Choice | undefined;
  #modes: Choice | undefined;
  #commands: readonly string[] = [];
  #view: SessionOptions | undefined;

  constructor(reading?: SessionReading) {
    if (reading !== undefined) this.opened(reading);
  }

  /** The answer to new, load, resume or fork. What it does not report stays as updates before it left it. */
  opened(reading: SessionReading): void {
    this.#config = reading.config ?? this.#config;
    this.#models = reading.models ?? this.#models;
    this.#modes = reading.modes ?? this.#modes;
    this.#commands = reading.commands ?? this.#commands;
    this.#view = undefined;
  }

  /** Whether the update changed something here. */
  apply(update: NormalUpdate): boolean {
    switch (update.kind) {
      case 'config':
        this.configReplaced(update.config);
        return true;
      case 'mode':
        this.modeIs(update.modeId);
        return true;
      case 'commands':
        this.#commands = update.commands;
        return true;
      default:
        return false;
    }
  }

  /** The full list, from the answer to `set_config_option` or an update. */
  configReplaced(config: readonly ConfigOption[]): void {
    this.#config = config;
    this.#view = undefined;
  }

  /** `set_config_option` was answered without a list: the acknowledgement is the confirmation. */
  configConfirmed(configId: string, value: string | boolean): void {
    this.#config = this.#config.map((option) => (option.id === configId ? { ...option, value } : option));
    this.#view = undefined;
  }

  /**
   * `current_mode_update`, or a confirmed `session/set_mode`. Agents that have the mode as a config option too report a
   * change by this word alone, so that the option follows where it knows the value.
   */
  modeIs(modeId: string): void {
    this.#modes = { ...(this.#modes ?? NOTHING), current: modeId };
    this.#view = undefined;
    const option = this.#optionFor('mode');
    if (option?.values.some(({ value }) => value === modeId)) this.configConfirmed(option.id, modeId);
  }

  /** A confirmed `session/set_model`: no notification ever follows it. */
  modelIs(modelId: string): void {
    this.#models = { ...(this.#models ?? NOTHING), current: modelId };
    this.#view = undefined;
  }

  get commands(): readonly string[] {
    return this.#commands;
  }

  /** The same object until something changes. */
  view(): SessionOptions {
    this.#view ??= {
      models: this.#choice('model'),
      efforts: this.#choice('effort'),
      modes: this.#choice('mode'),
      config: this.#config,
    };
    return this.#view;
  }

  /** How to select a value: model and mode exactly as advertised, effort exactly or normalised. */
  plan(what: Selectable, wanted: string): Plan {
    const option = this.#optionFor(what);
    const legacy = this.#legacy(what);
    if (option === undefined && legacy === undefined) {
      return { refused: 'capability-absent', capability: FOUND_BY[what].capability };
    }
    const offered = ids(this.#choice(what));
    const value = what === 'effort' && typeof wanted === 'string' ? findEffort(offered, wanted) : wanted;
    if (value === undefined || !offered.includes(value)) {
      return { refused: 'invalid-argument', argument: what, offered };
    }
    if (option !== undefined) return { via: 'config', configId: option.id, value, type: option.type };
    return what === 'mode' ? { via: 'setMode', modeId: value } : { via: 'setModel', modelId: value };
  }

  /** How to set one config option by its id, exactly as advertised; it never drives the legacy `models` and `modes`. */
  planConfig(configId: string, value: string | boolean): Plan {
    if (this.#config.length === 0) return { refused: 'capability-absent', capability: 'configOptions' };
    const option = this.#config.find(({ id }) => id === configId);
    if (option === undefined) {
      return { refused: 'invalid-argument', argument: 'id', offered: this.#config.map(({ id }) => id) };
    }
    const { type } = option;
    const offered = type === 'boolean' ? ['true', 'false'] : option.values.map((known) => known.value);
    const legal =
      type === 'boolean' ? typeof value === 'boolean' : typeof value === 'string' && offered.includes(value);
    return legal
      ? { via: 'config', configId, value, type }
      : { refused: 'invalid-argument', argument: 'value', offered };
  }

  /** What is in effect now, as the agent said last. */
  current(what: Selectable): string | undefined {
    return this.#choice(what).current;
  }

  currentConfig(configId: string): string | boolean | undefined {
    return this.#config.find(({ id }) => id === configId)?.value;
  }

  /** Of several in a category the first, which is the agent's own preference. */
  #optionFor(what: Selectable): ConfigOption | undefined {
    const { category, ids: known } = FOUND_BY[what];
    const selects = this.#config.filter(({ type }) => type === 'select');
    const byCategory = selects.find((option) => option.category === category);
    if (byCategory !== undefined) return byCategory;
    // One that its category gives to another of the three is not this one, whatever it is called.
    const rest = selects.filter((option) => !CATEGORIES.has(option.category));
    for (const id of known) {
      const byId = rest.find((option) => option.id === id);
      if (byId !== undefined) return byId;
    }
    return undefined;
  }

  #legacy(what: Selectable): Choice | undefined {
    return what === 'model' ? this.#models : what === 'mode' ? this.#modes : undefined;
  }

  #choice(what: Selectable): Choice {
    const option = this.#optionFor(what);
    return option === undefined ? (this.#legacy(what) ?? NOTHING) : choiceOf(option);
  }
}
