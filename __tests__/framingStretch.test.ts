import fc from 'fast-check';
import { Stretch } from '../src/framing/stretch.js';

const aLine = fc.oneof(
  fc.string({ maxLength: 300 }).map((text) => text.replaceAll('\n', ' ')),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ' ')),
  fc.nat({ max: 12_000 }).map((length) => 'x'.repeat(length)),
);

/** From and to of each line, its newline not counted. */
function linesOf(bytes: Buffer): [number, number][] {
  const all: [number, number][] = [];
  for (let from = 0, to = bytes.indexOf(10); to >= 0; from = to + 1, to = bytes.indexOf(10, from)) all.push([from, to]);
  return all;
}

describe('a stretch of lines', () => {
  it('gives the text of a line as decoding it alone would, or leaves it to that', () => {
    fc.assert(
      fc.property(fc.array(fc.array(aLine, { maxLength: 30 }), { maxLength: 4 }), fc.boolean(), (chunks, clears) => {
        const stretch = new Stretch();
        for (const lines of chunks) {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          for (const [from, to] of linesOf(bytes)) {
            expect([undefined, bytes.toString('utf8', from, to)]).toContain(stretch.text(bytes, from, to));
          }
          if (clears) stretch.clear();
        }
      }),
    );
  });

  it('is one decoding for many lines of ASCII, and none where it gains nothing', () => {
    const stretch = new Stretch();
    const bytes = Buffer.from(`${'{"a":1}\n'.repeat(100)}${'x'.repeat(20_000)}\n{"last":1}`);
    const [first, second] = linesOf(bytes);
    expect(stretch.text(bytes, ...first!)).toBe('{"a":1}');
    expect(stretch.text(bytes, ...second!)).toBe('{"a":1}');
    expect(stretch.text(bytes, 800, 20_800)).toBeUndefined();
    expect(stretch.text(bytes, 20_801, bytes.length)).toBeUndefined();
  });

  it('leaves bytes above 0x7f to whoever can tell whether they are UTF-8', () => {
    const bytes = Buffer.from('{"a":"\xe9"}\n'.repeat(10), 'latin1');
    expect(new Stretch().text(bytes, 0, 9)).toBeUndefined();
  });

  it('keeps nothing of a buffer once it is cleared', () => {
    const stretch = new Stretch();
    const bytes = Buffer.from('{"a":1}\n{"b":2}\n{"c":3}\n');
    expect(stretch.text(bytes, 0, 7)).toBe('{"a":1}');
    bytes.fill('y');
    expect(stretch.text(bytes, 8, 15)).toBe('{"b":2}');
    stretch.clear();
    expect(stretch.text(bytes, 0, 7)).toBe('yyyyyyy');
  });
});
