/** What `lint` does. */
import type { Command } from 'commander';
import { type Breach, lint } from '../inspect/lint/lint.js';
import { EXIT } from './exitCodes.js';
import type { LintFlags } from './flags.js';
import type { Invocation } from './invocation.js';
import { jsonLine } from './jsonLines.js';
import type { Colors, Output } from './output.js';
import { counted, oneLine } from './printable.js';
import { readRecordingFile } from './readRecordingFile.js';

const COLUMNS = 80;
const LINE_COLUMNS = 6;
const SIDE_COLUMNS = 9;
const SESSION_COLUMNS = 14;
const HEAD_COLUMNS = LINE_COLUMNS + SIDE_COLUMNS + SESSION_COLUMNS;
const LONGEST = 300;

export function lintFiles(
  files: readonly string[],
  flags: LintFlags,
  command: Command,
  { output }: Invocation,
): number {
  let found = 0;
  for (const file of files) {
    const recording = readRecordingFile(file, command, output);
    const breaches = lint(recording);
    found += breaches.length;
    if (flags.json) {
      for (const { line, by, session, rule, says } of breaches) {
        void output.text(jsonLine({ file, line, side: by, session, rule, says }));
      }
    } else print(file, breaches, recording.frames.length, output);
  }
  return found === 0 ? EXIT.completed : EXIT.found;
}

function print(file: string, breaches: readonly Breach[], frames: number, output: Output): void {
  const { bold, green, red } = output.colors;
  const of = (side: string): number => breaches.filter(({ by }) => by === side).length;
  const sum =
    breaches.length === 0
      ? green(`clean, ${counted(frames, 'frame')}`)
      : red(`${counted(breaches.length, 'breach', 'breaches')}: agent ${of('agent')}, client ${of('client')}`);
  const lines = breaches.flatMap((breach) => row(breach, output.colors));
  void output.styled(`${[`${bold(oneLine(file, LONGEST))}: ${sum}`, ...lines].join('\n')}\n`);
}

/** The end of an id tells sessions apart better than its beginning, which is often a date. */
function shortId(session: string | undefined): string {
  const id = oneLine(session ?? '-', LONGEST);
  return id.length < SESSION_COLUMNS ? id : `…${id.slice(2 - SESSION_COLUMNS)}`;
}

function row({ line, by, session, rule, says }: Breach, { bold, cyan, dim, magenta }: Colors): string[] {
  const [first = '', ...rest] = wrapped(oneLine(`${rule}: ${says}`, LONGEST), COLUMNS - HEAD_COLUMNS - 1);
  const side = (by === 'agent' ? cyan : magenta)(`  ${by}`.padEnd(SIDE_COLUMNS));
  const head = `${String(line).padStart(LINE_COLUMNS)}${side}${dim(shortId(session).padEnd(SESSION_COLUMNS))}`;
  return [
    `${head} ${first.replace(rule, bold(rule))}`,
    ...rest.map((more) => `${' '.repeat(HEAD_COLUMNS + 1)}${more}`),
  ];
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else for (let at = 0; at < word.length; at += columns) lines.push(word.slice(at, at + columns));
  }
  return lines;
}
