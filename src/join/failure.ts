/** A failure as the floors below the public errors know it: facts by name, agent text apart. */
import type { ExitInfo } from '../process/agentProcess.js';
import type { AuthMethod } from '../wire/normal.js';
import type { BudgetReport } from '../policy/watch.js';
import type { TurnHeard } from './heard.js';

export type ErrorKind =
  | 'spawn-failed'
  | 'io'
  | 'frame-too-large'
  | 'protocol'
  | 'version-unsupported'
  | 'auth-required'
  | 'capability-absent'
  | 'idle'
  | 'absolute'
  | 'request-limit'
  | 'write-timeout'
  | 'cancel-unconfirmed'
  | 'agent-exited'
  | 'agent-error'
  | 'scope-mismatch'
  | 'busy'
  | 'illegal-transition'
  | 'closed'
  | 'invalid-argument';

export type Phase = 'spawn' | 'initialize' | 'authenticate' | 'session' | 'turn' | 'request' | 'close';

/** What the agent said of a failure. Shown only where the embedding program asked for it. */
export interface AgentSaid {
  message?: string | undefined;
  data?: unknown;
}

export interface Failure {
  kind: ErrorKind;
  phase: Phase;
  sessionId?: string | undefined;
  agentCode?: number | undefined;
  capability?: string | undefined;
  argument?: string | undefined;
  offered?: readonly string[] | undefined;
  /** Of `tools`: a stable code, and the position of the declaration at fault. Never its content. */
  detail?: { code: string; server: number | undefined } | undefined;
  budget?: BudgetReport | undefined;
  exit?: ExitInfo | undefined;
  state?: string | undefined;
  /** Of a refusal because the connection is over: why it is. */
  reason?: ErrorKind | undefined;
  authMethods?: readonly AuthMethod[] | undefined;
  turn?: TurnHeard | undefined;
  said?: AgentSaid | undefined;
  cause?: unknown;
}
