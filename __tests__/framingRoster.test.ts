import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Roster } from '../src/framing/roster.js';

describe('a roster', () => {
  it('is in the order of coming, whoever leaves, and nobody leaves twice', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat({ max: 20 }))), (steps) => {
        const roster = new Roster<number>();
        const leaves: (() => void)[] = [];
        let reference: number[] = [];
        steps.forEach((step, i) => {
          if (step === null || leaves.length === 0) {
            leaves.push(roster.add(leaves.length));
            reference.push(leaves.length - 1);
          } else {
            const who = (step + i) % leaves.length;
            leaves[who]?.();
            reference = reference.filter((one) => one !== who);
          }
          expect(roster.all()).toEqual(reference);
          expect(roster.empty).toBe(reference.length === 0);
        });
      }),
    );
  });

  it('lets members leave and come while it is gone through', () => {
    const roster = new Roster<string>();
    const leave = roster.add('a');
    roster.add('a');
    const seen: string[] = [];
    for (const one of roster.all()) {
      seen.push(one);
      leave();
      roster.add('b');
    }
    expect(seen).toEqual(['a', 'a']);
    expect(roster.all()).toEqual(['a', 'b', 'b']);
  });
});
