import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerText } from '../src/cli/answerText.js';
import { formatDuration, parseDuration } from '../src/cli/durations.js';
import { jsonLine } from '../src/cli/jsonLines.js';
import { Output } from '../src/cli/output.js';
import { oneLine, printable } from '../src/cli/printable.js';
import { Screen } from './support/screen.js';

const stream = (screen: Screen): NodeJS.WriteStream => screen as unknown as NodeJS.WriteStream;
const outputOn = (screen: Screen): Output =>
  new Output({ stdout: stream(screen), stderr: stream(screen), env: { NO_COLOR: '1' } });

describe('the status line', () => {
  const COLUMNS = 12;
  /** Lengths around the width of the screen, with and without an end of line. */
  const chunk = fc
    .tuple(fc.integer({ min: 0, max: 2 * COLUMNS + 1 }), fc.constantFrom('', '', '\n', '\nab'))
    .map(([length, end]) => 'abcdefghijklmnopqrstuvwxyz'.slice(0, length) + end);
  const step = fc.oneof(
    fc.record({ text: chunk }),
    fc.record({ status: fc.option(fc.string({ unit: fc.constantFrom('S', 'T'), maxLength: 30 }), { nil: undefined }) }),
    fc.record({ note: fc.string({ unit: fc.constantFrom('N', 'O'), minLength: 1, maxLength: 20 }) }),
  );

  it('leaves the screen as if it had never been there, wherever text wraps and scrolls', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 3, max: 6 }), (steps, rows) => {
        const screen = new Screen(COLUMNS, rows);
        const plain = new Screen(COLUMNS, rows);
        const output = outputOn(screen);
        let midLine = false;
        for (const one of steps) {
          if ('text' in one) {
            void output.text(one.text);
            plain.write(one.text);
            if (one.text !== '') midLine = !one.text.endsWith('\n');
          } else if ('note' in one) {
            output.note(one.note);
            plain.write(`${midLine ? '\n' : ''}${one.note}\n`);
            midLine = false;
          } else {
            output.status(one.status);
          }
        }
        output.status(undefined);
        expect(screen.text()).toBe(plain.text());
      }),
      { numRuns: 500 },
    );
  });

  it('stands under text that ends amid a line, also on the last line of the screen', () => {
    const screen = new Screen(20, 3);
    const output = outputOn(screen);
    output.status('at work');
    expect(screen.text()).toBe('at work');
    void output.text('one\ntwo\nthree and');
    expect(screen.text()).toBe('one\ntwo\nthree and\nat work');
    void output.text(' four');
    expect(screen.text()).toBe('one\ntwo\nthree and four\nat work');
    void output.text('+more than fits');
    expect(screen.text()).toBe('one\ntwo\nthree and four+more\nthan fits\nat work');
  });

  it('is cut where it is wider than the screen', () => {
    const screen = new Screen(5, 3);
    const output = outputOn(screen);
    output.status('abcdefghij');
    void output.text('text\n');
    expect(screen.text().split('\n')).toHaveLength(2);
  });

  it('is away while a question is asked, and text for the same screen waits until it is answered', () => {
    const screen = new Screen(20, 6);
    const output = outputOn(screen);
    output.status('at work');
    output.beginDialogue();
    output.prompt('Well? ');
    void output.text('meanwhile');
    output.status('still at work');
    expect(screen.text()).toBe('Well?');
    screen.write('\n');
    output.endDialogue();
    expect(screen.text()).toBe('Well?\nmeanwhile\nstill at work');
  });

  it.each([{ TERM: 'dumb' }, undefined])('is not there on a terminal that cannot move, or on none (%j)', (env) => {
    const screen = new Screen(20, 3);
    const stderr = env ? stream(screen) : ({ ...stream(screen), isTTY: false, on: () => {} } as never);
    const output = new Output({ stdout: stream(screen), stderr, env: env ?? {} });
    output.status('at work');
    expect([output.hasStatus, screen.text()]).toEqual([false, '']);
  });
});

describe('colours', () => {
  const terminal = stream(new Screen(80, 24));
  // As Node has it: a stream that is no terminal has no `isTTY`.
  const file = { ...terminal, isTTY: undefined, on: () => {} } as unknown as NodeJS.WriteStream;

  it.each([
    ['a terminal', terminal, {}, true],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['a file', file, {}, false],
    ['a file in CI with FORCE_COLOR', file, { CI: '1', FORCE_COLOR: '1' }, false],
  ])('on %s', (_, stdout, env, colored) => {
    const { colors } = new Output({ stdout, stderr: file, env });
    expect(colors.red('x') !== 'x').toBe(colored);
  });
});

describe("the agent's text", () => {
  const text = (answer: AnswerText, part: string, messageId?: string, append = true): string =>
    answer.take({ kind: 'text', text: part, append, raw: {}, ...(messageId === undefined ? {} : { messageId }) });

  it('is written as it comes within a message', () => {
    const answer = new AnswerText();
    expect([text(answer, 'a'), text(answer, ' b'), text(answer, '')]).toEqual(['a', ' b', '']);
  });

  it('without message ids goes on until something else comes in between', () => {
    const answer = new AnswerText();
    text(answer, 'a');
    answer.interrupted();
    expect([text(answer, 'b'), text(answer, 'c')]).toEqual(['\nb', 'c']);
  });

  it('is not written twice when the whole message follows its chunks', () => {
    const answer = new AnswerText();
    text(answer, 'one ', 'a');
    text(answer, 'two', 'a');
    expect(text(answer, 'one two', 'a', false)).toBe('');
    expect(text(answer, 'one two three', 'a', false)).toBe(' three');
  });

  it('is written anew where a replacement says something else', () => {
    const answer = new AnswerText();
    text(answer, 'one', 'a');
    expect(text(answer, 'other', 'a', false)).toBe('\nother');
  });

  it('of any order of messages ends with the last thing said', () => {
    const part = fc.record({
      id: fc.constantFrom('a', 'b', undefined),
      part: fc.string({ unit: fc.constantFrom('x', 'y', '\n'), minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const answer = new AnswerText();
        const written = parts.map(({ id, part }) => text(answer, part, id));
        const joined = parts.map(({ part }) => part).join('');
        expect(written.join('').replaceAll('\n', '')).toBe(joined.replaceAll('\n', ''));
        expect(written.at(-1)!.endsWith(parts.at(-1)!.part)).toBe(true);
      }),
    );
  });

  it('moves no cursor and hides nothing on a terminal', () => {
    expect(printable('a\u001b[31mb\u001b]0;title\u0007c\rd\u009be\tf\n')).toBe('abcde\tf\n');
    expect(oneLine('a\u202eb\n c\u2028d\u001b[2J', 80)).toBe('a b c d');
    expect(oneLine('👍🏽 long enough', 4)).toBe('👍🏽 …');
  });
});

describe('a JSON line', () => {
  it('holds any value whole that is not too large', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(JSON.parse(jsonLine({ event: 'x', value }))).toEqual(JSON.parse(JSON.stringify({ event: 'x', value })));
      }),
    );
  });

  it('is cut where a value is too wide, too long or too deep, and says so', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, i) => [`key-${i}`, 'x'.repeat(20)]));
    for (const value of [deep, wide, 'x'.repeat(3_000_000), Array.from({ length: 2_000_000 }, () => 1)]) {
      const line = jsonLine({ event: 'x', value });
      expect(line.length).toBeLessThan(8 * 1024 * 1024);
      expect(JSON.parse(line)).toMatchObject({ event: 'x', cut: true });
    }
  });

  it('keeps a member called __proto__ a member', () => {
    const value = JSON.parse('{"__proto__":{"x":1}}') as object;
    expect(jsonLine({ value })).toBe('{"value":{"__proto__":{"x":1}}}\n');
  });
});

describe('durations', () => {
  it.each([
    ['300ms', 300],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['2 H', 7_200_000],
  ])('%s is %i ms', (typed, ms) => expect(parseDuration(typed)).toBe(ms));

  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [4_200, '4.2s'],
    [9_960, '10s'],
    [59_900, '1m'],
    [65_000, '1m 05s'],
    [7_200_000, '2h'],
    [7_500_000, '2h 05m'],
    [Infinity, 'no limit'],
  ])('%d ms read as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
