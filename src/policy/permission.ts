import type { ToolCall } from '../wire/normal.js';

/** Kinds are open: one that is not named here is never chosen by a policy that approves alone. */
export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | (string & {});

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: OptionKind;
}

/** What an agent asks by `session/request_permission`. Everything in it is the agent's word. */
export interface PermissionRequest {
  requestId: number | string;
  sessionId: string;
  /** The session that really asks, where the agent announced it as a child of that one. */
  childId?: string;
  title: string;
  /** The call that it is about, where it names one, merged with what was announced of it. */
  toolCall?: ToolCall;
  options: readonly PermissionOption[];
  /** The params as they came. */
  raw: unknown;
}

/**
 * Answers one question: an offered `optionId`, or `null` for `cancelled`. Anything else, a throw, or no answer in time
 * counts as `cancelled`. `signal` aborts when the answer is no longer wanted.
 */
export type AskFn = (
  request: PermissionRequest,
  context: { signal: AbortSignal },
) => string | null | undefined | Promise<string | null | undefined>;

/**
 * Why a request was answered as it was: the embedder said so (`answer`), a rule of the policy (`policy`), its time limit, a
 * function that threw or named an option not offered, or something from outside that made the question moot.
 */
export type Cause = 'answer' | 'policy' | 'timeout' | 'threw' | 'not-offered' | Moot;
/** A cancelled turn, a bound, the agent itself (`$/cancel_request`), a session not in scope, the end of the connection. */
export type Moot = 'cancel' | 'bound' | 'withdrawn' | 'scope' | 'closed';

/** One answered permission request. */
export interface Decision {
  requestId: number | string;
  sessionId: string;
  /** Of a permission that a child of the session asked for. */
  childId?: string;
  toolCallId?: string;
  outcome: 'selected' | 'cancelled';
  optionId?: string;
  optionKind?: OptionKind;
  /** Name of the policy. */
  policy: string;
  cause: Cause;
  /** From the request's arrival to the decision. */
  latencyMs: number;
}

type Options = readonly PermissionOption[];

/** The id of the only option of this kind. An id that two options share says nothing about which of them is meant. */
export function onlyOfKind(options: Options, kind: OptionKind): string | undefined {
  const ofKind = options.filter((option) => option.kind === kind);
  const [only] = ofKind;
  if (only === undefined || ofKind.length > 1) return undefined;
  return options.filter(({ optionId }) => optionId === only.optionId).length === 1 ? only.optionId : undefined;
}

/** The kind of an option by its id; `undefined` where none or several have it and they differ. */
export function kindOf(options: Options, optionId: string): OptionKind | undefined {
  const kinds = new Set(options.filter((option) => option.optionId === optionId).map(({ kind }) => kind));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}
