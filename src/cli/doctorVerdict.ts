/** What `doctor` makes of the check-ups of both versions. */
import type { AcpError } from '../index.js';
import type { Checkup } from './checkup.js';

export type Verdict = 'ok' | 'failed' | 'not-acp' | 'needs-login';

/** Scripts depend on it: no number changes its meaning. */
export const DOCTOR_EXIT: Record<Verdict, number> = { ok: 0, failed: 1, 'not-acp': 2, 'needs-login': 3 };

const METHOD_NOT_FOUND = -32601;
/** It was started, and gave no answer to `initialize` that could be one. */
const NO_ANSWER: ReadonlySet<AcpError['kind']> = new Set([
  ...(['agent-exited', 'closed', 'io', 'protocol', 'frame-too-large'] as const),
  ...(['idle', 'absolute', 'request-limit', 'write-timeout'] as const),
]);

/** Nothing that it said was of the protocol. */
export function isNoAgent({ info, error }: Checkup): boolean {
  if (info || error?.phase !== 'initialize') return false;
  return NO_ANSWER.has(error.kind) || (error.kind === 'agent-error' && error.agentCode === METHOD_NOT_FOUND);
}

const has = ({ steps }: Checkup, state: string): boolean => steps.some((step) => step.state === state);

export function verdictOf(checkups: readonly Checkup[]): Verdict {
  if (checkups.every(isNoAgent)) return 'not-acp';
  if (checkups.every((one) => has(one, 'not spoken'))) return 'failed';
  if (checkups.some((one) => has(one, 'failed') || (one.left?.length ?? 0) > 0)) return 'failed';
  return checkups.some((one) => has(one, 'login')) ? 'needs-login' : 'ok';
}
