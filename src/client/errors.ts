/** The one error of the library, told apart by `kind`. */
import type { BudgetReport } from '../policy/watch.js';
import type { ExitInfo } from '../process/agentProcess.js';
import { newStats, type Stats } from '../rpc/stats.js';
import type { AuthMethod } from '../wire/normal.js';
import type { ErrorKind, Failure, Phase } from '../join/failure.js';
import type { TurnHeard } from '../join/heard.js';

/** What the agent said, shown only where `connect({ exposeAgentText: true })` asked for it. Not enumerable. */
export interface AgentText {
  message?: string;
  data?: unknown;
  stderr: string;
}

interface AcpErrorBase extends Error {
  readonly name: 'AcpError';
  /** What was being done. */
  readonly phase: Phase;
  readonly sessionId?: string;
  /** The counters of the connection when it happened. */
  readonly stats: Stats;
  /** How the process ended, where it did. */
  readonly exit?: ExitInfo;
  /** What a failed turn had heard. Not enumerable. */
  readonly turn?: TurnHeard;
  readonly agentText?: AgentText;
}

type Told =
  | 'idle'
  | 'absolute'
  | 'request-limit'
  | 'agent-error'
  | 'auth-required'
  | 'capability-absent'
  | 'agent-exited'
  | 'invalid-argument'
  | 'busy'
  | 'illegal-transition'
  | 'closed';

/** A failure of a call, a turn or a connection. No word of the agent's is in its message or its JSON form. */
export type AcpError = AcpErrorBase &
  (
    | { readonly kind: 'idle' | 'absolute' | 'request-limit'; readonly budget: BudgetReport }
    /** The agent's numeric JSON-RPC code. */
    | { readonly kind: 'agent-error'; readonly agentCode: number }
    /** Not enumerable: the agent's words. */
    | { readonly kind: 'auth-required'; readonly authMethods: readonly AuthMethod[] }
    /** v1's dotted path of what the agent does not advertise. */
    | {
        readonly kind: 'capability-absent';
        readonly capability: string;
        /** The argument that needs it, where it is not the call itself. */
        readonly argument?: string;
      }
    | { readonly kind: 'agent-exited' }
    | {
        readonly kind: 'invalid-argument';
        readonly argument: string;
        readonly offered?: readonly string[];
        readonly detail?: { readonly code: string; readonly server: number | undefined };
        /** Of a login that is not sent: for a `terminal` method what a person runs. Not enumerable. */
        readonly authMethods?: readonly AuthMethod[];
      }
    /** The state that refused the call; nothing was sent and nothing changed. */
    | { readonly kind: 'busy' | 'illegal-transition'; readonly state: string }
    /** The connection or session is over; `reason` says why, `cause` is the error of the connection. */
    | { readonly kind: 'closed'; readonly reason: ErrorKind }
    | { readonly kind: Exclude<ErrorKind, Told> }
  );

const SAYS: Record<ErrorKind, string> = {
  'spawn-failed': 'the agent could not be started',
  io: 'the connection to the agent broke',
  'frame-too-large': 'the agent sent a line over the byte cap',
  protocol: 'the agent broke the protocol',
  'version-unsupported': 'the agent speaks no protocol version that was offered',
  'auth-required': 'the agent asks for a login first',
  'capability-absent': 'the agent does not advertise what the call needs',
  idle: 'no frame came within the idle bound',
  absolute: 'the absolute bound passed',
  'request-limit': 'the request limit passed',
  'write-timeout': 'the agent did not read what was written',
  'cancel-unconfirmed': 'the agent did not confirm the cancel within the grace',
  'agent-exited': 'the agent exited',
  'agent-error': 'the agent answered with an error',
  'scope-mismatch': 'the agent named a session that is not the one asked for',
  busy: 'something is under way that must end first',
  'illegal-transition': 'the call is not legal now',
  closed: 'the connection or session is closed',
  'invalid-argument': 'an argument is not legal',
};

function detailsOf(f: Failure): string {
  const { budget } = f;
  const parts = [
    budget && `bound ${budget.bound}, after ${Math.round(budget.elapsedMs)} ms`,
    f.agentCode !== undefined && `code ${f.agentCode}`,
    f.capability !== undefined && f.capability,
    f.argument !== undefined && f.argument,
    f.detail && `${f.detail.code}${f.detail.server === undefined ? '' : ` at ${f.detail.server}`}`,
    f.state !== undefined && `state ${f.state}`,
    f.kind === 'closed' && f.reason !== undefined && f.reason !== 'closed' && `because of ${f.reason}`,
    f.exit && (f.exit.signal ? `signal ${f.exit.signal}` : `code ${String(f.exit.code)}`),
  ];
  const said = parts.filter((part): part is string => typeof part === 'string');
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

const ENUMERABLE = [
  'sessionId',
  'agentCode',
  'capability',
  'argument',
  'detail',
  'budget',
  'exit',
  'state',
  'reason',
] as const;
/** They hold the agent's words. */
const HIDDEN = ['offered', 'authMethods', 'turn'] as const;

class TurnstileError extends Error {
  override readonly name = 'AcpError';
  readonly kind: ErrorKind;
  readonly phase: Phase;

  constructor(failure: Failure, stats: Stats, agentText: AgentText | undefined) {
    super(`${failure.kind} in phase ${failure.phase}: ${SAYS[failure.kind]}${detailsOf(failure)}`);
    if (failure.cause !== undefined) {
      Object.defineProperty(this, 'cause', { value: failure.cause, configurable: true, writable: true });
    }
    this.kind = failure.kind;
    this.phase = failure.phase;
    for (const key of ENUMERABLE) {
      if (failure[key] !== undefined) Object.defineProperty(this, key, { value: failure[key], enumerable: true });
    }
    Object.defineProperty(this, 'stats', { value: { ...stats }, enumerable: true });
    for (const key of HIDDEN) {
      if (failure[key] !== undefined) Object.defineProperty(this, key, { value: failure[key] });
    }
    if (agentText) Object.defineProperty(this, 'agentText', { value: agentText });
    Error.captureStackTrace(this, AcpErrorConstructor);
  }

  toJSON(): object {
    return Object.assign({}, this, { message: this.message });
  }
}

/** The public error of a failure. */
function AcpErrorConstructor(failure: Failure, stats: Stats = newStats(), agentText?: AgentText): AcpError {
  return new TurnstileError(failure, stats, agentText) as unknown as AcpError;
}

export const acpError = AcpErrorConstructor;

/** For `instanceof`, which narrows to the union. Errors are made by the library alone. */
export const AcpError = TurnstileError as unknown as {
  [Symbol.hasInstance](x: unknown): x is AcpError;
  readonly prototype: AcpError;
};
