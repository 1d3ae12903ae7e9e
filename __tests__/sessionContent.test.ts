import { BadArgument } from '../src/rpc/badArgument.js';
import { absolutePath, capabilitiesOfSession, CAPABILITY_OF_CALL } from '../src/session/capabilities.js';
import { requiredCapabilities, toBlocks } from '../src/session/content.js';
import { v1 } from '../src/wire/v1.js';
import { v2 } from '../src/wire/v2.js';

const text = (words: string) => ({ type: 'text', text: words });
const resource = (uri: string, words: string, mimeType?: string) => ({
  type: 'resource',
  resource: mimeType === undefined ? { uri, text: words } : { uri, mimeType, text: words },
});
const badArgument = (argument: string): Error => expect.objectContaining({ name: 'BadArgument', argument });

describe('the blocks of a prompt', () => {
  const blocks = [text('look'), { type: 'image', data: 'AA==', mimeType: 'image/png' }, { type: '_custom', x: 1 }];
  const file = { uri: 'file:///etc/passwd', mimeType: 'text/x-c', text: 'int x;' };

  // prettier-ignore
  it.each<[string, unknown, unknown, boolean, unknown[]]>([
    ['text is one block, byte for byte',      ' a\r\n\u0000é ', undefined, true, [text(' a\r\n\u0000é ')]],
    ['blocks are the blocks',                 blocks, null, true, blocks],
    ['context comes first',                   'do', 'ctx', true, [resource('context:1', 'ctx'), text('do')]],
    ['context without embedding is text',     'do', 'ctx', false, [text('ctx'), text('do')]],
    ['a resource keeps its URI and type',     'do', file, true, [resource(file.uri, 'int x;', 'text/x-c'), text('do')]],
    ['a resource without embedding is text',  'do', file, false, [text('int x;'), text('do')]],
    ['each context is a block of its own',    'do', ['a', file, { uri: 'u:1', text: '' }], true,
      [resource('context:1', 'a'), resource(file.uri, 'int x;', 'text/x-c'), resource('u:1', ''), text('do')]],
    ['empty context is none',                 'do', '', true, [text('do')]],
    ['a list of no context is none',          'do', ['', ''], false, [text('do')]],
    ['context before several blocks',         blocks, 'ctx', false, [text('ctx'), ...blocks]],
    ['a slash command stays first',           '/init now', 'ctx', true, [text('/init now'), resource('context:1', 'ctx')]],
    ['also as a block, with what follows it', [text('/init'), text('x')], 'c', false, [text('/init'), text('x'), text('c')]],
    ['a slash later on is no command',        [text('x'), text('/y')], 'c', false, [text('c'), text('x'), text('/y')]],
    ['a slash behind a blank is no command',  ' /init', 'c', false, [text('c'), text(' /init')]],
  ])('%s', (_, prompt, context, embedded, expected) => {
    expect(toBlocks(prompt, context, embedded)).toEqual(expected);
  });

  it('that were authored are handed on untouched, in a list of their own', () => {
    const made = toBlocks(blocks, 'ctx', true);
    expect(made.slice(1).every((block, at) => block === blocks[at])).toBe(true);
    expect(toBlocks(blocks, undefined, true)).not.toBe(blocks);
  });

  it.each([
    ['nothing', ''],
    ['no blocks', []],
    ['no text and no list', 5],
    ['undefined', undefined],
    ['a string among blocks', [text('a'), 'b']],
    ['null among blocks', [null]],
    ['a list among blocks', [[]]],
    ['a block without a type', [{ text: 'a' }]],
    ['a block whose type is no word', [{ type: 1 }]],
  ])('are refused: %s', (_, prompt) => {
    expect(() => toBlocks(prompt, undefined, true)).toThrow(badArgument('prompt'));
  });

  it.each([
    ['a number', 5],
    ['an object without a URI', { text: 'a' }],
    ['an empty URI', { uri: '', text: 'a' }],
    ['an object without text', { uri: 'u:1' }],
    ['a blob', { uri: 'u:1', blob: 'AA==' }],
    ['a type that is no word', { uri: 'u:1', text: 'a', mimeType: 1 }],
    ['null in a list', ['a', null]],
    ['a list in a list', [['a']]],
  ])('context is refused: %s', (_, context) => {
    expect(() => toBlocks('do', context, false)).toThrow(badArgument('context'));
    expect(() => toBlocks('do', context, true)).toThrow(BadArgument);
  });

  it('need capabilities by their types, each once', () => {
    expect(requiredCapabilities([text('a'), { type: 'resource_link', uri: 'u:1', name: 'n' }])).toEqual([]);
    expect(
      requiredCapabilities([
        { type: 'resource' },
        { type: 'image' },
        { type: 'audio' },
        { type: 'image' },
        { type: '_x' },
      ]),
    ).toEqual(['promptCapabilities.embeddedContext', 'promptCapabilities.image', 'promptCapabilities.audio']);
    expect(requiredCapabilities([{ type: 'constructor' }, null])).toEqual([]);
  });

  it('made of context need no more than was negotiated', () => {
    expect(requiredCapabilities(toBlocks('a', 'ctx', false))).toEqual([]);
    expect(requiredCapabilities(toBlocks('a', 'ctx', true))).toEqual(['promptCapabilities.embeddedContext']);
  });
});

describe('the capability that a call needs', () => {
  const everything = {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true, acp: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
    auth: { logout: {} },
  };
  const paths = [
    ...Object.values(CAPABILITY_OF_CALL),
    ...capabilitiesOfSession({
      mcpServers: [{}, { type: 'http' }, { type: 'sse' }, { type: 'acp' }],
      additionalDirectories: ['/x'],
    }),
    ...requiredCapabilities([{ type: 'image' }, { type: 'audio' }, { type: 'resource' }]),
  ];

  it('is a path that v1 knows: an agent with everything has it, one with nothing has only stdio', () => {
    expect(paths.filter((path) => !v1.advertises(everything, path))).toEqual([]);
    expect(paths.filter((path) => v1.advertises({}, path))).toEqual(['mcpCapabilities.stdio']);
  });

  it('is answered in v2 too', () => {
    const session = {
      prompt: { image: {}, audio: {}, embeddedContext: {} },
      mcp: { stdio: {}, http: {}, acp: {} },
      delete: {},
      fork: {},
      additionalDirectories: {},
    };
    expect(paths.filter((path) => !v2.advertises({ session, auth: {} }, path))).toEqual(['mcpCapabilities.sse']);
    expect(paths.filter((path) => v2.advertises({}, path))).toEqual([]);
  });

  // prettier-ignore
  it.each<[string, unknown[], string[] | undefined, string[]]>([
    ['no servers need nothing',         [], undefined, []],
    ['a server is stdio unless it says', [{ name: 'a' }, { type: 'stdio' }], [], ['mcpCapabilities.stdio']],
    ['each transport once',             [{ type: 'http' }, { type: 'http' }], undefined, ['mcpCapabilities.http']],
    ['an unknown transport is the caller\'s', [{ type: '_x' }, { type: 'toString' }, null, 5], undefined, []],
    ['directories are a capability',    [], ['/x'], ['sessionCapabilities.additionalDirectories']],
  ])('%s', (_, mcpServers, additionalDirectories, needed) => {
    expect(capabilitiesOfSession({ mcpServers, additionalDirectories })).toEqual(needed);
  });
});

describe('an absolute path', () => {
  // prettier-ignore
  it.each([
    ['/work', true],          ['/', true],                 ['//host/x', true],
    ['C:\\x', true],          ['c:/x', true],              ['Z:\\', true],
    ['\\\\host\\share', true], ['\\\\?\\C:\\x', true],     ['\\\\host/share', true],
    ['.', false],             ['./x', false],              ['~/x', false],
    ['', false],              ['work', false],             ['C:rel', false],
    ['C:', false],            ['\\x', false],              ['\\\\host', false],
    ['\\\\host\\', false],    ['file:///x', false],        [' /x', false],
    [5, false],               [null, false],               [undefined, false],
  ])('%j: %s', (path, absolute) => {
    expect(absolutePath(path)).toBe(absolute);
  });
});
