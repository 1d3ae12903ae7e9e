import { BadArgument } from '../rpc/badArgument.js';
import type { ToolCall, ToolKind } from '../wire/normal.js';
import { onlyOfKind, type AskFn, type Decision, type PermissionRequest } from './permission.js';

/** Decides what is answered to permission requests. Opaque: made by `policy`, handed to `connect`. */
export interface Policy {
  readonly name: string;
}

export type Rule = 'allow_once' | 'reject_once' | 'ask' | 'cancelled';
const RULES: readonly Rule[] = ['allow_once', 'reject_once', 'ask', 'cancelled'];
const ON_TIMEOUT = ['cancelled', 'reject_once'] as const;
export type OnTimeout = (typeof ON_TIMEOUT)[number];

const KINDS: readonly ToolKind[] = [
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute'] as const),
  ...(['think', 'fetch', 'switch_mode', 'other'] as const),
];

/** What a policy says to one request. */
export type Verdict =
  /** No `optionId`: `cancelled`. */
  | { type: 'now'; optionId?: string; cause: 'policy' }
  | { type: 'ask'; fn: AskFn; timeoutMs?: number; onTimeout: OnTimeout };

/** What stands behind a `Policy`. */
export interface Deciding {
  /** `announced` is the call of the request's `toolCallId` as it stood before the request. */
  decide(request: PermissionRequest, announced: ToolCall | undefined): Verdict;
  /** Told of every decision made under this policy. May throw what it likes: the caller sees to that. */
  record?: (decision: Decision) => void;
}

const behind = new WeakMap<Policy, Deciding>();

function make(name: string, deciding: Deciding): Policy {
  const made: Policy = Object.freeze({ name });
  behind.set(made, deciding);
  return made;
}

/** @throws BadArgument `permissions`: made by nobody here. */
export function decidingOf(policy: Policy): Deciding {
  const deciding = behind.get(policy);
  if (deciding === undefined) throw new BadArgument('permissions');
  return deciding;
}

const CANCELLED: Verdict = { type: 'now', cause: 'policy' };

function onlyOption(request: PermissionRequest, kind: 'allow_once' | 'reject_once'): Verdict | undefined {
  const optionId = onlyOfKind(request.options, kind);
  return optionId === undefined ? undefined : { type: 'now', optionId, cause: 'policy' };
}

function needFunction(fn: unknown, argument: string): void {
  if (typeof fn !== 'function') throw new BadArgument(argument);
}

function needOneOf(value: unknown, legal: readonly string[], argument: string): void {
  if (typeof value !== 'string' || !legal.includes(value)) throw new BadArgument(argument, legal);
}

/** Answers `cancelled` to everything. The default. */
function cancel(): Policy {
  return make('cancel', { decide: () => CANCELLED });
}

export interface AskOptions {
  /** Milliseconds that `fn` has; left out or `Infinity`: as long as the bounds of the turn, or the request limit, allow. */
  timeoutMs?: number | undefined;
  /** What is answered then: `cancelled` (default), or the only option of kind `reject_once` where there is exactly one. */
  onTimeout?: OnTimeout | undefined;
}

/** Asks `fn` about every request. */
function ask(fn: AskFn, options?: AskOptions): Policy {
  const { timeoutMs, onTimeout = 'cancelled' } = options ?? {};
  needFunction(fn, 'fn');
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0)) throw new BadArgument('timeoutMs');
  needOneOf(onTimeout, ON_TIMEOUT, 'onTimeout');
  const verdict: Verdict = { type: 'ask', fn, onTimeout, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return make('ask', { decide: () => verdict });
}

/** The kind that the agent claims, if request and announcement agree on one that the protocol knows. */
function claimedKind(request: PermissionRequest, announced: ToolCall | undefined): string | undefined {
  const claim = request.toolCall?.kind ?? announced?.kind;
  return announced?.kind === undefined || announced.kind === claim ? claim : undefined;
}

/**
 * Decides by the kind of tool that the agent claims, for the kinds listed. A kind that is absent, unknown or not listed, a
 * request that contradicts the announcement, and a rule that does not fit exactly one option are as `ask`: `fn` decides,
 * and without `fn` the answer is `cancelled`. It never chooses `allow_always`.
 */
function byKind(rules: { [K in ToolKind]?: Rule | undefined }, fn?: AskFn): Policy {
  if (typeof rules !== 'object' || rules === null) throw new BadArgument('rules');
  if (fn !== undefined) needFunction(fn, 'fn');
  const ruleOf = new Map<string, Rule>();
  for (const [kind, rule] of Object.entries(rules)) {
    if (rule === undefined) continue;
    needOneOf(rule, RULES, `rules.${kind}`);
    if ((KINDS as readonly string[]).includes(kind)) ruleOf.set(kind, rule);
  }
  const asked: Verdict = fn === undefined ? CANCELLED : { type: 'ask', fn, onTimeout: 'cancelled' };
  return make('byKind', {
    decide(request, announced) {
      const kind = claimedKind(request, announced);
      const rule = kind === undefined ? undefined : ruleOf.get(kind);
      if (rule === undefined || rule === 'ask') return asked;
      return rule === 'cancelled' ? CANCELLED : (onlyOption(request, rule) ?? asked);
    },
  });
}

export interface UnattendedOptions {
  /** The only kind that can be chosen without a person. */
  select: 'allow_once';
  /** Told of each decision, beside the ledger. */
  record?: ((decision: Decision) => void) | undefined;
}

/** Approves alone: the only option of kind `allow_once`. None or several of them: `cancelled`. */
function unattended(options: UnattendedOptions): Policy {
  const { select, record } = (options as UnattendedOptions | undefined) ?? { select: undefined };
  needOneOf(select, ['allow_once'], 'select');
  if (record !== undefined) needFunction(record, 'record');
  return make('unattended', {
    decide: (request) => onlyOption(request, 'allow_once') ?? CANCELLED,
    ...(record === undefined ? {} : { record }),
  });
}

export const policy = { cancel, ask, byKind, unattended };
