import type { Clock } from '../framing/clock.js';
import { alarm } from '../framing/alarm.js';
import { LazySignal } from '../framing/lazySignal.js';
import { onlyOfKind, type AskFn, type Cause, type Moot, type PermissionRequest } from './permission.js';
import type { OnTimeout } from './policies.js';

/** How a question ended. No `optionId`: `cancelled`. */
export interface Answer {
  optionId?: string;
  cause: Cause;
}

/** A question under way. */
export interface Question {
  /** Ends it as `cancelled`, if it has not ended: `settled` is called before this returns, then the signal aborts. */
  abort(cause: Moot): void;
}

export interface QuestionOptions {
  request: PermissionRequest;
  fn: AskFn;
  timeoutMs?: number;
  onTimeout: OnTimeout;
  clock: Clock;
  /** Called exactly once. Must not throw. */
  settled: (answer: Answer) => void;
}

/** Puts one request to the embedder's function, in a microtask of its own. What it says after the end is ignored. */
export function ask(options: QuestionOptions): Question {
  const { request, fn, timeoutMs, onTimeout, clock, settled } = options;
  // The function holds the request and may change it: what was offered is what stood in it before.
  const offered = new Set(request.options.map(({ optionId }) => optionId));
  const rejecting = onTimeout === 'reject_once' ? onlyOfKind(request.options, 'reject_once') : undefined;
  const unwanted = new LazySignal();
  const context = {
    get signal(): AbortSignal {
      return unwanted.signal;
    },
  };
  let over = false;
  let disarm: (() => void) | undefined;

  const settle = (answer: Answer): void => {
    if (over) return;
    over = true;
    disarm?.();
    settled(answer);
  };
  const giveUp = (answer: Answer): void => {
    if (over) return;
    settle(answer);
    unwanted.abort();
  };
  const read = (choice: unknown): Answer => {
    if (choice === null || choice === undefined) return { cause: 'answer' };
    return typeof choice === 'string' && offered.has(choice)
      ? { optionId: choice, cause: 'answer' }
      : { cause: 'not-offered' };
  };

  if (timeoutMs !== undefined) {
    disarm = alarm(clock, clock.now() + timeoutMs, () =>
      giveUp({ cause: 'timeout', ...(rejecting === undefined ? {} : { optionId: rejecting }) }),
    );
  }
  void Promise.resolve()
    .then(() => (over ? null : fn(request, context)))
    .then(
      (choice) => settle(read(choice)),
      () => settle({ cause: 'threw' }),
    );
  return { abort: (cause) => giveUp({ cause }) };
}
