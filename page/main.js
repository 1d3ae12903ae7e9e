/** The page: what is told goes into a history, and what is shown is one place of it. */
import { Charts, CHARTS } from './charts.js';
import { showClocks } from './clocks.js';
import { byId } from './dom.js';
import { History } from './history.js';
import { onKeys, theme } from './keys.js';
import { listen } from './live.js';
import { showActors, showCounters, showPermissions } from './panels.js';
import { onDropped, readRecording } from './recordings.js';
import { Sequence } from './sequence.js';
import { showHeader, showTimeline } from './frame.js';

let live = new History();
/** @type {{ name: string, history: History } | undefined} */
let recording;
/** The newest tick, and when it came. @type {{ tick: import('./types.js').Tick, came: number } | undefined} */
let pulse;
/** @type {'waiting' | 'open' | 'lost' | 'ended'} */
let link = 'waiting';
let paused = false;
let trouble = '';
let asked = false;

const shown = () => recording?.history ?? live;
const following = () => !paused && !recording && live.atEnd;

const charts = new Charts(() => draw());
const sequence = new Sequence(() => draw());
const choose = charts.choose.bind(charts);

/** Once a frame at most, however much has come. */
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    render();
  });
}

function render() {
  const history = shown();
  const { now } = history;
  const current = following();
  charts.show(now);
  sequence.show(history, current);
  showActors(now, charts.chosen, choose);
  showCounters(current && pulse ? Object.assign(now.clone(), { tick: pulse.tick }) : now);
  showTimeline(history, { paused, recording: recording !== undefined, listed: sequence.listed });
  showHeader(now, { link, paused: paused && !recording, recording: recording?.name, trouble });
  passTime();
}

/** What changes while nothing happens. */
function passTime() {
  const { now } = shown();
  const fresh = following() && pulse && now.closed === undefined && link === 'open' ? pulse : undefined;
  const passed = fresh ? performance.now() - fresh.came : 0;
  const known = recording ? now.tick?.waits : (fresh?.tick.waits ?? now.tick?.waits ?? []);
  showClocks(now.closed === undefined || recording ? known : [], passed);
  showPermissions(now, fresh ? fresh.tick.t + passed : now.t);
}

/** @param {boolean} to */
function pause(to) {
  if (recording) return step(1, false);
  paused = to;
  if (!paused) {
    live.go(live.entries.length);
    sequence.reset();
  }
  draw();
}

/** @param {number} place */
function go(place) {
  if (!recording) paused = true;
  shown().go(place);
  draw();
}

/** @param {1 | -1} by @param {boolean} toTransition */
function step(by, toTransition) {
  /** @param {import('./types.js').Entry} entry */
  const wanted = (entry) => (toTransition ? entry.kind === 'step' && entry.line.event !== '' : sequence.listed(entry));
  go(shown().find(by, wanted));
}

function leave() {
  recording = undefined;
  trouble = '';
  sequence.reset();
  draw();
}

onDropped(async (file) => {
  try {
    recording = { name: file.name, history: await readRecording(file) };
    trouble = '';
    sequence.reset();
  } catch (error) {
    trouble = `${file.name}: ${error instanceof Error ? error.message : 'cannot be read'}`;
  }
  draw();
});

listen({
  reset: (base, missing) => {
    live = new History(base, missing);
    paused = false;
    if (!recording) sequence.reset();
    draw();
  },
  lines: (lines) => {
    live.add(lines, !paused);
    draw();
  },
  tick: (tick) => {
    pulse = { tick, came: performance.now() };
    draw();
  },
  link: (state) => {
    link = state;
    draw();
  },
});

function zoom() {
  const large = document.querySelector('main')?.classList.toggle('large') === true;
  byId('zoom').ariaPressed = String(large);
}

const toggleTheme = theme();
const keys = /** @type {HTMLDialogElement} */ (byId('keys'));
/** @type {[string, () => void][]} */
const buttons = [
  ['pause', () => pause(!paused)],
  ['first', () => go(0)],
  ['prev', () => step(-1, false)],
  ['next', () => step(1, false)],
  ['last', () => go(shown().entries.length)],
  ['back', leave],
  ['theme', toggleTheme],
  ['help', () => keys.showModal()],
  ['zoom', zoom],
];
for (const [id, act] of buttons) byId(id).addEventListener('click', act);
const scrub = /** @type {HTMLInputElement} */ (byId('scrub'));
scrub.addEventListener('input', () => go(scrub.valueAsNumber));

onKeys(
  {
    ' ': () => pause(!paused),
    arrowleft: ({ shiftKey }) => step(-1, shiftKey),
    arrowright: ({ shiftKey }) => step(1, shiftKey),
    home: () => go(0),
    end: () => go(shown().entries.length),
    '/': () => sequence.focusFilter(),
    f: () => charts.toggleFollow(),
    o: () => byId('open').click(),
    l: leave,
    d: toggleTheme,
    z: zoom,
    '?': () => keys.showModal(),
    ...Object.fromEntries(CHARTS.map((name, at) => [String(at + 1), () => charts.choose(name)])),
  },
  () => sequence.clearFilter(),
);
setInterval(passTime, 200);
void charts.load();
