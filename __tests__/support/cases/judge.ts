/** Compares what came out of a run with what its case expects. Every difference is one line of text. */
import { isDeepStrictEqual } from 'node:util';
import type { Choice, Count, Expected, ExpectedCall } from './caseFile.js';
import type { Outcome } from './calls.js';
import type { Answer } from './report.js';

export interface Observed {
  outcomes: Outcome[];
  stats: Readonly<Record<string, number>> | undefined;
  /** Answers to permission requests as the agent received them. */
  permissions: Answer[];
  outOfTurnText: string[];
  sessionState:
    { configValue: Record<string, unknown>; modeId: string | undefined; commands: readonly string[] } | undefined;
  /** `open`, or the reason why it is not. */
  connection: string;
  /** Processes that still lived after everything was closed. */
  living: number[];
  /** Per segment that was started. */
  verdicts: string[][];
  failures: unknown[];
  resolveId: (id: unknown) => unknown;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};
const fits = (choice: Choice, actual: string | undefined): boolean =>
  typeof choice === 'string' ? choice === actual : actual !== undefined && choice['any-of'].includes(actual);
const counts = (expected: Count, actual: number | undefined): boolean =>
  typeof expected === 'number'
    ? expected === actual
    : actual !== undefined && actual >= (expected.min ?? -Infinity) && actual <= (expected.max ?? Infinity);

const SAME = [
  'protocolVersion',
  'sessionId',
  'stopReason',
  'text',
  'updates',
  'cancelRequested',
  'agentErrorCode',
  'capability',
] as const;

export function judge(expected: Expected, seen: Observed): string[] {
  const problems: string[] = [];
  const differ = (what: string, wanted: unknown, got: unknown): void =>
    void problems.push(`${what}: expected ${shown(wanted)}, got ${shown(got)}`);

  if (expected.calls && expected.calls.length !== seen.outcomes.length) {
    differ('number of calls', expected.calls.length, seen.outcomes.length);
  }
  expected.calls?.forEach((call, i) => judgeCall(call, seen.outcomes[i], `call ${i + 1} ${call.call}`, differ));

  for (const [name, count] of Object.entries(expected.stats ?? {})) {
    const actual = seen.stats && Object.hasOwn(seen.stats, name) ? seen.stats[name] : undefined;
    if (!counts(count, actual)) differ(`stats.${name}`, count, actual);
  }
  if (expected.permissions) judgePermissions(expected.permissions, seen, differ);
  if (expected.outOfTurnText && !isDeepStrictEqual(expected.outOfTurnText, seen.outOfTurnText)) {
    differ('outOfTurnText', expected.outOfTurnText, seen.outOfTurnText);
  }
  for (const [name, value] of Object.entries(expected.sessionState ?? {})) {
    const actual = seen.sessionState?.[name as keyof NonNullable<Observed['sessionState']>];
    if (!isDeepStrictEqual(value, actual)) differ(`sessionState.${name}`, value, actual);
  }
  const wanted = expected.connection;
  if (wanted !== undefined && !(wanted === 'closed' ? seen.connection !== 'open' : wanted === seen.connection)) {
    differ('connection', wanted, seen.connection);
  }
  if (expected.processGone && seen.living.length > 0) differ('living processes', [], seen.living);

  seen.verdicts.forEach((verdicts, i) => {
    const failed = verdicts.filter((verdict) => verdict !== 'OK');
    if (failed.length > 0) differ(`agent ${i + 1}`, 'OK', failed);
    else if (verdicts.length === 0 && expected.agentScriptCompletes !== false)
      differ(`agent ${i + 1}`, 'OK', 'no verdict');
  });
  for (const text of expected.errorsExclude ?? []) {
    const telling = seen.failures.flatMap(formsOf).find((form) => form.includes(text));
    if (telling !== undefined) differ(`errors without ${shown(text)}`, 'none', telling);
  }
  return problems;
}

function judgeCall(
  wanted: ExpectedCall,
  got: Outcome | undefined,
  name: string,
  differ: (what: string, wanted: unknown, got: unknown) => void,
): void {
  if (!got) return differ(name, wanted.outcome, undefined);
  if (!fits(wanted.outcome, got.outcome)) differ(`${name} outcome`, wanted.outcome, got.outcome);
  for (const field of SAME) {
    if (wanted[field] !== undefined && wanted[field] !== got[field])
      differ(`${name} ${field}`, wanted[field], got[field]);
  }
  const { textLength, textEnds, withinMs } = wanted;
  if (textLength !== undefined && textLength !== got.text?.length)
    differ(`${name} textLength`, textLength, got.text?.length);
  if (textEnds !== undefined && !got.text?.endsWith(textEnds))
    differ(`${name} textEnds`, textEnds, got.text?.slice(-100));
  if (withinMs && !(got.ms >= withinMs[0] && got.ms <= withinMs[1])) differ(`${name} ms`, withinMs, Math.round(got.ms));
}

function judgePermissions(
  wanted: NonNullable<Expected['permissions']>,
  seen: Observed,
  differ: (what: string, wanted: unknown, got: unknown) => void,
): void {
  const got = seen.permissions.map(({ id, result, error }) => ({
    requestId: id,
    outcome: error ? 'error' : result?.outcome?.outcome,
    optionId: result?.outcome?.optionId,
  }));
  const same =
    got.length === wanted.length &&
    wanted.every(
      ({ requestId, outcome, optionId }, i) =>
        seen.resolveId(requestId) === got[i]?.requestId &&
        fits(outcome, got[i]?.outcome) &&
        (optionId === undefined || optionId === got[i]?.optionId),
    );
  if (!same) differ('permissions', wanted, got);
}

/** Message, string form and JSON form of an error and of what caused it. */
function formsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error), shown(error)];
  const own = [error.message, String(error), JSON.stringify(error)];
  return error.cause === undefined ? own : [...own, ...formsOf(error.cause)];
}
