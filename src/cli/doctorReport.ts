/** What `doctor` found, in lines of at most 80 columns or as one object. */
import type { AcpError } from '../index.js';
import type { Asking } from './asksPermission.js';
import type { Checkup, Step } from './checkup.js';
import { DOCTOR_EXIT, isNoAgent, type Verdict } from './doctorVerdict.js';
import { formatDuration } from './durations.js';
import type { Colors } from './output.js';
import { counted, oneLine, widthOf } from './printable.js';

const COLUMNS = 80;
const LABEL_COLUMNS = 15;
const CELL_COLUMNS = 31;
const LONGEST = 60;
const LEFT_SHOWN = 3;

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

const ORDER: readonly Step['name'][] = [
  ...(['spawn', 'initialize', 'log in', 'new session'] as const),
  ...(['cancel', 'close session', 'end'] as const),
];
const SHOWN: Record<Step['state'], string> = {
  ok: 'ok',
  failed: 'FAILED',
  login: 'login needed',
  absent: 'not advertised',
  'not tried': 'not tried',
  'not spoken': 'not spoken',
};
const HAS_TIME: ReadonlySet<Step['state']> = new Set(['ok', 'failed']);
const HAS_NOTE: ReadonlySet<Step['state']> = new Set(['ok', 'failed', 'not tried']);
const SAYS: Record<Verdict, string> = {
  ok: 'it can be driven',
  failed: 'it cannot be relied on as it is',
  'not-acp': 'it does not speak ACP',
  'needs-login': 'it asks for a login first',
};

function paint({ green, red, yellow, dim }: Colors, state: Step['state'], text: string): string {
  if (state === 'ok') return green(text);
  if (state === 'failed') return red(text);
  return state === 'login' ? yellow(text) : dim(text);
}

function cell(step: Step | undefined, colors: Colors): string {
  if (!step) return pad('-', CELL_COLUMNS);
  const { state, ms, note } = step;
  const time = HAS_TIME.has(state) && ms !== undefined ? formatDuration(ms).padStart(7) : '';
  const told = note === undefined || !HAS_NOTE.has(state) ? '' : `  ${note}`;
  const text = `${time === '' ? SHOWN[state] : pad(SHOWN[state], 6)}${time}${told}`;
  return paint(colors, state, pad(text, CELL_COLUMNS));
}

function leftCell({ left, steps }: Checkup, colors: Colors): string {
  if (!left) return pad(steps.some(({ name }) => name === 'end') ? 'not known on this system' : '-', CELL_COLUMNS);
  if (left.length === 0) return colors.green(pad('nothing', CELL_COLUMNS));
  return colors.red(pad(counted(left.length, 'process', 'processes'), CELL_COLUMNS));
}

/** Who it is, and a column for each version. */
export function tableLines(checkups: readonly Checkup[], colors: Colors): string[] {
  const info = checkups.map((one) => one.info).find((one) => one !== undefined);
  const title = info?.title === undefined || info.title === info.name ? '' : ` (${oneLine(info.title, LONGEST / 2)})`;
  const who = info ? [`${oneLine(`${info.name} ${info.version}`, LONGEST / 2 + 14)}${title}`, ''] : [];
  const row = (label: string, cells: readonly string[]): string =>
    `  ${pad(label, LABEL_COLUMNS)}${cells.join('')}`.trimEnd();
  const steps = ORDER.filter((name) => checkups.some((one) => one.steps.some((step) => step.name === name)));
  return [
    ...who,
    row(
      '',
      checkups.map(({ version }) => colors.bold(pad(`version ${version}`, CELL_COLUMNS))),
    ),
    ...steps.map((name) =>
      row(
        name,
        checkups.map((one) =>
          cell(
            one.steps.find((step) => step.name === name),
            colors,
          ),
        ),
      ),
    ),
    row(
      'left behind',
      checkups.map((one) => leftCell(one, colors)),
    ),
    ...checkups.flatMap(leftLines),
    ...checkups.filter(isNoAgent).flatMap(wroteLines),
  ];
}

/** What came in place of an answer. */
function wroteLines({ error }: Checkup): string[] {
  const { bytesIn = 0, skippedFrames = 0 } = error?.stats ?? {};
  if (bytesIn === 0) return ['', '  It wrote nothing to its stdout.'];
  const lines = skippedFrames === 0 ? '' : `, with ${counted(skippedFrames, 'line')} that are no messages`;
  return ['', `  It wrote ${counted(bytesIn, 'byte')}${lines}.`];
}

function leftLines({ version, left = [] }: Checkup): string[] {
  const shown = left.slice(0, LEFT_SHOWN).map(({ pid, name }) => `${pid} (${oneLine(name, LABEL_COLUMNS)})`);
  if (shown.length === 0) return [];
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : '';
  return ['', `  Version ${version} left running: ${shown.join(', ')}${more}`];
}

/** Whether anybody is asked before it acts. */
export function askingLines(checkups: readonly Checkup[]): string[] {
  const asking = checkups.flatMap((one) => one.asking ?? []);
  const lines = new Set(asking.map((one) => askingLine(one).join('\n')));
  return lines.size === 0 ? [] : ['', ...[...lines].flatMap((text) => text.split('\n'))];
}

const yesNo = (asks: boolean): string => (asks ? 'yes' : 'no');

function askingLine({ mode, asks, says }: Asking): string[] {
  const head = 'Asks for permission in the mode that it starts in:';
  if (mode === undefined) return [`${head} unknown`, '  It advertises no mode; only a turn could show it.'];
  const words = oneLine(says === undefined ? mode : `${mode}: ${says}`, COLUMNS - 2);
  if (asks !== undefined) return [`${head} ${yesNo(asks)}, by its own words`, `  ${words}`];
  return [`${head} unknown`, `  ${words}`, '  These words do not tell; only a turn could show it.'];
}

const CALLED: Record<Verdict, string> = {
  ok: 'ok',
  failed: 'failed',
  'not-acp': 'not ACP',
  'needs-login': 'needs a login',
};

export function verdictLine(verdict: Verdict, checkups: readonly Checkup[], colors: Colors): string {
  const color = { ok: colors.green, failed: colors.red, 'not-acp': colors.red, 'needs-login': colors.yellow }[verdict];
  const spoken = checkups.filter(({ info }) => info !== undefined).map(({ version }) => version);
  const versions = verdict === 'ok' ? `, in version ${spoken.join(' and ')}` : '';
  return `${color(colors.bold(CALLED[verdict]))}: ${SAYS[verdict]}${versions}`;
}

const errorOf = (error: AcpError | undefined): Record<string, unknown> | undefined =>
  error && { ...error, message: error.message };

/** The same for programs. */
export function doctorJson(verdict: Verdict, checkups: readonly Checkup[]): Record<string, unknown> {
  const info = checkups.map((one) => one.info).find((one) => one !== undefined);
  return {
    verdict,
    exitCode: DOCTOR_EXIT[verdict],
    ...(info && { agent: { name: info.name, title: info.title, version: info.version } }),
    versions: checkups.map(({ version, info: spoken, steps, asking, left, error }) => ({
      version,
      spoken: spoken !== undefined,
      steps: steps.map((step) => ({ ...step, ...(step.ms !== undefined && { ms: Math.round(step.ms) }) })),
      ...(asking && { permission: { ...asking, asks: asking.asks ?? 'unknown' } }),
      left: left ?? null,
      ...(error && { error: errorOf(error) }),
    })),
  };
}
