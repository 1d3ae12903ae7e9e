import fc from 'fast-check';
import { ask, type Answer, type Question } from '../src/policy/ask.js';
import type { AskFn, Moot, PermissionRequest } from '../src/policy/permission.js';
import { manualClock, settle, type ManualClock } from './support/manualClock.js';

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Deny', kind: 'reject_once' },
];

interface Asked {
  clock: ManualClock;
  question: Question;
  answers: Answer[];
  signal(): AbortSignal | undefined;
}

function put(
  fn: AskFn,
  extra: { timeoutMs?: number; onTimeout?: 'reject_once'; offered?: typeof options } = {},
): Asked {
  const clock = manualClock();
  const answers: Answer[] = [];
  let signal: AbortSignal | undefined;
  const request: PermissionRequest = {
    requestId: 'r-1',
    sessionId: 's-1',
    title: '',
    options: [...(extra.offered ?? options)],
    raw: {},
  };
  const question = ask({
    request,
    fn: (asked, context) => {
      signal = context.signal;
      return fn(asked, context);
    },
    ...(extra.timeoutMs === undefined ? {} : { timeoutMs: extra.timeoutMs }),
    onTimeout: extra.onTimeout ?? 'cancelled',
    clock,
    settled: (answer) => answers.push(answer),
  });
  return { clock, question, answers, signal: () => signal };
}

const throwing = (): never => {
  throw new Error('no');
};
const never = (): Promise<null> => new Promise(() => undefined);

it.each<[string, AskFn, Answer]>([
  ['an offered id', () => 'yes', { optionId: 'yes', cause: 'answer' }],
  ['a promise of one', async () => 'no', { optionId: 'no', cause: 'answer' }],
  ['null', () => null, { cause: 'answer' }],
  ['undefined', () => undefined, { cause: 'answer' }],
  ['an id not offered', () => 'maybe', { cause: 'not-offered' }],
  ['a name instead of an id', () => 'Allow', { cause: 'not-offered' }],
  ['an empty string', () => '', { cause: 'not-offered' }],
  ['something that is no string', () => true as never, { cause: 'not-offered' }],
  ['an object that reads like an id', () => ({ toString: () => 'yes' }) as never, { cause: 'not-offered' }],
  ['a name of every object', () => '__proto__', { cause: 'not-offered' }],
  ['a throw', throwing, { cause: 'threw' }],
  ['a rejection', () => Promise.reject(new Error('no')), { cause: 'threw' }],
])('the function that gives %s', async (_, fn, answer) => {
  const asked = put(fn, { timeoutMs: 100 });
  await settle();
  expect(asked.answers).toEqual([answer]);
  expect(asked.signal()?.aborted).toBe(false);
  expect(asked.clock.pending()).toBe(0);
});

it('the function runs in a microtask, not inside the call', async () => {
  let called = false;
  put(() => {
    called = true;
    return null;
  });
  expect(called).toBe(false);
  await settle();
  expect(called).toBe(true);
});

it('a question that is moot before its function ran is never put', async () => {
  let called = false;
  const asked = put(() => {
    called = true;
    return 'yes';
  });
  asked.question.abort('closed');
  await settle();
  expect(called).toBe(false);
  expect(asked.answers).toEqual([{ cause: 'closed' }]);
});

it('options that the function adds to the request are not thereby offered', async () => {
  const asked = put((request) => {
    (request.options as unknown[]).push({ optionId: 'forged', name: '', kind: 'allow_always' });
    return 'forged';
  });
  await settle();
  expect(asked.answers).toEqual([{ cause: 'not-offered' }]);
});

it.each(['before', 'after'])(
  'a signal that is first asked for %s the end is aborted by it, and is one',
  async (when) => {
    const signals: AbortSignal[] = [];
    let context: { signal: AbortSignal } | undefined;
    const question = ask({
      request: { requestId: 1, sessionId: 's-1', title: '', options, raw: {} },
      fn: (_, given) => {
        context = given;
        return never();
      },
      onTimeout: 'cancelled',
      clock: manualClock(),
      settled: () => {},
    });
    await settle();
    if (when === 'before') signals.push(context!.signal);
    expect(signals.map(({ aborted }) => aborted)).toEqual(when === 'before' ? [false] : []);
    question.abort('cancel');
    signals.push(context!.signal);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(new Set(signals).size).toBe(1);
  },
);

describe('a time limit', () => {
  it('answers cancelled, aborts the signal and ignores what comes later', async () => {
    let answerLate: (choice: string) => void = () => undefined;
    const asked = put(() => new Promise((resolve) => (answerLate = resolve)), { timeoutMs: 500 });
    await asked.clock.run(499);
    expect(asked.answers).toEqual([]);
    await asked.clock.run(1);
    expect(asked.answers).toEqual([{ cause: 'timeout' }]);
    expect(asked.signal()?.aborted).toBe(true);
    answerLate('yes');
    await settle();
    expect(asked.answers).toHaveLength(1);
    expect(asked.clock.pending()).toBe(0);
  });

  it('with onTimeout reject_once chooses the only option of that kind', async () => {
    const asked = put(never, { timeoutMs: 500, onTimeout: 'reject_once' });
    await asked.clock.run(500);
    expect(asked.answers).toEqual([{ optionId: 'no', cause: 'timeout' }]);
  });

  it('with onTimeout reject_once and several or none of that kind answers cancelled', async () => {
    const two = [...options, { optionId: 'never', name: '', kind: 'reject_once' }];
    for (const offered of [two, options.slice(0, 1), []]) {
      const asked = put(never, { timeoutMs: 500, onTimeout: 'reject_once', offered });
      await asked.clock.run(500);
      expect(asked.answers).toEqual([{ cause: 'timeout' }]);
    }
  });

  it('of Infinity is none', async () => {
    const asked = put(never, { timeoutMs: Infinity });
    await settle();
    expect(asked.clock.pending()).toBe(0);
    asked.question.abort('bound');
  });
});

describe('from outside', () => {
  it.each<[Moot]>([['cancel'], ['bound'], ['withdrawn'], ['scope'], ['closed']])(
    '%s settles it before the call returns, and aborts the signal after',
    async (cause) => {
      const seen: boolean[] = [];
      const asked = put(
        (_, { signal }) =>
          new Promise(() => signal.addEventListener('abort', () => seen.push(asked.answers.length === 1))),
        { timeoutMs: 500 },
      );
      await settle();
      asked.question.abort(cause);
      expect(asked.answers).toEqual([{ cause }]);
      expect(seen).toEqual([true]);
      expect(asked.clock.pending()).toBe(0);
    },
  );

  it('nothing undoes an answer', async () => {
    const asked = put(() => 'yes', { timeoutMs: 500 });
    await settle();
    asked.question.abort('cancel');
    await asked.clock.run(1_000);
    expect(asked.answers).toEqual([{ optionId: 'yes', cause: 'answer' }]);
    expect(asked.signal()?.aborted).toBe(false);
  });
});

it('settles exactly once, and selects only what was offered, whatever happens in which order', async () => {
  const aStep = fc.oneof(
    fc.record({ do: fc.constant('answer' as const), choice: fc.constantFrom('yes', 'no', 'other', null, 7) }),
    fc.record({ do: fc.constant('throw' as const) }),
    fc.record({ do: fc.constant('abort' as const), cause: fc.constantFrom<Moot>('cancel', 'bound', 'withdrawn') }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 6 }), fc.boolean(), async (steps, limited) => {
      let resolve: (choice: never) => void = () => undefined;
      let reject: (e: Error) => void = () => undefined;
      const deferred = new Promise<never>((yes, no) => ([resolve, reject] = [yes, no]));
      const asked = put(() => deferred, limited ? { timeoutMs: 500 } : {});
      let ended = false;
      let waited = 0;
      for (const step of steps) {
        await settle();
        if (step.do === 'answer') resolve(step.choice as never);
        else if (step.do === 'throw') reject(new Error());
        else if (step.do === 'abort') asked.question.abort(step.cause);
        else await asked.clock.run(step.ms);
        if (step.do === 'wait') waited += step.ms;
        else ended = true;
        await settle();
        expect(asked.answers).toHaveLength(ended || (limited && waited >= 500) ? 1 : 0);
      }
      for (const { optionId } of asked.answers) expect(['yes', 'no', undefined]).toContain(optionId);
      asked.question.abort('closed');
      expect(asked.answers).toHaveLength(1);
      expect(asked.clock.pending()).toBe(0);
      deferred.catch(() => undefined);
    }),
    { numRuns: 150 },
  );
});
