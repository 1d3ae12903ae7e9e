import { decodeLine, excerpt, EXCERPT_CHARS, type Decoded } from '../src/framing/decode.js';

const ESC = '\x1b';
const BOM = '\ufeff';

/** As part of a larger buffer, whose other bytes must not matter. */
function decode(line: string | Uint8Array, first = false): Decoded {
  const bytes = Buffer.from(line);
  const padded = Buffer.concat([Buffer.from('[{'), bytes, Buffer.from('\x07}]')]);
  return decodeLine(padded, 2, 2 + bytes.length, first);
}

describe('a line', () => {
  it.each(['', ' ', '\t \r', '   '])('of white space is blank: %j', (line) => {
    expect(decode(line)).toEqual({ kind: 'blank' });
  });

  it.each([
    ['{}', {}],
    ['{"a":1}', { a: 1 }],
    [' \t{"a":1} \r', { a: 1 }],
    ['{"a":"\u2028\u2029\u0085"}', { a: '\u2028\u2029\u0085' }],
    ['{"a":"\\u0000\\ud800"}', { a: '\0\ud800' }],
    ['{"é漢🙂":1}', { 'é漢🙂': 1 }],
  ])('with one JSON object is that object: %j', (line, value) => {
    expect(decode(line)).toEqual({ kind: 'object', value, byteLength: Buffer.byteLength(line), repaired: false });
  });

  it.each([
    'hello',
    '42',
    'null',
    'true',
    '"x"',
    '[]',
    '[{"a":1}]',
    '{',
    '{"a":1',
    '{"a":1}}',
    '{"a":1}{"b":2}',
    'log: {"a":1}',
    '{"a":1} trailing',
    "{'a':1}",
    '{"a":1,}',
    '{"a":NaN}',
    '\v{"a":1}',
    '\0{"a":1}',
    '\u00a0',
    '\u00a0{"a":1}',
    '\f',
  ])('with anything else is garbage, and its text is shown: %j', (line) => {
    expect(decode(line)).toEqual({ kind: 'garbage', text: line });
  });

  it('nested too deep for a parser, or just deep, does not throw', () => {
    for (const depth of [10_000, 1_000_000]) {
      expect(['object', 'garbage']).toContain(decode(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`).kind);
      expect(decode(`{"a":${'['.repeat(depth)}`).kind).toBe('garbage');
    }
  });

  it('gives keys of the prototype as keys and nothing else', () => {
    const line = decode('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    if (line.kind !== 'object') throw new Error(line.kind);
    expect(Object.getPrototypeOf(line.value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(line.value)).toEqual(['__proto__', 'constructor']);
  });
});

describe('a byte order mark', () => {
  it.each([
    ['starts the stream', `${BOM}{"a":1}`, true, 'object'],
    ['starts the stream before a control sequence', `${BOM}${ESC}[0m{"a":1}`, true, 'object'],
    ['alone on the first line', BOM, true, 'blank'],
    ['twice', `${BOM}${BOM}{"a":1}`, true, 'garbage'],
    ['after white space', ` ${BOM}{"a":1}`, true, 'garbage'],
    ['on a later line', `${BOM}{"a":1}`, false, 'garbage'],
    ['alone on a later line', BOM, false, 'garbage'],
  ])('%s', (_, line, first, kind) => {
    expect(decode(line, first).kind).toBe(kind);
  });
});

describe('control sequences of a terminal', () => {
  it.each([
    ['title, BEL', `${ESC}]0;agent: ready\x07{"a":1}`],
    ['title, ST', `${ESC}]0;agent: ready${ESC}\\{"a":1}`],
    ['empty title', `${ESC}]\x07{"a":1}`],
    ['title that holds a frame', `${ESC}]0;{"b":2}\x07{"a":1}`],
    ['title in any alphabet', `${ESC}]0;é漢🙂\x07{"a":1}`],
    ['colour', `${ESC}[31m{"a":1}`],
    ['no parameters', `${ESC}[K{"a":1}`],
    ['private mode', `${ESC}[?2004h{"a":1}`],
    ['intermediate bytes', `${ESC}[0 q{"a":1}`],
    ['final byte ~', `${ESC}[200~{"a":1}`],
    ['several', `${ESC}[0m${ESC}]0;t\x07${ESC}[2J{"a":1}`],
    ['among white space', ` ${ESC}[0m \t${ESC}[1m {"a":1}`],
  ])('before an object are dropped: %s', (_, line) => {
    expect(decode(line)).toMatchObject({ kind: 'object', value: { a: 1 }, repaired: false });
  });

  it.each([
    ['text after one', `${ESC}[0mlog {"a":1}`],
    ['text before one', `log ${ESC}[0m{"a":1}`],
    ['one behind', `{"a":1}${ESC}[0m`],
    ['one alone', `${ESC}[0m`],
    ['a title alone', `${ESC}]0;t\x07`],
    ['not ended', `${ESC}]0;t{"a":1}`],
    ['ended by the next line only', `${ESC}]0;t`],
    ['cut short', `${ESC}[`],
    ['escape alone', ESC],
    ['another escape inside', `${ESC}]0;${ESC}[0m\x07{"a":1}`],
    ['a byte that no sequence has', `${ESC}[\x01m{"a":1}`],
    ['beyond ASCII', `${ESC}[é{"a":1}`],
    ['another kind of sequence', `${ESC}(B{"a":1}`],
  ])('do not make a frame of %s', (_, line) => {
    expect(decode(line).kind).toBe('garbage');
  });
});

describe('bytes that are not UTF-8', () => {
  const around = (...bytes: number[]): Uint8Array =>
    Buffer.concat([Buffer.from('{"a":"<'), Buffer.from(bytes), Buffer.from('>"}')]);

  it.each([
    ['a stray byte', [0xff], '\ufffd'],
    ['two stray bytes', [0xff, 0xfe], '\ufffd\ufffd'],
    ['a cut character', [0xe2, 0x82], '\ufffd'],
    ['an overlong slash', [0xc0, 0xaf], '\ufffd\ufffd'],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
  ])('become U+FFFD, and the frame is repaired: %s', (_, bytes, text) => {
    expect(decode(around(...bytes))).toMatchObject({ kind: 'object', value: { a: `<${text}>` }, repaired: true });
  });

  it('do not make a repaired frame of an agent that writes U+FFFD itself', () => {
    expect(decode('{"a":"\ufffd"}')).toMatchObject({ value: { a: '\ufffd' }, repaired: false });
    expect(decode('{"a":"\\ufffd"}')).toMatchObject({ value: { a: '\ufffd' }, repaired: false });
    expect(decode(around(0xef, 0xbf, 0xbd, 0xff))).toMatchObject({ value: { a: '<\ufffd\ufffd>' }, repaired: true });
  });

  it('in a title before the frame leave the frame as it is', () => {
    const title = Buffer.concat([Buffer.from(`${ESC}]0;`), Buffer.from([0xff]), Buffer.from('\x07')]);
    expect(decode(Buffer.concat([title, Buffer.from('{"a":"\ufffd"}')]))).toMatchObject({ repaired: false });
  });

  it('outside of a string make the line garbage', () => {
    expect(decode(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual({ kind: 'garbage', text: '{\ufffd}' });
  });
});

describe('an excerpt', () => {
  const of = (text: string): string => {
    const bytes = Buffer.from(text);
    return excerpt(bytes, 0, bytes.length);
  };

  it.each(['x', '\u20ac', '🙂'])('holds at most 4,096 whole characters: %s', (character) => {
    const text = of(character.repeat(10_000));
    expect(text).toBe(character.repeat(EXCERPT_CHARS / character.length));
  });

  it('never ends on half a character', () => {
    expect(of(`x${'🙂'.repeat(5_000)}`)).toBe(`x${'🙂'.repeat(2_047)}`);
  });
});
