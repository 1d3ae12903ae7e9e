import { LineSplitter } from '../src/framing/lines.js';
import { utf8 } from './support/byteStreams.js';

const MIB = 1024 * 1024;

/** The lines that come out, and what is left without a newline. */
function split(cap: number, ...chunks: (string | Uint8Array)[]): { lines: string[]; rest?: string; tooLarge: boolean } {
  const splitter = new LineSplitter(cap);
  const text = (): string => splitter.bytes.toString('utf8', splitter.start, splitter.end);
  const lines: string[] = [];
  for (const chunk of chunks) {
    splitter.push(typeof chunk === 'string' ? utf8(chunk) : chunk);
    while (splitter.next()) lines.push(text());
  }
  const rest = splitter.rest() ? { rest: text() } : {};
  return { lines, ...rest, tooLarge: splitter.tooLarge };
}

describe('lines', () => {
  it.each<[string, string[], string[]]>([
    ['a line in one chunk', ['ab\n'], ['ab']],
    ['several in one chunk', ['ab\ncd\n\ne\n'], ['ab', 'cd', '', 'e']],
    ['a line over chunks', ['a', 'b', '\n'], ['ab']],
    ['a newline at the head of a chunk', ['ab', '\ncd\n'], ['ab', 'cd']],
    ['nothing in a chunk', ['a', '', 'b\n'], ['ab']],
    ['CRLF', ['ab\r\ncd\r\n'], ['ab', 'cd']],
    ['CRLF over chunks', ['ab\r', '\ncd', '\r\n'], ['ab', 'cd']],
    ['one return of two', ['ab\r\r\n'], ['ab\r']],
    ['a return inside', ['a\rb\n'], ['a\rb']],
    ['characters that other readers split at', ['a\u2028b\u2029c\u0085d\ve\ff\n'], ['a\u2028b\u2029c\u0085d\ve\ff']],
    ['NUL', ['a\0b\n'], ['a\0b']],
  ])('come out of %s', (_, chunks, lines) => {
    expect(split(100, ...chunks)).toEqual({ lines, tooLarge: false });
  });

  it.each([
    ['abc', 'abc'],
    ['abc\r', 'abc'],
    ['abc\nde', 'de'],
  ])('what %j leaves without a newline is the rest', (text, rest) => {
    expect(split(100, text)).toMatchObject({ rest });
  });

  it('a stream that ends on a newline leaves no rest', () => {
    expect(split(100, 'a\n')).toEqual({ lines: ['a'], tooLarge: false });
  });

  it.each([
    ['an end that outgrows the first block', [10, 5_000]],
    ['many blocks, the last of them half full', [1, 70_000, 3, 200, 5_000, 7]],
    ['chunks that are kept and pieces that are copied, by turns', [65_536, 65_536, 1, 4_096, 4_096, 2, 65_536, 9]],
  ])('a long line keeps every byte, in its place: %s', (_, sizes) => {
    const line = Buffer.alloc(sizes.reduce((sum, size) => sum + size));
    for (let i = 0; i < line.length; i++) line[i] = 32 + ((i * 7 + (i >> 8)) % 90);
    let at = 0;
    const chunks = sizes.map((size) => Uint8Array.from(line.subarray(at, (at += size))));
    const whole = line.toString();
    expect(split(1_000_000, ...chunks, '\n').lines[0] === whole).toBe(true);
    const last = Buffer.concat([chunks.pop()!, Buffer.from('\n')]);
    expect(split(1_000_000, ...chunks, last).lines[0] === whole).toBe(true);
    expect(split(1_000_000, ...chunks, last.subarray(0, -1)).rest === whole).toBe(true);
  });

  it('a view into a larger buffer is read where it lies', () => {
    const large = Buffer.from('xxab\ncdxx');
    expect(split(100, new Uint8Array(large.buffer, large.byteOffset + 2, 5))).toMatchObject({
      lines: ['ab'],
      rest: 'cd',
    });
  });
});

describe('a line inside one chunk', () => {
  it('is not copied', () => {
    const splitter = new LineSplitter(100);
    const chunk = utf8('first\nsecond\n');
    splitter.push(chunk);
    splitter.next();
    expect([splitter.bytes.buffer === chunk.buffer, splitter.start, splitter.end]).toEqual([true, 0, 5]);
    splitter.next();
    expect([splitter.bytes.buffer === chunk.buffer, splitter.start, splitter.end]).toEqual([true, 6, 12]);
  });
});

describe('the cap', () => {
  const CAP = 10;
  const line = (bytes: number): string => 'x'.repeat(bytes);

  it.each([
    ['exactly the cap', [`${line(10)}\n`], [line(10)], false],
    ['one more', [`${line(11)}\n`], [], true],
    ['exactly the cap, CRLF', [`${line(10)}\r\n`], [line(10)], false],
    ['exactly the cap, CR and LF apart', [`${line(10)}\r`, '\n'], [line(10)], false],
    ['one more, CRLF', [`${line(11)}\r\n`], [], true],
    ['the cap and a return that ends nothing', [`${line(10)}\r`, 'x\n'], [], true],
    ['exactly the cap in two chunks', [line(5), `${line(5)}\n`], [line(10)], false],
    ['one more in two chunks', [line(5), `${line(6)}\n`], [], true],
    ['bytes, not characters', ['\u20ac\u20ac\u20ac\u20ac\n'], [], true],
    ['lines before the one too large', [`a\nb\n${line(11)}\nc\n`], ['a', 'b'], true],
  ])('%s', (_, chunks, lines, tooLarge) => {
    expect(split(CAP, ...chunks)).toEqual({ lines, tooLarge });
  });

  it('is passed as soon as one byte more than it has come without a newline', () => {
    const splitter = new LineSplitter(CAP);
    splitter.push(utf8(line(10)));
    splitter.next();
    expect(splitter.tooLarge).toBe(false);
    splitter.push(utf8('x'));
    splitter.next();
    expect(splitter.tooLarge).toBe(true);
  });

  it('is met by a rest of exactly the cap', () => {
    expect(split(CAP, `${line(10)}\r`)).toEqual({ lines: [], rest: line(10), tooLarge: false });
  });

  it('once passed, nothing is held and nothing more comes', () => {
    const splitter = new LineSplitter(CAP);
    splitter.push(utf8(line(11)));
    splitter.next();
    splitter.push(utf8('a\n'));
    expect([splitter.next(), splitter.rest(), splitter.retainedBytes]).toEqual([false, false, 0]);
  });
});

describe('memory', () => {
  it('of a line in chunks of one byte is the line and one block', () => {
    const size = 2 * MIB;
    const splitter = new LineSplitter(size);
    const chunk = Buffer.from('x');
    let most = 0;
    for (let sent = 0; sent < size; sent++) {
      splitter.push(chunk);
      splitter.next();
      // A sum over the blocks: looking at it each time would itself be slow.
      if (sent % 65_521 === 0) most = Math.max(most, splitter.retainedBytes - sent);
    }
    expect(most).toBeLessThanOrEqual(64 * 1024);
    expect(splitter.retainedBytes).toBeLessThanOrEqual(size + 1);
    splitter.push(utf8('\n'));
    expect(splitter.next()).toBe(true);
    expect(splitter.end - splitter.start).toBe(size);
  });

  it('does not keep the large buffer that a small chunk is a view of', () => {
    const splitter = new LineSplitter(MIB);
    for (let i = 0; i < 100; i++) {
      splitter.push(new Uint8Array(new ArrayBuffer(MIB), 0, 5000).fill(120));
      splitter.next();
    }
    expect(splitter.retainedBytes).toBeLessThanOrEqual(500_000 + 64 * 1024);
  });

  it('of small and large chunks in turn is bounded all the same', () => {
    const splitter = new LineSplitter(4 * MIB);
    let sent = 0;
    for (let i = 0; i < 200; i++) {
      for (const size of [1, 8192]) {
        splitter.push(new Uint8Array(size).fill(120));
        splitter.next();
        sent += size;
      }
    }
    expect(splitter.retainedBytes).toBeLessThanOrEqual(sent + 64 * 1024);
  });

  it('does not keep the chunks, of which the embedding program may make something else', () => {
    const splitter = new LineSplitter(MIB);
    const chunks = Array.from({ length: 4 }, (_, i) => new Uint8Array(65_536).fill(97 + i));
    for (const chunk of chunks) {
      splitter.push(chunk);
      splitter.next();
    }
    expect(splitter.retainedBytes).toBe(4 * 65_536);
    for (const chunk of chunks) chunk.fill(122);
    splitter.push(utf8('\n'));
    splitter.next();
    const line = splitter.bytes.toString('latin1', splitter.start, splitter.end);
    expect([line.length, line[0], line[65_535], line[65_536]]).toEqual([4 * 65_536, 'a', 'a', 'b']);
  });

  it('of short lines that come in pieces is one and the same; of a long one nothing is left', () => {
    const splitter = new LineSplitter(MIB);
    const retained: number[] = [];
    for (const size of [600, 50_000, 70, 70_000, 600]) {
      splitter.push(new Uint8Array(size).fill(120));
      splitter.next();
      splitter.push(utf8('\n'));
      expect([splitter.next(), splitter.end - splitter.start]).toEqual([true, size]);
      splitter.next();
      retained.push(splitter.retainedBytes);
    }
    expect(retained).toEqual([1024, 50_000, 50_000, 0, 1024]);
  });

  it('of a joined line can be cut to its beginning', () => {
    const splitter = new LineSplitter(MIB);
    splitter.push(new Uint8Array(100_000).fill(120));
    splitter.next();
    splitter.push(utf8('y\n'));
    splitter.next();
    splitter.trim(10);
    expect(splitter.bytes.toString('latin1', splitter.start, splitter.end)).toBe('xxxxxxxxxx');
    expect(splitter.retainedBytes).toBe(10 + 2); // what is left, and the newest chunk
  });
});
