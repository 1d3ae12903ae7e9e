import { jest } from '@jest/globals';
import fc from 'fast-check';
import { FrameReader } from '../src/framing/frameReader.js';
import { serialize } from '../src/framing/frameWriter.js';
import { LineSplitter } from '../src/framing/lines.js';
import { byteSource } from './support/byteStreams.js';
import { settle } from './support/manualClock.js';

// A property is many tests, and the machine may have others to do.
jest.setTimeout(60_000);

const CAP = 200;

/** A line, and what has to come of it. */
interface Line {
  bytes: Buffer;
  outcome: 'frame' | 'skipped' | 'nothing';
  value?: unknown;
}

const object = fc.dictionary(fc.string({ maxLength: 8, unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
});
const ending = fc.constantFrom('', '\r');
const frame: fc.Arbitrary<Line> = fc
  .tuple(fc.constantFrom('', ' ', '\x1b[0m', '\x1b]0;title {}\x07', '\x1b]8;;x\x1b\\'), object, ending)
  .map(([before, value, end]) => ({ bytes: Buffer.from(before + JSON.stringify(value) + end), value: again(value) }))
  .filter(({ bytes }) => bytes.length <= CAP)
  .map((line) => ({ ...line, outcome: 'frame' as const }));
const noise: fc.Arbitrary<Line> = fc
  .oneof(
    fc.constantFrom('hello', '42', '[{"a":1}]', '{"a":1', 'log {"a":1}', '\x1b[0m', '\x1b]0;{"a":1}', '\ufeff{}'),
    object.map((value) => `x${JSON.stringify(value)}`.slice(0, 40)),
  )
  .map((text) => ({ bytes: Buffer.from(text), outcome: 'skipped' as const }));
const blank: fc.Arbitrary<Line> = fc
  .constantFrom('', '\r', ' ', '\t \r')
  .map((text) => ({ bytes: Buffer.from(text), outcome: 'nothing' as const }));
const broken: fc.Arbitrary<Line> = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((bytes) => Buffer.concat([Buffer.of(0xff), Buffer.from(bytes.filter((byte) => byte !== 10))]))
  .map((bytes) => ({ bytes, outcome: 'skipped' as const }));
const lines = fc.array(fc.oneof({ weight: 4, arbitrary: frame }, noise, blank, broken), { maxLength: 12 });

/** Behind a blank line, so that a byte order mark is nowhere at the start of the stream. */
const streamOf = (all: Line[]): Buffer =>
  Buffer.concat([Buffer.from('\n'), ...all.flatMap((line) => [line.bytes, Buffer.from('\n')])]);

/** As JSON has it: -0 becomes 0, and a key `__proto__` an own one. */
const again = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Cuts bytes at any places, into chunks that own their memory, are views of one buffer, or are empty. */
const cuts = fc.tuple(fc.array(fc.nat({ max: 4_000 }), { maxLength: 40 }), fc.boolean());
function chunksOf(bytes: Buffer, [places, views]: [number[], boolean]): Uint8Array[] {
  const bounds = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return bounds.slice(1).map((end, i) => {
    const chunk = bytes.subarray(bounds[i], end);
    return views ? chunk : Uint8Array.from(chunk);
  });
}

async function framesOf(
  chunks: Uint8Array[],
): Promise<{ values: unknown[]; skipped: number; end: string | undefined }> {
  const source = byteSource(...chunks);
  source.end();
  const reader = new FrameReader(source, { maxFrameBytes: CAP });
  const values: unknown[] = [];
  for (let next = await reader.read(); next !== undefined; next = await reader.read()) values.push(next.value);
  return { values, skipped: reader.counters.skippedFrames, end: reader.end };
}

describe('framing', () => {
  it('is the same however the bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(lines, cuts, async (all, cut) => {
        const bytes = streamOf(all);
        expect(await framesOf(chunksOf(bytes, cut))).toEqual({
          values: all.filter((line) => line.outcome === 'frame').map((line) => line.value),
          skipped: all.filter((line) => line.outcome === 'skipped').length,
          end: 'ended',
        });
      }),
      { examples: [[[], [[], true]]] },
    ));

  it('gives the last object without its newline, and nothing else that is left over', () =>
    fc.assert(
      fc.asyncProperty(frame, fc.nat(), cuts, async (line, place, cut) => {
        const text = line.bytes.subarray(0, line.bytes.at(-1) === 13 ? -1 : undefined);
        expect(await framesOf(chunksOf(text, cut))).toEqual({ values: [line.value], skipped: 0, end: 'ended' });
        const part = text.subarray(0, place % text.length);
        expect(await framesOf(chunksOf(part, cut))).toEqual({ values: [], skipped: 0, end: 'ended' });
      }),
    ));

  it('loses nothing to waits that are given up', () =>
    fc.assert(
      fc.asyncProperty(lines, cuts, fc.infiniteStream(fc.nat({ max: 3 })), async (all, cut, moods) => {
        const bytes = streamOf(all);
        const chunks = chunksOf(bytes, cut);
        const source = byteSource();
        const reader = new FrameReader(source, { maxFrameBytes: CAP });
        const values: unknown[] = [];
        for (const chunk of [...chunks, undefined]) {
          const controller = new AbortController();
          const read = reader.read(controller.signal).then(
            (next) => next && values.push(next.value),
            () => {},
          );
          const mood = moods.next().value;
          if (mood === 1) controller.abort();
          if (mood === 2) await settle();
          if (chunk === undefined) source.end();
          else source.push(chunk);
          if (mood === 3) await settle();
          controller.abort();
          await read;
        }
        for (let next = await reader.read(); next !== undefined; next = await reader.read()) values.push(next.value);
        expect({ values, skipped: reader.counters.skippedFrames, end: reader.end }).toEqual(await framesOf(chunks));
      }),
      { numRuns: 50 },
    ));
});

describe('any bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.array(fc.constantFrom(0x0a, 0x0d, 0x1b, 0x5b, 0x5d, 0x5c, 0x07, 0x7b, 0x7d, 0x22, 0x20, 0xef, 0xbb, 0xbf), {
      maxLength: 600,
    }),
  );

  it('never throw, and end the stream only by its end or by the cap', () =>
    fc.assert(
      fc.asyncProperty(bytes, cuts, async (data, cut) => {
        const { end } = await framesOf(chunksOf(Buffer.from(data), cut));
        const longest = Math.max(...Buffer.from(data).toString('latin1').split('\n').map(withoutReturn));
        expect(end).toBe(longest > CAP ? 'frame-too-large' : 'ended');
      }),
      { numRuns: 300 },
    ));

  it('never make the splitter hold more than the cap, a return and one chunk', () =>
    fc.assert(
      fc.property(bytes, cuts, fc.integer({ min: 1, max: 300 }), (data, cut, cap) => {
        const splitter = new LineSplitter(cap);
        for (const chunk of chunksOf(Buffer.from(data), cut)) {
          splitter.push(chunk);
          let found = true;
          while (found) {
            found = splitter.next();
            expect(splitter.end - splitter.start).toBeLessThanOrEqual(cap);
            expect(splitter.retainedBytes).toBeLessThanOrEqual(cap + 1 + chunk.byteLength);
          }
        }
      }),
    ));
});

describe('writing', () => {
  it('and reading give the message back, whatever it holds', () =>
    fc.assert(
      fc.asyncProperty(object, async (message) => {
        const bytes = Buffer.from(serialize(message));
        fc.pre(bytes.length <= CAP + 1);
        expect(bytes.indexOf(10)).toBe(bytes.length - 1);
        expect((await framesOf([bytes])).values).toEqual([again(message)]);
      }),
    ));
});

function withoutReturn(line: string): number {
  return line.endsWith('\r') ? line.length - 1 : line.length;
}
