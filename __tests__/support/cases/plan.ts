/** Starts the calls of a host plan at their time: after all before them, or at an event. */
import type { CaseFile } from './caseFile.js';
import { carryOut, type Outcome } from './calls.js';
import type { Host } from './host.js';

/** Allowed beyond the longest time that the case expects of a call; beyond this where it expects none. */
const SPARE_MS = 10_000;
const UNBOUNDED_MS = 20_000;

/** Events that happen once, awaited before or after they did. */
export class Happenings {
  readonly #all = new Map<string, { happened: Promise<void>; happen: () => void }>();

  fire(name: string): void {
    this.#of(name).happen();
  }
  wait(name: string): Promise<void> {
    return this.#of(name).happened;
  }
  #of(name: string): { happened: Promise<void>; happen: () => void } {
    let one = this.#all.get(name);
    if (!one) {
      let happen = (): void => undefined;
      const happened = new Promise<void>((resolve) => (happen = resolve));
      this.#all.set(name, (one = { happened, happen }));
    }
    return one;
  }
}

/** Timers that can all be dropped at once: a host may still mean to decide when the case is over. */
export class Sleeper {
  readonly #timers = new Set<NodeJS.Timeout>();

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

export async function carryOutPlan(
  file: CaseFile,
  host: Host,
  happenings: Happenings,
  failures: unknown[],
): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = [];
  const nearest = (i: number, call: string): number => file.client.slice(0, i).findLastIndex((c) => c.call === call);

  const event = async (when: string, i: number): Promise<void> => {
    if (when === 'sent') return happenings.wait(`sent:${nearest(i, 'prompt')}`);
    const afterCancel = /^cancel\+(\d+)$/.exec(when)?.[1];
    if (afterCancel === undefined) return happenings.wait(when);
    await happenings.wait(`started:${nearest(i, 'cancel')}`);
    await host.sleep(Number(afterCancel));
  };

  const run = async (i: number): Promise<Outcome> => {
    const call = file.client[i]!;
    const never = (what: string): Outcome => ({ call: call.call, outcome: `it never ${what}`, ms: NaN });
    const before = Promise.all(outcomes.slice(0, i));
    if (call.when === undefined) await before;
    else {
      const tooLate = before.then(() => host.sleep(SPARE_MS)).then(() => 'too late' as const);
      if ((await Promise.race([event(call.when, i), tooLate])) === 'too late') return never(`started: no ${call.when}`);
    }
    if (call.after !== undefined) await host.sleep(call.after);
    happenings.fire(`started:${i}`);
    const longest = (file.expected.calls?.[i]?.withinMs?.[1] ?? UNBOUNDED_MS) + SPARE_MS + (call.ms ?? 0);
    const unsettled = host.sleep(longest).then(() => never('settled'));
    return Promise.race([carryOut(host, call, () => happenings.fire(`sent:${i}`), failures), unsettled]);
  };
  for (let i = 0; i < file.client.length; i++) outcomes.push(run(i));
  return Promise.all(outcomes);
}
