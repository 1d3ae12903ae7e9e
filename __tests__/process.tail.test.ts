import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BoundedTail } from '../src/process/stderrTail.js';

const feed = (limit: number, chunks: readonly Uint8Array[]): BoundedTail => {
  const tail = new BoundedTail(limit);
  for (const chunk of chunks) tail.append(chunk);
  return tail;
};

describe('the tail of stderr', () => {
  it('is the end of the text, less at most three bytes of a cut character, for any text cut anywhere', () => {
    const texts = fc
      .string({ unit: 'binary', maxLength: 60 })
      .map((text) => Buffer.from(text.replace(/[\ud800-\udfff]/gu, '')));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 4, max: 80 }),
        fc.array(fc.nat(9), { minLength: 1 }),
        (bytes, limit, sizes) => {
          const chunks: Uint8Array[] = [];
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = 1 + (sizes[i % sizes.length] ?? 0);
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          const shown = Buffer.from(feed(limit, chunks).tail());
          expect(bytes.subarray(bytes.length - shown.length).equals(shown)).toBe(true);
          expect(shown.length).toBeLessThanOrEqual(limit);
          expect(shown.length).toBeGreaterThanOrEqual(Math.min(bytes.length, limit - 3));
        },
      ),
    );
  });

  it.each([
    ['a chunk longer than the limit ', 4, ['abcdefgh'], 'efgh'],
    ['chunks that wrap around       ', 4, ['abc', 'def'], 'cdef'],
    ['exactly the limit             ', 4, ['ab', 'cd'], 'abcd'],
    ['a character cut at the front  ', 4, ['ééa', 'b'], 'éab'],
    ['a limit of zero               ', 0, ['abc'], ''],
    ['a limit that is no number     ', Number.NaN, ['abc'], ''],
    ['a limit without end           ', Infinity, ['abc'], 'abc'],
  ])('holds what it should of %s', (_, limit, chunks, expected) => {
    expect(
      feed(
        limit,
        chunks.map((chunk) => Buffer.from(chunk)),
      ).tail(),
    ).toBe(expected);
  });

  it('shows invalid bytes as U+FFFD and leaves out a character that is not complete yet', () => {
    const tail = feed(16, [Buffer.from([0x61, 0xff, 0x62, 0xf0, 0x9f])]);
    expect(tail.tail()).toBe('a\ufffdb');
    tail.append(Buffer.from([0x9a, 0x8f]));
    expect(tail.tail()).toBe('a\ufffdb🚏');
  });

  it('gives up no more than three bytes to a run of stray continuation bytes', () => {
    expect(feed(6, [Buffer.alloc(20, 0x80)]).tail()).toBe('\ufffd'.repeat(3));
  });
});
