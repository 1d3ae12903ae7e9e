import fc from 'fast-check';
import { LONGEST_SLEEP_MS } from '../src/framing/clock.js';
import { alarm } from '../src/framing/alarm.js';
import { Budget } from '../src/policy/budget.js';
import { loadLimit, requestLimit, termsFor, type Terms } from '../src/policy/terms.js';
import { watch, type BudgetReport, type Watch } from '../src/policy/watch.js';
import { manualClock, type ManualClock } from './support/manualClock.js';

interface Bench {
  clock: ManualClock;
  pulse: { lastFrameAt: number };
  watch: Watch;
  fired: { at: number; report: BudgetReport }[];
  frame(): void;
}

function bench(makeTerms: (clock: ManualClock) => Terms, clock = manualClock()): Bench {
  const pulse = { lastFrameAt: clock.now() };
  const fired: Bench['fired'] = [];
  const made = watch({
    clock,
    pulse,
    terms: makeTerms(clock),
    onFire: (report) => fired.push({ at: clock.now(), report }),
  });
  return { clock, pulse, watch: made, fired, frame: () => void (pulse.lastFrameAt = clock.now()) };
}

const bounds = (idleMs: number | undefined, absoluteMs: number): ((clock: ManualClock) => Terms) => {
  return (clock) => termsFor(new Budget({ idleMs, absoluteMs }), clock, Infinity);
};

/** The clock as it is, and a process that gets around to its timers only when told. */
function lateClock(): ManualClock & { sleepThrough(ms: number): void } {
  const inner = manualClock();
  let offset = 0;
  return {
    ...inner,
    now: () => inner.now() + offset,
    sleepThrough(ms) {
      offset += ms;
      inner.advance(0);
    },
  };
}

describe('an alarm', () => {
  it('never rings before its moment although the runtime wakes early', () => {
    let now = 0;
    const slept: number[] = [];
    const rang: number[] = [];
    let wake: () => void = () => undefined;
    const clock = {
      now: () => now,
      setTimeout: (fn: () => void, ms: number) => {
        slept.push(ms);
        wake = fn;
      },
      clearTimeout: () => undefined,
    };
    alarm(clock, 10, () => rang.push(now));
    now = 9.4;
    wake();
    expect(rang).toEqual([]);
    now = 10.4;
    wake();
    expect(rang).toEqual([10.4]);
    expect(slept).toEqual([10, 1]);
  });

  it('sleeps in pieces that no runtime cuts short', () => {
    const clock = manualClock();
    const rang: number[] = [];
    const slept: number[] = [];
    const spy = { ...clock, setTimeout: (fn: () => void, ms: number) => (slept.push(ms), clock.setTimeout(fn, ms)) };
    alarm(spy, 2.5 * LONGEST_SLEEP_MS, () => rang.push(clock.now()));
    clock.advance(3 * LONGEST_SLEEP_MS);
    expect(rang).toEqual([2.5 * LONGEST_SLEEP_MS]);
    expect(slept).toEqual([LONGEST_SLEEP_MS, LONGEST_SLEEP_MS, LONGEST_SLEEP_MS / 2]);
    expect(clock.pending()).toBe(0);
  });

  it('for a moment that has passed rings from a timer, not from inside the call', () => {
    const clock = manualClock(100);
    let rang = 0;
    alarm(clock, 50, () => (rang += 1));
    expect(rang).toBe(0);
    clock.advance(0);
    expect(rang).toBe(1);
  });

  it('at Infinity arms nothing', () => {
    const clock = manualClock();
    const disarm = alarm(clock, Infinity, () => undefined);
    expect(clock.pending()).toBe(0);
    disarm();
  });
});

describe('a watch', () => {
  it('names silence idle, at the idle bound', () => {
    const b = bench(bounds(1_000, 10_000));
    b.clock.advance(20_000);
    expect(b.fired).toEqual([
      {
        at: 1_000,
        report: { bound: 'idle', idleMs: 1_000, absoluteMs: 10_000, elapsedMs: 1_000, sinceLastFrameMs: 1_000 },
      },
    ]);
    expect(b.clock.pending()).toBe(0);
  });

  it('names a stream that never answers absolute, however dense it is', () => {
    const b = bench(bounds(1_000, 10_000));
    for (let i = 0; i < 200; i++) {
      b.clock.advance(100);
      b.frame();
    }
    expect(b.fired.map(({ at, report }) => [at, report.bound])).toEqual([[10_000, 'absolute']]);
  });

  it('at a tie names the absolute bound', () => {
    const b = bench(bounds(1_000, 1_000));
    b.clock.advance(1_000);
    expect(b.fired[0]?.report.bound).toBe('absolute');
  });

  it('says idle though the timer came so late that both bounds have passed', () => {
    const clock = lateClock();
    const b = bench(bounds(1_000, 1_500), clock);
    clock.sleepThrough(1_600);
    clock.advance(1_000);
    expect(b.fired.map(({ report }) => report.bound)).toEqual(['idle']);
  });

  it('decides anew when frames came while it slept', () => {
    const b = bench(bounds(1_000, 1_500));
    b.clock.advance(900);
    b.frame();
    b.clock.advance(5_000);
    expect(b.fired.map(({ at, report }) => [at, report.bound])).toEqual([[1_500, 'absolute']]);
  });

  it('does not call or arm anything for a frame', () => {
    let armed = 0;
    const clock = manualClock();
    const counting = { ...clock, setTimeout: (fn: () => void, ms: number) => ((armed += 1), clock.setTimeout(fn, ms)) };
    const b = bench(bounds(1_000, 100_000), counting);
    for (let i = 0; i < 999; i++) {
      clock.advance(1);
      b.frame();
    }
    expect(armed).toBe(1);
  });

  it('leaves no timer when stopped, and stops twice as well as once', () => {
    const b = bench(bounds(1_000, 10_000));
    b.watch.stop();
    b.watch.stop();
    expect(b.clock.pending()).toBe(0);
    b.watch.pause('owed');
    b.watch.resume('owed');
    b.clock.advance(20_000);
    expect(b.fired).toEqual([]);
    expect(b.clock.pending()).toBe(0);
  });

  it('without any bound arms nothing, and can be paused all the same', () => {
    const b = bench((clock) => termsFor(new Budget({ idleMs: Infinity, absoluteMs: Infinity }), clock, 1));
    b.watch.pause('owed');
    b.watch.resume('owed');
    expect(b.clock.pending()).toBe(0);
    expect(b.watch.report()).toMatchObject({ idleMs: Infinity, absoluteMs: Infinity });
  });

  it('of a request without a budget names the request limit', () => {
    const b = bench((clock) => requestLimit(60_000, clock));
    b.clock.advance(59_999);
    b.frame();
    expect(b.fired).toEqual([]);
    b.clock.advance(1);
    expect(b.fired[0]?.report).toEqual({
      bound: 'request-limit',
      idleMs: Infinity,
      absoluteMs: 60_000,
      elapsedMs: 60_000,
      sinceLastFrameMs: 1,
    });
  });

  it('of a load counts the request limit from the last frame, within the absolute bound', () => {
    const silent = bench((clock) => loadLimit(60_000, 100_000, clock));
    silent.clock.advance(30_000);
    silent.frame();
    silent.clock.advance(70_000);
    expect(silent.fired.map(({ at, report }) => [at, report.bound])).toEqual([[90_000, 'request-limit']]);

    const endless = bench((clock) => loadLimit(60_000, 100_000, clock));
    for (let i = 0; i < 20; i++) {
      endless.clock.advance(10_000);
      endless.frame();
    }
    expect(endless.fired.map(({ at, report }) => [at, report.bound])).toEqual([[100_000, 'absolute']]);
  });
});

describe('a pause', () => {
  it('stops the idle clock where it stands, for as many reasons as there are', () => {
    const b = bench(bounds(1_000, 100_000));
    b.clock.advance(600);
    b.watch.pause('owed');
    b.watch.pause('owed');
    b.watch.pause('held');
    b.clock.advance(5_000);
    b.watch.resume('owed');
    b.watch.resume('held');
    b.clock.advance(5_000);
    b.watch.resume('owed');
    expect(b.fired).toEqual([]);
    b.clock.advance(399);
    expect(b.fired).toEqual([]);
    b.clock.advance(1);
    expect(b.fired.map(({ at, report }) => [at, report.bound])).toEqual([[11_000, 'idle']]);
  });

  it('is no shelter from the absolute clock', () => {
    const b = bench(bounds(1_000, 3_000));
    b.watch.pause('owed');
    b.clock.advance(10_000);
    expect(b.fired.map(({ at, report }) => [at, report.bound])).toEqual([[3_000, 'absolute']]);
  });

  it('in which a frame comes starts the idle clock afresh at its end', () => {
    const b = bench(bounds(1_000, 100_000));
    b.clock.advance(900);
    b.watch.pause('owed');
    b.clock.advance(10);
    b.frame();
    b.clock.advance(2_000);
    b.watch.resume('owed');
    b.clock.advance(999);
    expect(b.fired).toEqual([]);
    b.clock.advance(1);
    expect(b.fired).toHaveLength(1);
  });

  it('after a frame keeps what passed since that frame', () => {
    const b = bench(bounds(1_000, 100_000));
    b.clock.advance(500);
    b.frame();
    b.clock.advance(300);
    b.watch.pause('owed');
    b.clock.advance(5_000);
    b.watch.resume('owed');
    b.clock.advance(699);
    expect(b.fired).toEqual([]);
    b.clock.advance(1);
    expect(b.fired).toHaveLength(1);
  });

  it('is not ended by resuming what was never paused', () => {
    const b = bench(bounds(1_000, 100_000));
    b.watch.pause('owed');
    b.watch.resume('held');
    b.clock.advance(5_000);
    expect(b.fired).toEqual([]);
  });
});

describe('a watch on a shared budget', () => {
  it('marks it as fired, so that the next use fails at once with the same kind', () => {
    const clock = manualClock();
    const budget = new Budget({ idleMs: 500, absoluteMs: 60_000 });
    const first = bench(() => termsFor(budget, clock, Infinity), clock);
    clock.advance(500);
    expect(first.fired[0]?.report.bound).toBe('idle');
    expect(budget.fired).toBe('idle');

    const second = bench(() => termsFor(budget, clock, Infinity), clock);
    second.watch.pause('owed');
    second.watch.resume('owed');
    expect(second.fired).toEqual([]);
    clock.advance(0);
    expect(second.fired[0]?.report).toMatchObject({ bound: 'idle', elapsedMs: 500 });
  });

  it('that had fired fails a wait by its own kind, paused or not', () => {
    const clock = manualClock();
    const budget = new Budget({ idleMs: 500 });
    termsFor(budget, clock, 200);
    clock.advance(200);
    expect(budget.spent(200)).toBe('absolute');
    const b = bench(() => termsFor(budget, clock, Infinity), clock);
    b.watch.pause('owed');
    b.watch.resume('owed');
    clock.advance(0);
    expect(b.fired.map(({ at, report }) => [at, report.bound])).toEqual([[200, 'absolute']]);
  });

  it('gives later waits what is left of the absolute bound, and an idle clock of their own', () => {
    const clock = manualClock();
    const budget = new Budget({ idleMs: 700, absoluteMs: 1_000 });
    const first = bench(() => termsFor(budget, clock, Infinity), clock);
    clock.advance(600);
    first.watch.stop();
    const second = bench(() => termsFor(budget, clock, Infinity), clock);
    clock.advance(10_000);
    expect(second.fired.map(({ at, report }) => [at, report.bound, report.elapsedMs])).toEqual([
      [1_000, 'absolute', 1_000],
    ]);
  });
});

type Op = ['advance', number] | ['frame'] | ['pause', 'held' | 'owed'] | ['resume', 'held' | 'owed'];

/** The rule, millisecond by millisecond. */
function reference(ops: Op[], idleMs: number, absoluteMs: number): [number, string] | undefined {
  let now = 0;
  let idle = 0;
  const paused = new Map(['held', 'owed'].map((why) => [why, 0]));
  for (const [op, arg] of ops) {
    if (op === 'frame') idle = 0;
    else if (op === 'pause') paused.set(arg, paused.get(arg)! + 1);
    else if (op === 'resume') paused.set(arg, Math.max(0, paused.get(arg)! - 1));
    else {
      for (let i = 0; i < arg; i++) {
        now += 1;
        if ([...paused.values()].every((n) => n === 0)) idle += 1;
        if (now >= absoluteMs) return [now, 'absolute'];
        if (idle >= idleMs) return [now, 'idle'];
      }
    }
  }
  return undefined;
}

const anOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('advance' as const), fc.integer({ min: 0, max: 60 })) },
  { weight: 2, arbitrary: fc.constant<Op>(['frame']) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('pause' as const), fc.constantFrom('held', 'owed')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('resume' as const), fc.constantFrom('held', 'owed')) },
);

it('never fires early, late or under the wrong name, whatever frames, pauses and resumes come', () => {
  fc.assert(
    fc.property(
      fc.array(anOp, { maxLength: 30 }),
      fc.integer({ min: 100, max: 200 }),
      fc.integer({ min: 100, max: 3_000 }),
      (some, idleMs, absoluteMs) => {
        // However it went, in the end nothing is paused and nothing comes.
        const ended = (['held', 'owed'] as const).flatMap((why) => Array<Op>(30).fill(['resume', why]));
        const ops: Op[] = [...some, ...ended, ['advance', 3_000]];
        const b = bench(bounds(idleMs, absoluteMs));
        for (const [op, arg] of ops) {
          if (op === 'advance') b.clock.advance(arg);
          else if (op === 'frame') b.frame();
          else if (op === 'pause') b.watch.pause(arg);
          else b.watch.resume(arg);
          if (b.fired.length > 0) break;
        }
        const fired = b.fired.map(({ at, report }): [number, string] => [at, report.bound]);
        expect(fired[0]).toEqual(reference(ops, idleMs, absoluteMs));
        expect(fired.length).toBeLessThan(2);
        b.watch.stop();
        expect(b.clock.pending()).toBe(0);
      },
    ),
    { numRuns: 1_000 },
  );
});
