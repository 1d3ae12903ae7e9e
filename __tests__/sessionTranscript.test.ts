import fc from 'fast-check';
import { ToolCallStore } from '../src/session/toolCalls.js';
import { RESULT_LIMIT_BYTES, Transcript } from '../src/session/transcript.js';
import { TerminalStore } from '../src/session/terminals.js';
import { toUpdate, type Stores } from '../src/session/updates.js';
import type { NormalUpdate } from '../src/wire/normal.js';

type Message = Extract<NormalUpdate, { kind: 'text' | 'thought' | 'user' }>;

const says = (text: string, messageId?: string, append = true): Message => ({
  kind: 'text',
  text,
  append,
  raw: {},
  ...(messageId === undefined ? {} : { messageId }),
});

function hear(messages: Message[], limit?: number): Transcript {
  const transcript = new Transcript(limit);
  for (const message of messages) transcript.message(message);
  return transcript;
}

describe('the text of a turn', () => {
  // prettier-ignore
  it.each<[string, Message[], string]>([
    ['nothing said',                        [], ''],
    ['chunks append',                       [says('a'), says('b'), says(''), says('c')], 'abc'],
    ['chunks of a message append',          [says('a', 'm1'), says('b', 'm1')], 'ab'],
    ['messages in order of first mention',  [says('a', 'm1'), says('x', 'm2'), says('b', 'm1')], 'abx'],
    ['a replacement stays in place',        [says('a', 'm1'), says('x', 'm2'), says('A!', 'm1', false)], 'A!x'],
    ['chunks go on after a replacement',    [says('a', 'm1'), says('B', 'm1', false), says('c', 'm1')], 'Bc'],
    ['a replacement may come first',        [says('A', 'm1', false), says('b', 'm1')], 'Ab'],
    ['a message may be cleared',            [says('a', 'm1'), says('', 'm1', false), says('b', 'm2')], 'b'],
    ['one without an id ends at another',   [says('a'), says('x', 'm1'), says('b'), says('c'), says('y', 'm1')], 'axybc'],
    ['thoughts and echoes are not kept',    [{ ...says('t'), kind: 'thought' }, { ...says('u'), kind: 'user' }, says('a')], 'a'],
    ['an id of every object is an id',      [says('a', '__proto__'), says('b', 'constructor'), says('c', '__proto__')], 'acb'],
  ])('%s', (_, messages, text) => {
    expect(hear(messages).heard()).toEqual({ text, toolCalls: [], truncated: false });
  });

  const aMessage = fc
    .tuple(fc.string({ maxLength: 3 }), fc.constantFrom(undefined, 'm1', 'm2', 'm3'), fc.boolean())
    .map(([text, id, append]) => says(text, id, id === undefined || append));

  it('is its messages, each in place of its first mention, whatever comes in which order', () => {
    fc.assert(
      fc.property(fc.array(aMessage, { maxLength: 30 }), (messages) => {
        const parts: { id: string | undefined; text: string }[] = [];
        let last: string | undefined | null = null;
        for (const { text, messageId, append } of messages) {
          const known = parts.findLast(({ id }) => id === messageId && (id !== undefined || last === undefined));
          const part = known ?? { id: messageId, text: '' };
          if (known === undefined) parts.push(part);
          part.text = append ? part.text + text : text;
          last = messageId;
        }
        expect(hear(messages).heard().text).toBe(parts.map(({ text }) => text).join(''));
      }),
    );
  });

  it('said by the letter is the same text', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + (i % 26)));
    expect(hear(words.map((letter) => says(letter))).heard().text).toBe(words.join(''));
    expect(hear(words.map((letter) => says(letter, 'm1'))).heard().text).toBe(words.join(''));
  });
});

describe('a result keeps 64 MiB', () => {
  it('of text, to the byte', () => {
    expect(RESULT_LIMIT_BYTES).toBe(64 * 1024 * 1024);
    const exact = hear(Array<Message>(64).fill(says('x'.repeat(1024 * 1024))));
    expect(exact.heard()).toMatchObject({ truncated: false });
    exact.message(says('!'));
    const { text, truncated } = exact.heard();
    expect([text.length, truncated]).toEqual([RESULT_LIMIT_BYTES, true]);
  });

  it('and past that nothing more, however small', () => {
    const transcript = hear([says('12345678'), says('90a'), says('b')], 10);
    transcript.tool(new ToolCallStore().apply({ toolCallId: 't' }));
    expect(transcript.heard()).toEqual({ text: '12345678', toolCalls: [], truncated: true });
  });

  it('counting UTF-8 bytes', () => {
    expect(hear([says('äöü')], 6).heard()).toMatchObject({ text: 'äöü', truncated: false });
    expect(hear([says('äöü')], 5).heard()).toMatchObject({ text: '', truncated: true });
  });

  it('counting what a replacement leaves, not what it replaced', () => {
    const messages = Array.from({ length: 100 }, (_, i) => says(`${i}`.padStart(50), 'm1', false));
    expect(hear(messages, 400).heard()).toMatchObject({ text: '99'.padStart(50), truncated: false });
  });

  it('and empty messages without end are not kept without end', () => {
    const flood = Array.from({ length: 10_000 }, (_, i) => says('', i % 2 === 0 ? `m${i}` : undefined));
    expect(hear(flood, 100_000).heard().truncated).toBe(true);
  });

  it('of text and tool calls together', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript(2_000);
    transcript.tool(store.apply({ toolCallId: 't', rawOutput: 'x'.repeat(1_500) }));
    transcript.message(says('y'.repeat(600)));
    expect(transcript.heard()).toMatchObject({ text: '', truncated: true, toolCalls: [{ toolCallId: 't' }] });
  });

  it('of tool calls counting each as it is now', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript(2_000);
    for (let i = 0; i < 50; i++) transcript.tool(store.apply({ toolCallId: 't', rawOutput: 'x'.repeat(1_500) }));
    expect(transcript.heard().truncated).toBe(false);
    transcript.tool(store.apply({ toolCallId: 'u', rawOutput: 'x'.repeat(1_500) }));
    expect(transcript.heard()).toMatchObject({ truncated: true, toolCalls: [{ toolCallId: 't' }] });
  });

  it('and says so where one call was too much for the session', () => {
    const transcript = new Transcript();
    const store = new ToolCallStore({ calls: 10, bytes: 100 });
    transcript.tool(store.apply({ toolCallId: 't', rawOutput: 'x'.repeat(200), status: 'completed' }));
    expect(transcript.heard()).toMatchObject({ truncated: true, toolCalls: [{ status: 'completed' }] });
  });

  it('and no more than ten thousand calls', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript();
    for (let i = 0; i <= 10_000; i++) transcript.tool(store.apply({ toolCallId: `t${i}` }));
    const { toolCalls, truncated } = transcript.heard();
    expect([toolCalls.length, truncated]).toEqual([10_000, true]);
  });
});

describe('the tool calls of a turn', () => {
  it('are the merged calls that were spoken of in it, in order of first mention', () => {
    const store = new ToolCallStore();
    store.apply({ toolCallId: 'before', title: 'Earlier' });
    const transcript = new Transcript();
    transcript.tool(store.apply({ toolCallId: 'a', title: 'A' }));
    transcript.tool(store.apply({ toolCallId: 'before', status: 'completed' }));
    transcript.tool(store.apply({ toolCallId: 'a', status: 'completed' }));
    expect(transcript.heard().toolCalls).toMatchObject([
      { toolCallId: 'a', title: 'A', status: 'completed' },
      { toolCallId: 'before', title: 'Earlier', status: 'completed' },
    ]);
  });

  it('that have not ended are marked on cancel, and what the agent says later wins', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript();
    transcript.tool(store.apply({ toolCallId: 'a', status: 'in_progress' }));
    transcript.tool(store.apply({ toolCallId: 'b', status: 'completed' }));
    transcript.tool(store.apply({ toolCallId: 'c' }));
    transcript.cancelUnfinished(store);
    transcript.tool(store.apply({ toolCallId: 'c', status: 'failed' }));
    expect(transcript.heard().toolCalls.map(({ status }) => status)).toEqual(['cancelled', 'completed', 'failed']);
    expect(store.get('a')?.status).toBe('cancelled');
  });

  it('of a result do not change with what comes after it', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript();
    transcript.tool(store.apply({ toolCallId: 'a', status: 'in_progress' }));
    const { toolCalls } = transcript.heard();
    store.apply({ toolCallId: 'a', status: 'completed', appendContent: [1] });
    expect(toolCalls).toEqual([{ toolCallId: 'a', status: 'in_progress', content: [], locations: [] }]);
  });
});

const stores = (tools = new ToolCallStore()): Stores => ({ tools, terminals: new TerminalStore() });

describe('an update, as it is delivered', () => {
  it('of text is handed on as it was read, nothing copied', () => {
    const read = says('a', 'm1');
    const transcript = new Transcript();
    expect(toUpdate(read, stores(), transcript)).toBe(read);
    expect(transcript.heard().text).toBe('a');
  });

  it('of a tool call has the merged call, and says whether it is the first of it', () => {
    const store = new ToolCallStore();
    const transcript = new Transcript();
    const raw = { sessionUpdate: 'tool_call' };
    const patch = { toolCallId: 't', title: 'Run' };
    const first = toUpdate({ kind: 'tool', patch, raw }, stores(store), transcript);
    const next = toUpdate(
      { kind: 'tool', patch: { toolCallId: 't', status: 'failed' }, raw },
      stores(store),
      transcript,
    );
    const call = { toolCallId: 't', title: 'Run', content: [], locations: [] };
    expect(first).toEqual({ kind: 'tool', toolCall: { ...call, status: 'pending' }, first: true, raw });
    expect(next).toEqual({ kind: 'tool', toolCall: { ...call, status: 'failed' }, first: false, raw });
    expect(transcript.heard().toolCalls).toEqual([{ ...call, status: 'failed' }]);
  });

  it('outside a turn is in no transcript, and merged all the same', () => {
    const store = new ToolCallStore();
    toUpdate({ kind: 'tool', patch: { toolCallId: 't', title: 'Run' }, raw: {} }, stores(store), undefined);
    expect(store.get('t')?.title).toBe('Run');
  });

  it('that could not be read is unknown, and raw', () => {
    const raw = { sessionUpdate: 5 };
    expect(toUpdate({ kind: 'unknown', known: true, raw }, stores(), undefined)).toEqual({
      kind: 'unknown',
      raw,
    });
  });

  it.each<NormalUpdate>([
    { kind: 'thought', text: 'hm', append: true, raw: {} },
    { kind: 'user', text: 'hi', append: true, raw: {} },
    { kind: 'plan', entries: [{ content: 'a', status: 'pending', priority: 'low' }], raw: {} },
    { kind: 'commands', commands: ['/init'], raw: {} },
    { kind: 'mode', modeId: 'ask', raw: {} },
    { kind: 'config', config: [], raw: {} },
    { kind: 'info', raw: {} },
    { kind: 'usage', raw: {} },
    { kind: 'state', state: 'running', raw: {} },
    { kind: 'notice', raw: {} },
  ])('of kind $kind is itself, and not part of the text', (read) => {
    const transcript = new Transcript();
    expect(toUpdate(read, stores(), transcript)).toEqual(read);
    expect(transcript.heard()).toEqual({ text: '', toolCalls: [], truncated: false });
  });
});
