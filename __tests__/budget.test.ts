import { BadArgument } from '../src/rpc/badArgument.js';
import {
  badBound,
  Budget,
  budgetOf,
  DEFAULT_TURN_ABSOLUTE_MS,
  DEFAULT_TURN_IDLE_MS,
  FLOOR_MS,
  turnBounds,
} from '../src/policy/budget.js';
import { loadLimit, requestLimit, termsFor } from '../src/policy/terms.js';
import { manualClock } from './support/manualClock.js';

const TURN_ABSOLUTE = 5_000;

describe('bounds', () => {
  it.each([
    [{}, undefined],
    [{ idleMs: undefined, absoluteMs: undefined }, undefined],
    [{ idleMs: 0, absoluteMs: 0 }, undefined],
    [{ idleMs: Infinity, absoluteMs: Infinity }, undefined],
    [{ idleMs: NaN }, 'idleMs'],
    [{ idleMs: -1 }, 'idleMs'],
    [{ idleMs: '5' }, 'idleMs'],
    [{ idleMs: null }, 'idleMs'],
    [{ idleMs: 1, absoluteMs: NaN }, 'absoluteMs'],
    [{ absoluteMs: -Infinity }, 'absoluteMs'],
    [{ absoluteMs: 5n }, 'absoluteMs'],
    [null, 'bounds'],
    [5, 'bounds'],
    [undefined, 'bounds'],
  ])('%j is at fault in %s', (bounds, bad) => {
    expect(badBound(bounds)).toBe(bad);
  });

  it('a budget of bad bounds is refused, naming the half', () => {
    expect(() => new Budget({ absoluteMs: NaN })).toThrow(BadArgument);
    expect(() => new Budget({ idleMs: -5 })).toThrow(expect.objectContaining({ argument: 'idleMs' }));
  });

  it('a budget shows its bounds as given, and Infinity where a half was left out', () => {
    expect(new Budget({ idleMs: 0 })).toMatchObject({ idleMs: 0, absoluteMs: Infinity });
    expect(new Budget({ absoluteMs: 7 })).toMatchObject({ idleMs: Infinity, absoluteMs: 7 });
  });

  it('plain bounds make a budget of their own, a budget stays the same one', () => {
    const shared = new Budget({ idleMs: 1 });
    expect(budgetOf(shared)).toBe(shared);
    expect(budgetOf({ idleMs: 3 })).toBeInstanceOf(Budget);
  });

  it('a turn without a budget has 15 minutes of silence and four hours', () => {
    expect(turnBounds(undefined)).toEqual({ idleMs: 900_000, absoluteMs: 14_400_000 });
    expect(DEFAULT_TURN_IDLE_MS).toBe(900_000);
  });

  it('a half left out of turnBudget: no idle bound, the default absolute one', () => {
    expect(turnBounds({ idleMs: 5 })).toEqual({ idleMs: 5, absoluteMs: DEFAULT_TURN_ABSOLUTE_MS });
    expect(turnBounds({ absoluteMs: 5 })).toEqual({ idleMs: Infinity, absoluteMs: 5 });
  });
});

describe('a shared budget', () => {
  it('runs its absolute clock from the first use, not from its making', () => {
    const clock = manualClock(1_000);
    const budget = new Budget({ absoluteMs: 400 });
    clock.advance(10_000);
    expect(budget.spent(TURN_ABSOLUTE)).toBeUndefined();
    expect(budget.start(clock)).toBe(11_000);
    clock.advance(300);
    expect(budget.start(clock)).toBe(11_000);
    expect(termsFor(budget, clock, TURN_ABSOLUTE).absolute).toEqual({ endsAt: 11_400, ms: 400, name: 'absolute' });
  });

  it('spans connections whose clocks have different origins', () => {
    const one = manualClock(0);
    const other = manualClock(500_000);
    const budget = new Budget({ absoluteMs: 1_000 });
    budget.start(one);
    one.advance(250);
    other.advance(250);
    expect(budget.start(other)).toBe(500_000);
  });

  it('that passed while nobody waited is spent', () => {
    const clock = manualClock();
    const budget = new Budget({ idleMs: 200, absoluteMs: 300 });
    budget.start(clock);
    clock.advance(299);
    expect(budget.spent(TURN_ABSOLUTE)).toBeUndefined();
    clock.advance(1);
    expect(budget.spent(TURN_ABSOLUTE)).toBe('absolute');
    expect(budget.fired).toBe('absolute');
  });

  it('keeps the kind that fired first', () => {
    const clock = manualClock();
    const budget = new Budget({ absoluteMs: 200 });
    budget.start(clock);
    budget.fire('idle');
    budget.fire('absolute');
    clock.advance(1_000);
    expect(budget.spent(TURN_ABSOLUTE)).toBe('idle');
  });
});

describe('the terms of a wait', () => {
  const clock = manualClock(50);

  it('clamp both bounds to the floor', () => {
    const terms = termsFor(new Budget({ idleMs: 0, absoluteMs: 0 }), clock, TURN_ABSOLUTE);
    expect(terms.idle).toEqual({ ms: FLOOR_MS, name: 'idle' });
    expect(terms.absolute).toEqual({ endsAt: 50 + FLOOR_MS, ms: FLOOR_MS, name: 'absolute' });
    expect(requestLimit(0, clock).absolute?.ms).toBe(FLOOR_MS);
    expect(loadLimit(0, 0, clock)).toMatchObject({ idle: { ms: FLOOR_MS }, absolute: { ms: FLOOR_MS } });
  });

  it('of a budget with a half left out: no idle bound, the absolute one of turnBudget', () => {
    const idleOnly = termsFor(new Budget({ idleMs: 300 }), clock, TURN_ABSOLUTE);
    expect(idleOnly.absolute).toEqual({ endsAt: 50 + TURN_ABSOLUTE, ms: TURN_ABSOLUTE, name: 'absolute' });
    expect(termsFor(new Budget({ absoluteMs: 300 }), clock, TURN_ABSOLUTE)).not.toHaveProperty('idle');
  });

  it('have no bound where Infinity was asked for', () => {
    const terms = termsFor(new Budget({ idleMs: Infinity, absoluteMs: Infinity }), clock, TURN_ABSOLUTE);
    expect(terms).not.toHaveProperty('idle');
    expect(terms).not.toHaveProperty('absolute');
  });

  it('of a plain request: one limit, whatever frames come', () => {
    expect(requestLimit(60_000, clock)).toEqual({
      startedAt: 50,
      absolute: { endsAt: 60_050, ms: 60_000, name: 'request-limit' },
    });
  });

  it('of a load: the limit counts from the last frame, within the absolute bound of a turn', () => {
    expect(loadLimit(60_000, TURN_ABSOLUTE, clock)).toEqual({
      startedAt: 50,
      idle: { ms: 60_000, name: 'request-limit' },
      absolute: { endsAt: 50 + TURN_ABSOLUTE, ms: TURN_ABSOLUTE, name: 'absolute' },
    });
  });
});
