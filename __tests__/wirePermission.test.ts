import { describe, expect, it } from '@jest/globals';
import { dialectOf } from '../src/wire/dialect.js';

const v1 = dialectOf(1);
const v2 = dialectOf(2);
const options = [
  { optionId: 'code', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const toolCall = { toolCallId: 't', title: 'Edit files', kind: 'edit' };

describe('a permission request', () => {
  it('is read in the words of either version by both', () => {
    const inV1 = { sessionId: 's', toolCall, options };
    const inV2 = { sessionId: 's', title: 'Make edits?', subject: { type: 'tool_call', toolCall }, options };
    for (const dialect of [v1, v2]) {
      const common = { sessionId: 's', tool: toolCall, options };
      expect(dialect.readPermission(inV1)).toStrictEqual({ ...common, title: 'Edit files', raw: inV1 });
      expect(dialect.readPermission(inV2)).toStrictEqual({ ...common, title: 'Make edits?', raw: inV2 });
    }
  });

  it('about a command has no tool, whatever it names', () => {
    const subject = {
      type: 'command',
      command: 'rm',
      cwd: '/',
      toolCallId: 't',
      toolCall: { toolCallId: 't', kind: 'read' },
    };
    const read = v2.readPermission({ sessionId: 's', title: 'Run?', subject, options });
    expect(read?.tool).toBeUndefined();
    expect(read?.title).toBe('Run?');
  });

  it('has a tool only with an id, and the nulls of its tool mean what they mean in the version', () => {
    expect(v1.readPermission({ sessionId: 's', toolCall: { title: 'x' }, options })?.tool).toBeUndefined();
    const cleared = { toolCallId: 't', title: null, kind: null };
    expect(v1.readPermission({ sessionId: 's', toolCall: cleared, options })?.tool).toStrictEqual({ toolCallId: 't' });
    expect(v2.readPermission({ sessionId: 's', subject: { type: 'tool_call', toolCall: cleared } })?.tool).toEqual(
      cleared,
    );
    expect(v2.readPermission({ sessionId: 's', subject: { type: 'tool_call', toolCall: cleared } })?.title).toBe('');
  });

  // prettier-ignore
  it.each([
    [[{ optionId: 'x', name: 'X', kind: 'allow_persistent' }, { optionId: 'y' }], [['x', 'X', 'allow_persistent'], ['y', '', '']]],
    [[{ optionId: 7, kind: 'allow_once' }, { kind: 'allow_once' }, null, 'x'],    []],
    [[{ optionId: 'x', name: null, kind: ['allow_once'] }],                       [['x', '', '']]],
    [[],                                                                          []],
    [null,                                                                        []],
    [undefined,                                                                   []],
    ['allow_once',                                                                []],
  ])('with options %j offers those that can be named in an answer', (given, offered) => {
    const read = v1.readPermission({ sessionId: 's', toolCall, options: given });
    expect(read?.options.map(({ optionId, name, kind }) => [optionId, name, kind])).toEqual(offered);
  });

  it('survives members of a wrong type, and is none without params', () => {
    const odd = { sessionId: 5, title: {}, subject: 'x', toolCall: [], options: {} };
    expect(v2.readPermission(odd)).toStrictEqual({ sessionId: undefined, title: '', options: [], raw: odd });
    for (const params of [null, undefined, 'x', [], 5]) {
      expect(v1.readPermission(params)).toBeUndefined();
      expect(v2.readPermission(params)).toBeUndefined();
    }
  });
});
