/** Results as Markdown. */
import os from 'node:os';
import { table, written } from './numbers.mjs';
import { scenarioNames, scenarioOf } from './scenarios.mjs';
import { targets } from './targets.mjs';

const UNITS = {
  cpuUs: 'CPU, µs each',
  wallMs: 'wall, ms',
  peakMB: 'peak, MB',
  p50Us: 'p50, µs',
  p99Us: 'p99, µs',
  heapKB: 'heap, KB each',
  openMs: 'open all, ms',
  grownMB: 'grown, MB',
  cancelMs: 'cancel, ms',
  importMs: 'import, ms',
  connectMs: 'and the first connect, ms',
  pages: 'pages touched first',
  heapBytesPerTurn: 'heap, B a turn',
  childGone: 'child gone',
};
const GROWTH = {
  updates: 'µs an update, of so many in a turn',
  pending: 'µs a request, of so many pending at once',
  opened: 'µs to open a session, of so many on a connection',
  turns: 'µs a turn, beside so many sessions',
};

const verdict = (met) => (met === undefined ? 'not measured' : met ? 'met' : '**missed**');

export function targetTable(results) {
  return table(
    ['work', 'target', 'measured', ''],
    targets.map(({ work, target, read }) => {
      const { value, met } = read(results);
      return [work, target, value, verdict(met)];
    }),
  );
}

function scenarioTable(results, name, quick) {
  const { title, drivers, measures, reference } = scenarioOf(name, quick);
  const [first] = measures;
  const head = ['', 'runs', ...measures.map((measure) => UNITS[measure] ?? measure)];
  if (reference) head.push(`× ${reference}, ${UNITS[first].split(',')[0]}`);
  const rows = Object.keys(drivers).map((driver) => {
    const runs = results.rows(name, driver);
    const failed = runs.find((row) => row.failed !== undefined)?.failed;
    const cells = [
      driver,
      failed ?? runs.length,
      ...measures.map((measure) => written(results.of(name, driver, measure))),
    ];
    return reference ? [...cells, written(results.ratio(name, driver, reference, first))] : cells;
  });
  return `### ${title}\n\n${table(head, rows)}`;
}

function growthTable(results) {
  const [row] = results.rows('growth', 'ours');
  if (!row || row.failed) return `### Cost as work grows\n\n${row?.failed ?? 'not measured'}`;
  const lists = Object.entries(GROWTH).map(([list, what]) => {
    const counts = row[list].map(({ count }) => count.toLocaleString('en'));
    return table([what, ...counts], [['', ...row[list].map(({ us }) => written(us))]]);
  });
  return `### Cost as work grows\n\n${lists.join('\n\n')}`;
}

export function report(results, { quick, versions, loads }) {
  const [cpu] = os.cpus();
  const measured = scenarioNames.filter((name) => results.has(name));
  return `# Results

Written by \`npm run bench${quick ? ' -- --quick' : ''}\`. ${quick ? 'A quick run: less work, fewer repetitions. ' : ''}Medians, drivers interleaved, each measurement in a process of its own.

- ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC
- ${os.cpus().length} × ${cpu.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}; load ${loads.map(written).join(' at the start, ')} at the end
- ${versions.join(', ')}

## Targets

${targetTable(results)}

## Measurements

${measured.map((name) => (name === 'growth' ? growthTable(results) : scenarioTable(results, name, quick))).join('\n\n')}
`;
}
