/** Walks one path on the real client: each step is something that happens outside, and everything is looked at after it. */
import type { AnyMachineSnapshot } from 'xstate';
import { settle } from '../manualClock.js';
import { describeEvent, type ChartEvent, type Path, type Step } from './model.js';
import type { Heard } from './observation.js';
import type { World } from './world.js';

/** Without it only the agent's books judge: `npm run mutants` asks whether they see what the charts would not admit. */
export const STATES = process.env['PATHS_STATES'] !== 'off';

export interface Driver<W extends World = World> {
  begin(path: Path): Promise<W>;
  /** Makes the event happen. */
  act(world: W, step: Step, path: Path, index: number): void | Promise<void>;
  /** What the chart under test heard. */
  heard(world: W): Heard[];
  /** The part of the chart's state that does not depend on how the client numbers things. */
  facts(snapshot: AnyMachineSnapshot, world: W | undefined): unknown;
  /** Events that can come of another in the same step: a child that ends, an effect that answers at once. */
  follows: RegExp;
  /** The agent speaks before each step. */
  chatter?(world: W): void;
  /** Whatever has to be tried where the path has led, before time runs out. */
  finish?(world: W): Promise<void>;
  /** Undoes faults. */
  restore?(): void;
}

/** What an event of the path does not share with that of the client, which numbers things by itself. */
const OWN_NUMBERS = ['by', 'request', 'turn', 'session', 'option', 'error', 'actorId'];

function same(expected: ChartEvent, heard: ChartEvent): boolean {
  return Object.entries(expected).every(([name, value]) => {
    if (OWN_NUMBERS.includes(name)) return true;
    if (name === 'output') return (value as { leaves: string }).leaves === (heard[name] as { leaves: string }).leaves;
    return JSON.stringify(value) === JSON.stringify(heard[name]);
  });
}

class Comparison<W extends World> {
  #next = 0;
  #now: string;

  constructor(
    readonly driver: Driver<W>,
    readonly world: W,
    start: AnyMachineSnapshot,
  ) {
    this.#now = this.#show(start, false);
    const first = driver.heard(world)[0];
    if (first) {
      this.#next = 1;
      this.#expect('the start', this.#show(first.snapshot, true), this.#now);
    }
  }

  #show(snapshot: AnyMachineSnapshot, real: boolean): string {
    return JSON.stringify(this.driver.facts(snapshot, real ? this.world : undefined));
  }

  #expect(when: string, real: string, due: string): void {
    if (real !== due) throw new Error(`state: after ${when} the chart is in ${real}, and the graph says ${due}`);
  }

  /** The chart heard it, did what the graph says, and nothing else before. */
  step({ event, to, legal }: Step, last: boolean): void {
    const name = describeEvent(event);
    const all = this.driver.heard(this.world);
    // What is not legal may be kept from the chart: the client asks it first.
    if (legal) {
      const at = all.findIndex((entry, i) => i >= this.#next && same(event, entry.event));
      if (at < 0) {
        const heard = all.slice(this.#next).map((entry) => describeEvent(entry.event));
        throw new Error(`state: the chart did not hear ${name}, but [${heard.join(' > ')}]`);
      }
      for (const entry of all.slice(this.#next, at)) this.#unchanged(entry, name);
      this.#now = this.#show(to, false);
      this.#expect(name, this.#show(all[at]!.snapshot, true), this.#now);
      this.#next = at + 1;
    }
    if (!last) return;
    for (const entry of all.slice(this.#next)) {
      // What a chart is told back in the same step; the graph has it as the next edge.
      if (legal && this.driver.follows.test(entry.event.type)) return;
      this.#unchanged(entry, name);
    }
  }

  #unchanged(entry: Heard, name: string): void {
    this.#expect(`${describeEvent(entry.event)}, heard beside ${name},`, this.#show(entry.snapshot, true), this.#now);
  }
}

export async function walk<W extends World>(path: Path, driver: Driver<W>): Promise<void> {
  try {
    const world = await driver.begin(path);
    world.check();
    const comparison = STATES ? new Comparison(driver, world, path.start) : undefined;
    for (const [index, step] of path.steps.entries()) {
      driver.chatter?.(world);
      await settle();
      world.check();
      await driver.act(world, step, path, index);
      await settle();
      world.check();
      comparison?.step(step, index === path.steps.length - 1);
    }
    await driver.finish?.(world);
    await world.timeAlone();
    await world.end();
  } finally {
    driver.restore?.();
  }
}
