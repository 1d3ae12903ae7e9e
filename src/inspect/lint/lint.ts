/** Breaches of the protocol in a recording, by both sides, in the order of its lines. */
import type { RecordedFrame, RecordedGarbage, Recording } from '../recording.js';
import type { Breach, Rules } from './breach.js';
import { Correlation } from './correlation.js';
import { MethodRules } from './methods.js';
import { PermissionRules } from './permissions.js';
import { SessionRules } from './sessions.js';

export type { Breach };

const isFrame = (entry: RecordedFrame | RecordedGarbage): entry is RecordedFrame => 'm' in entry;

export function lint({ frames, garbage, cut, full, closed }: Recording): Breach[] {
  const breaches: Breach[] = [];
  const tell = (breach: Breach): void => void breaches.push(breach);
  const correlation = new Correlation(tell);
  const methods = new MethodRules(tell);
  const rules: readonly Rules[] = [methods, new PermissionRules(tell), new SessionRules(tell, () => methods.version)];
  for (const entry of [...frames, ...garbage].sort((a, b) => a.line - b.line)) {
    if (!isFrame(entry)) {
      correlation.garbage(entry);
      continue;
    }
    const seen = correlation.read(entry);
    if (seen) for (const rule of rules) rule.frame(seen);
  }
  const ending = { partial: cut || full, closed };
  for (const rule of [correlation, ...rules]) rule.end?.(ending);
  return breaches.filter((breach) => !saidBetter(breach, breaches)).sort((a, b) => a.line - b.line);
}

/** A question that had to be answered `cancelled` and never was is one breach, not two. */
const saidBetter = ({ line, rule }: Breach, all: readonly Breach[]): boolean =>
  rule === 'unanswered' && all.some((one) => one.line === line && one.rule === 'cancelled-missing');
