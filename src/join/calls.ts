/** One request of ours and the wait for its answer, bounded. */
import { Budget, budgetOf, type Bounds } from '../policy/budget.js';
import { loadLimit, requestLimit, termsFor, type Terms } from '../policy/terms.js';
import { watch, type BudgetReport, type Watch } from '../policy/watch.js';
import { AUTH_REQUIRED, type Answer } from '../rpc/messages.js';
import type { Call } from '../wire/normal.js';
import { deferred, type Deferred } from './deferred.js';
import type { Failure, Phase } from './failure.js';
import type { Link, WaitAbout } from './link.js';

export interface CallOptions {
  /** Bounds of this call, or a budget that several calls share. */
  budget?: Budget | Bounds | undefined;
  /** Rejects the call with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What bounds a call: its budget, or else the request limit. */
export function termsOf(link: Link, options: CallOptions | undefined, kind: 'call' | 'load' | 'turn' = 'call'): Terms {
  const { clock, turnBudget, requestLimitMs } = link.settings;
  const given = options?.budget;
  if (given !== undefined) return termsFor(budgetOf(given), clock, turnBudget.absoluteMs);
  if (kind === 'turn') return termsFor(new Budget(turnBudget), clock, turnBudget.absoluteMs);
  return kind === 'load'
    ? loadLimit(requestLimitMs, turnBudget.absoluteMs, clock)
    : requestLimit(requestLimitMs, clock);
}

/** A budget that has fired, or run out while nobody waited, fails every later use at once, before anything is sent. */
export function spentFailure(link: Link, budget: Budget | Bounds | undefined, phase: Phase): Failure | undefined {
  if (!(budget instanceof Budget)) return undefined;
  const { clock, turnBudget } = link.settings;
  const bound = budget.spent(turnBudget.absoluteMs);
  if (bound === undefined) return undefined;
  const now = clock.now();
  const report: BudgetReport = {
    bound,
    idleMs: budget.idleMs,
    absoluteMs: budget.absoluteOr(turnBudget.absoluteMs),
    elapsedMs: now - budget.start(clock),
    sinceLastFrameMs: now - link.lastFrameAt,
  };
  return { kind: bound, phase, budget: report };
}

/** A watch of the connection that reports once. `about` is for whoever looks on. */
export function watchOn(link: Link, about: WaitAbout, terms: Terms, onFire: (report: BudgetReport) => void): Watch {
  const made: Watch = watch({
    clock: link.clock,
    pulse: link,
    terms,
    onFire: (report) => {
      made.stop();
      onFire(report);
    },
  });
  link.adopt(made, about);
  return made;
}

/** What an answer that is no success means to the caller. */
export function failureOf(link: Link, answer: Exclude<Answer, { kind: 'result' | 'closed' }>, phase: Phase): Failure {
  if (answer.kind === 'malformed') return { kind: 'protocol', phase };
  const said = { message: answer.message, data: answer.data };
  if (answer.code === AUTH_REQUIRED) {
    link.tell({ type: 'agent.authRequired' });
    return {
      kind: 'auth-required',
      phase,
      agentCode: answer.code,
      authMethods: link.logins.refused(answer.data),
      said,
    };
  }
  return { kind: 'agent-error', phase, agentCode: answer.code, said };
}

export interface Wait {
  phase: Phase;
  options?: CallOptions | undefined;
  sessionId?: string | undefined;
  /** Undefined: by time it is bounded by somebody else. */
  terms: Terms | undefined;
  /** A bound fired, or the signal did, before anything else settled it. */
  givenUp?: () => void;
}

/** A wait that its bound, the caller's signal and the loss of the connection end, and of which nothing is left then. */
export function waitFor<T>(link: Link, { phase, options, sessionId, terms, givenUp }: Wait): Deferred<T> {
  const signal = options?.signal;
  const waiting = deferred<T>();
  const giveUp = (reason: Error): void => {
    end();
    waiting.reject(reason);
    givenUp?.();
  };
  const onFire = (report: BudgetReport): void =>
    giveUp(link.error({ kind: report.bound, phase, sessionId, budget: report }));
  const timer = terms && watchOn(link, { phase, sessionId }, terms, onFire);
  const onAbort = (): void => giveUp(signal?.reason as Error);
  signal?.addEventListener('abort', onAbort, { once: true });
  const forget = link.waits.add((loss) => {
    end();
    waiting.reject(link.lossError(loss, phase, { sessionId }));
  });
  const end = (): void => {
    timer?.stop();
    signal?.removeEventListener('abort', onAbort);
    forget();
  };
  return {
    promise: waiting.promise,
    resolve: (value) => {
      end();
      waiting.resolve(value);
    },
    reject: (reason) => {
      end();
      waiting.reject(reason);
    },
  };
}

export interface Asking<T> {
  phase: Phase;
  options?: CallOptions | undefined;
  sessionId?: string | undefined;
  /** Tell the agent when the wait is given up: only where nothing can be half done by it. */
  withdraws?: boolean;
  /** Reads the result in the order of arrival, before anything that came later; undefined: `protocol`. */
  read(result: unknown): T | undefined;
}

/** Sends the call and waits. An abandoned wait keeps its id: a late answer is matched, read, and told to nobody. */
export function ask<T>(link: Link, call: Call, asking: Asking<T>): Promise<T> {
  const { phase, options, sessionId, withdraws } = asking;
  const signal = options?.signal;
  if (!link.ready || !link.wire) return Promise.reject(link.closedError(phase));
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  const spent = spentFailure(link, options?.budget, phase);
  if (spent) return Promise.reject(link.error({ sessionId, ...spent }));
  const fail = (failure: Failure): void => waiting.reject(link.error({ sessionId, ...failure }));
  const id = link.call(call, (answer) => {
    if (answer.kind === 'closed') return; // the root says why, to all that wait
    if (answer.kind === 'result') {
      const read = asking.read(answer.result);
      if (read === undefined) fail({ kind: 'protocol', phase });
      else waiting.resolve(read);
      return;
    }
    fail(failureOf(link, answer, phase));
  });
  const givenUp = (): void => {
    if (withdraws) link.withdraw(id);
  };
  const waiting = waitFor<T>(link, { phase, options, sessionId, terms: termsOf(link, options), givenUp });
  return waiting.promise;
}
