/** The tests of one chart: every path of its models on the real client, and what that adds up to. */
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Coverage } from './coverage.js';
import { describeEvent, describeState, pathsOf, type Model, type Path } from './model.js';
import { STATES, walk, type Driver } from './walk.js';
import type { World } from './world.js';

/** Edge pairs instead of edges: `npm run test:pairs`. */
const PAIRS = process.env['THOROUGH'] === '1';

/** The first failure is enough: `npm run mutants`. */
const BAIL = process.env['PATHS_BAIL'] === '1';

export interface Suite<W extends World> {
  chart: string;
  models: readonly Model[];
  coverage: Coverage;
  driver: Driver<W>;
  /** Edges that only a broken chart or port can make, as `state + event`. */
  faults: readonly string[];
  /** Transitions that are declared for nothing else. */
  onlyByFaults: readonly string[];
}

const faultOf = ({ steps, start }: Path): string[] => {
  const { event, reach } = steps.at(-1)!;
  return reach === 'fault' ? [`${describeState(steps.at(-2)?.to ?? start)} + ${describeEvent(event)}`] : [];
};

export function suiteOf<W extends World>({ chart, models, coverage, driver, faults, onlyByFaults }: Suite<W>): void {
  const suites = models.map((model) => ({ name: model.name, paths: pathsOf(model, { pairs: PAIRS }) }));
  const paths = suites.flatMap((suite) => suite.paths);

  let failed = false;
  describe.each(suites)('$name', (suite) => {
    it.each(suite.paths.map((path) => [path.name, path] as const))('%s', async (_name, path) => {
      if (failed && BAIL) return;
      coverage.byFault = path.steps.some(({ reach }) => reach === 'fault');
      failed = true;
      await walk(path, driver);
      failed = false;
    });
  });

  // A mutant of a chart has edges of its own: only the agent's books are asked about it.
  if (STATES) {
    describe(`the ${chart} chart`, () => {
      it('has no transition that the real client was not seen to take', () => {
        expect(coverage.taken('not')).toEqual([]);
      });

      it('has no transition that only a fault takes, but those that are there for faults', () => {
        expect(coverage.taken('by faults').sort()).toEqual([...onlyByFaults].sort());
      });

      it('can be made to do by a broken chart or port what nothing else makes it do, and no more than this', () => {
        expect([...new Set(paths.flatMap(faultOf))].sort()).toEqual([...faults].sort());
      });
    });
  }

  afterAll(() => {
    const walked = coverage.declared - coverage.taken('not').length;
    const reached = [...new Set(paths.flatMap(faultOf))].sort().map((edge) => `\n  by a fault: ${edge}`);
    const missed = coverage.taken('not').map((name) => `\n  NOT WALKED: ${name}`);
    process.stdout.write(
      `${chart}: ${walked} of ${coverage.declared} transitions walked, in ${paths.length} paths` +
        `${[...reached, ...missed].join('')}\n`,
    );
  });
}
