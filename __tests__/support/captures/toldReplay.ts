/** What came of a whole replay, as the truth table has it. */
import type { AcpError, Stats } from '../../../src/index.js';
import type { Call } from './caller.js';
import type { Replay } from './replay.js';
import { row } from './told.js';

/** The counters of the connection; those of a failed `connect` are in its error. */
export function statsOf({ caller }: Replay): Stats {
  const [connecting] = caller.calls;
  return caller.agent?.stats ?? (connecting?.end?.error as AcpError).stats;
}

export function told(replayed: Replay): string[] {
  const { caller, peer, capture, closeReason } = replayed;
  const { notified, phases, sessions } = caller;
  const commands = [...sessions.values()].map((session) => session.commands.length);
  const malformed = capture.entries.filter(({ kind }) => kind === 'raw').length;
  const parts: [string, string][] = [
    ['phases', counted(phases)],
    ['commands', commands.join(' ')],
    ['notified', counted(tally(notified))],
    ['left out', malformed === 0 ? '' : `${malformed} malformed lines of the client`],
    ['missing', peer.missing.join(' ')],
    ['unasked', peer.unasked.map((frame) => JSON.stringify(frame)).join(' ')],
    ['ended', closeReason ?? ''],
    ['counters', counters(statsOf(replayed))],
  ];
  return [
    ...repeated(caller.calls.flatMap(toldCall)),
    ...parts.filter(([, text]) => text !== '').map((part) => row(...part)),
  ];
}

/** The same line several times over, as one. */
function repeated(lines: readonly string[]): string[] {
  const firsts = lines.map((line, i) => (line === lines[i - 1] ? undefined : i)).filter((i) => i !== undefined);
  return firsts.map((from, n) => {
    const times = (firsts[n + 1] ?? lines.length) - from;
    return times === 1 ? lines[from]! : `${lines[from]!}, ${times} times`;
  });
}

function toldCall({ label, sent, end }: Call): string[] {
  const [first = '', ...rest] = end?.told ?? ['never settled'];
  return [row(label, sent ? first : `unsent: ${first}`), ...rest];
}

/** All that are not zero, but for those of bytes, which our own name and ids change. */
function counters({ framesIn, framesOut, bytesIn: _in, bytesOut: _out, ...rest }: Stats): string {
  const odd = Object.entries(rest as Record<string, number>).filter(([, count]) => count > 0);
  return [`${framesIn} in`, `${framesOut} out`, ...odd.map(([name, count]) => `${count} ${name}`)].join(', ');
}

const counted = (of: Record<string, number>): string =>
  Object.entries(of)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const tally = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]));
