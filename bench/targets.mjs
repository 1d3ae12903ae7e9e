/** What was promised, row by row, and what one run says of it. */
import { written } from './numbers.mjs';

const FOR = 'ours, for await';
const ON = 'ours, on(update)';
const QUIET = 'ours, nobody listens';
const DEFAULT_CAP_MB = 64;

const times = (value) => (value === undefined ? '–' : `${value.toFixed(2)} ×`);

/** One ratio of one driver, at most `most`. */
const ratio = (work, scenario, driver, reference, measure, most) => ({
  work: `${work}, ${driver}`,
  target: `≤ ${most} × ${reference}`,
  read: (results) => {
    const value = results.ratio(scenario, driver, reference, measure);
    return { value: times(value), met: value === undefined ? undefined : value <= most };
  },
});

/** One number, at most `most`. */
const number = (work, scenario, driver, measure, most, unit) => ({
  work,
  target: `≤ ${most} ${unit}`,
  read: (results) => {
    const value = results.of(scenario, driver, measure);
    return { value: `${written(value)} ${unit}`, met: value === undefined ? undefined : value <= most };
  },
});

/** The dearest of a list against the cheapest of its first entries: 1 is linear. */
function bend(results, list) {
  const rows = results.rows('growth', 'ours')[0]?.[list];
  return rows && rows.length > 1 ? rows.at(-1).us / Math.min(...rows.slice(0, -1).map(({ us }) => us)) : undefined;
}

const linear = (work, list, most) => ({
  work,
  target: `≤ ${most} × per piece, first to last`,
  read: (results) => {
    const value = bend(results, list);
    return { value: times(value), met: value === undefined ? undefined : value <= most };
  },
});

export const targets = [
  ratio('200 B updates, CPU', 'small', FOR, 'raw', 'cpuUs', 1.6),
  ratio('200 B updates, CPU', 'small', ON, 'raw', 'cpuUs', 1.25),
  ratio('200 B updates, CPU', 'small', QUIET, 'raw', 'cpuUs', 1.25),
  ratio('200 B updates, wall', 'small', FOR, 'raw', 'wallMs', 1.8),
  ratio('64 KB updates, CPU', 'large', FOR, 'raw', 'cpuUs', 1.15),
  ratio('one 64 MB line, wall', 'line', FOR, 'raw', 'wallMs', 1.1),
  ratio('one 64 MB line, peak memory', 'line', FOR, 'raw', 'peakMB', 1),
  ratio('round trips, p50', 'trips', FOR, 'correlate', 'p50Us', 1.15),
  ratio('round trips, CPU', 'trips', FOR, 'correlate', 'cpuUs', 1.3),
  ratio('half garbage, CPU per good frame', 'garbage', FOR, 'correlate', 'cpuUs', 1.5),
  {
    work: '1 GB without a newline, default cap',
    target: `fails at the cap, peak ≤ ${2 * DEFAULT_CAP_MB + 60} MB, child gone`,
    read: (results) => {
      const [ended, peak, gone] = ['ended', 'peakMB', 'childGone'].map((name) => results.of('endless', FOR, name));
      if (ended === undefined) return { value: '–', met: undefined };
      const met = ended === 'frame-too-large' && peak <= 2 * DEFAULT_CAP_MB + 60 && gone === 'true';
      return { value: `${ended}, ${written(peak)} MB, ${gone === 'true' ? 'gone' : 'left'}`, met };
    },
  },
  ...[FOR, ON].map((driver) => ({
    work: `slow consumer, ${driver}`,
    target: '≤ 100 MB above start; cancel, permission and bound work',
    read: (results) => {
      const [row] = results.rows('slow', driver);
      if (row?.grownMB === undefined) return { value: '–', met: undefined };
      const works = row.outcome === 'cancelled' && row.permissions >= 1 && row.bound === 'absolute';
      const told = `${row.outcome}, ${row.permissions} asked, ${row.bound}`;
      return { value: `${written(row.grownMB)} MB; ${told}`, met: row.grownMB <= 100 && works };
    },
  })),
  number('heap of an open connection with a session', 'fleet', FOR, 'heapKB', 25, 'KB'),
  {
    work: '1,000 turns on one session',
    target: 'no growth of heap, timers, listeners',
    read: (results) => {
      const of = (measure) => results.of('manyTurns', 'ours', measure);
      const bytes = of('heapBytesPerTurn');
      if (bytes === undefined) return { value: '–', met: undefined };
      const value = `${written(bytes)} B a turn, ${of('timers')} timers, ${of('listeners')} listeners`;
      return { value, met: bytes <= NO_BYTES && of('timers') <= 0 && of('listeners') <= 0 };
    },
  },
  number('import of the package', 'import', 'ours', 'importMs', 70, 'ms'),
  number('whole turn with one permission', 'wholeTurn', 'ours', 'cpuUs', 150, 'µs CPU'),
  linear('updates in a turn', 'updates', 1.5),
  linear('pending requests', 'pending', 1.5),
  linear('opening sessions (may bend)', 'opened', 3),
  linear('a turn beside that many sessions', 'turns', 1.5),
];

/** What the collector leaves undone between two readings is about as much, one way or the other. */
const NO_BYTES = 64;
