/** What can be chosen in a session of the demo agent. Choices depend on each other, as those of real agents do. */

export type SettingId = 'mode' | 'model' | 'effort';

interface Value {
  value: string;
  name: string;
  description?: string;
}

const MODES: readonly Value[] = [
  { value: 'ask', name: 'Ask first', description: 'Asks before it writes a file' },
  { value: 'plan', name: 'Plan only', description: 'Never writes a file' },
];
const MODELS: readonly Value[] = [
  { value: 'demo-small', name: 'Demo small' },
  { value: 'demo-large', name: 'Demo large', description: 'Also offers effort high and max' },
];
const EFFORTS: readonly Value[] = [
  { value: 'low', name: 'Low' },
  { value: 'medium', name: 'Medium' },
  { value: 'high', name: 'High', description: 'Thinks before it answers' },
  { value: 'max', name: 'Max', description: 'Thinks before it answers' },
];
const SMALL_EFFORTS = EFFORTS.slice(0, 2);
const DEFAULT_EFFORT = 'medium';

const CATEGORY = { mode: 'mode', model: 'model', effort: 'thought_level' } as const;
const NAME = { mode: 'Mode', model: 'Model', effort: 'Effort' } as const;

export class Settings {
  #chosen: Record<SettingId, string> = { mode: 'ask', model: 'demo-small', effort: DEFAULT_EFFORT };

  get mode(): string {
    return this.#chosen.mode;
  }
  get model(): string {
    return this.#chosen.model;
  }
  get effort(): string {
    return this.#chosen.effort;
  }

  /** false, with nothing changed, where the id or the value is not on offer. */
  choose(id: unknown, value: unknown): boolean {
    if (id !== 'mode' && id !== 'model' && id !== 'effort') return false;
    const offered = this.#offer(id).find((one) => one.value === value);
    if (!offered) return false;
    this.#chosen[id] = offered.value;
    if (!this.#offer('effort').some((one) => one.value === this.effort)) this.#chosen.effort = DEFAULT_EFFORT;
    return true;
  }

  /** v1 names an option by `id`, v2 by `configId`. */
  options(idMember: 'id' | 'configId'): object[] {
    return (['mode', 'model', 'effort'] as const).map((id) => ({
      [idMember]: id,
      name: NAME[id],
      category: CATEGORY[id],
      type: 'select',
      currentValue: this.#chosen[id],
      options: this.#offer(id),
    }));
  }

  /** v1's older way to tell the modes; agents keep it in step with the option. */
  modes(): object {
    const availableModes = MODES.map(({ value, ...rest }) => ({ id: value, ...rest }));
    return { currentModeId: this.mode, availableModes };
  }

  #offer(id: SettingId): readonly Value[] {
    if (id === 'mode') return MODES;
    if (id === 'model') return MODELS;
    return this.model === 'demo-small' ? SMALL_EFFORTS : EFFORTS;
  }
}
