/** A deterministic world, two thousand times over. `npm run simulate` runs more of them, and cuts down what fails. */
import { describe, expect, it } from '@jest/globals';
import { BUGS } from './support/simulation/bugs.js';
import { replay, runSeed, type Report } from './support/simulation/run.js';
import { printed } from './support/simulation/script.js';
import { shrink } from './support/simulation/shrink.js';

const SEEDS = 2_000;
const STEPS = 60;
/** Seeds are run so many to a test, so that a red one says where. */
const BATCH = 250;
const LIMIT_MS = 120_000;

/** How turns and connections ended, in all worlds together. */
const seen = new Map<string, number>();
async function world(seed: number): Promise<Report> {
  const report = await runSeed(seed, STEPS);
  for (const [outcome, times] of report.outcomes) seen.set(outcome, (seen.get(outcome) ?? 0) + times);
  return report;
}

/** What a person needs to play a failure again: the words, the seed, and the script cut down. */
async function told(report: Report): Promise<string> {
  const least = await shrink(report);
  return `seed ${report.script.setup.seed}: ${report.violation}\n${printed(least.script)}`;
}

describe('a simulated world', () => {
  const batches = Array.from({ length: SEEDS / BATCH }, (_, i) => 1 + i * BATCH);

  it.each(batches)(
    `keeps every invariant at every step, in ${BATCH} seeds from %d`,
    async (from) => {
      let steps = 0;
      for (let seed = from; seed < from + BATCH; seed += 1) {
        const report = await world(seed);
        steps += report.steps;
        if (report.violation !== undefined) throw new Error(await told(report));
      }
      expect(steps).toBeGreaterThan(BATCH * STEPS * 0.4);
    },
    LIMIT_MS,
  );

  it('is the same world for the same seed, and its script plays the same world again', async () => {
    const [once, again] = [await runSeed(7, 200), await runSeed(7, 200)];
    expect(again.script).toEqual(once.script);
    expect(again.world.agentSide.received).toEqual(once.world.agentSide.received);
    const replayed = await replay(once.script);
    expect(replayed.world.agentSide.received).toEqual(once.world.agentSide.received);
    expect(replayed.outcomes).toEqual(once.outcomes);
  });

  it(
    'has seen every way in which a turn and a connection can end',
    async () => {
      const turns = ['completed', 'cancelled', 'refused', 'limit', 'other', 'protocol', 'agent-error', 'auth-required'];
      const losses = ['closed', 'agent-exited', 'io', 'frame-too-large', 'cancel-unconfirmed', 'scope-mismatch'];
      const expected = [
        ...[...turns, ...losses, 'idle', 'absolute'].map((end) => `turn: ${end}`),
        ...[...losses, 'write-timeout'].map((reason) => `connection: ${reason}`),
        ...['cancelled', 'busy', 'closed'].map((end) => `turn not sent: ${end}`),
      ];
      const missing = (): string[] => expected.filter((end) => !seen.has(end));
      for (let seed = 1; seed <= SEEDS && missing().length > 0; seed += 1) await world(seed);
      expect(missing()).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('the simulation itself', () => {
  it.each(BUGS.map((bug) => [bug.name, bug] as const))(
    'finds that %s, and cuts the script down',
    async (_name, bug) => {
      const mend = bug.apply();
      try {
        let failed: Report | undefined;
        for (let seed = 1; seed <= 300 && !failed; seed += 1) {
          const report = await runSeed(seed, STEPS);
          if (report.violation !== undefined) failed = report;
        }
        expect(failed?.violation).toMatch(bug.found);
        const least = await shrink(failed as Report, 150);
        expect(least.script.actions.length).toBeLessThan(20);
      } finally {
        mend();
      }
    },
    LIMIT_MS,
  );
});
