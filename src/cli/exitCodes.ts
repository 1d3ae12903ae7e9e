/** What the exit code says. Scripts depend on it: no number changes its meaning. */
import type { AcpError, ErrorKind, TurnResult } from '../index.js';

export const EXIT = {
  completed: 0,
  /** Something was asked for that cannot be: an option, a value, what the agent does not advertise. */
  usage: 1,
  authRequired: 3,
  cancelled: 4,
  /** The agent lives and did not do it: a refusal, a limit of its own, an error for an answer. */
  refused: 5,
  bound: 6,
  /** The agent died, could not be started, or does not speak the protocol. */
  agent: 7,
  /** What was looked for was found: breaches of the protocol, a divergence from a recording. */
  found: 8,
  /** A fault of acp-turnstile itself, or of where its output goes. */
  internal: 70,
  // 128 and the number of the signal, as shells have it.
  hangup: 129,
  killed: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

const OF_KIND: Record<ErrorKind, number> = {
  'invalid-argument': EXIT.usage,
  'capability-absent': EXIT.usage,
  'auth-required': EXIT.authRequired,
  'agent-error': EXIT.refused,
  busy: EXIT.refused,
  idle: EXIT.bound,
  absolute: EXIT.bound,
  'request-limit': EXIT.bound,
  'write-timeout': EXIT.bound,
  'cancel-unconfirmed': EXIT.bound,
  'spawn-failed': EXIT.agent,
  'agent-exited': EXIT.agent,
  io: EXIT.agent,
  'frame-too-large': EXIT.agent,
  protocol: EXIT.agent,
  'version-unsupported': EXIT.agent,
  'scope-mismatch': EXIT.agent,
  closed: EXIT.agent,
  'illegal-transition': EXIT.internal,
};

const OF_OUTCOME: Record<TurnResult['outcome'], number> = {
  completed: EXIT.completed,
  cancelled: EXIT.cancelled,
  refused: EXIT.refused,
  limit: EXIT.refused,
  other: EXIT.refused,
};

/** A connection that is over counts as what ended it; an agent that refuses the handshake, as one that does not start. */
export function exitCodeOf(error: AcpError): number {
  if (error.kind === 'agent-error' && error.phase === 'initialize') return EXIT.agent;
  return OF_KIND[error.kind === 'closed' ? error.reason : error.kind];
}

export const exitCodeOfOutcome = (outcome: TurnResult['outcome']): number => OF_OUTCOME[outcome];

export const EXIT_HELP = `Exit codes:
  0    completed
  1    used wrongly, or the agent does not have what was asked for
  3    the agent asks for a login first
  4    cancelled
  5    the agent refused, reached a limit of its own, or answered with an error
  6    a bound was reached: silence, time in all, or no confirmation of a stop
  7    the agent died, could not be started, or does not speak the protocol
  8    lint found breaches, or a replay has diverged
  70   a fault of acp-turnstile itself
  129, 130, 143   ended by SIGHUP, a second Ctrl-C, SIGTERM
  141  whoever read the output has gone`;
