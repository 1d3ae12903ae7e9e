/** Measurements by scenario and driver. */
import { median } from './numbers.mjs';

export class Results {
  #rows = new Map();

  add(scenario, driver, row) {
    const drivers = this.#rows.get(scenario) ?? new Map();
    this.#rows.set(scenario, drivers);
    drivers.set(driver, [...(drivers.get(driver) ?? []), row]);
  }

  has(scenario) {
    return this.#rows.has(scenario);
  }

  rows(scenario, driver) {
    return this.#rows.get(scenario)?.get(driver) ?? [];
  }

  /** The median of a number; of anything else, what the runs gave, each once. */
  of(scenario, driver, measure) {
    const values = this.rows(scenario, driver).map((row) => row[measure]);
    if (values.every((value) => typeof value === 'number')) return median(values);
    const distinct = [...new Set(values.filter((value) => value !== undefined))];
    return distinct.length > 0 ? distinct.join(', ') : undefined;
  }

  ratio(scenario, driver, reference, measure) {
    const own = this.of(scenario, driver, measure);
    const other = this.of(scenario, reference, measure);
    return typeof own === 'number' && typeof other === 'number' && other > 0 ? own / other : undefined;
  }
}
