import { BadArgument } from '../src/rpc/badArgument.js';
import { kindOf, onlyOfKind, type PermissionRequest } from '../src/policy/permission.js';
import { decidingOf, policy, type Policy, type Verdict } from '../src/policy/policies.js';
import type { ToolCall } from '../src/wire/normal.js';

const call = (kind?: string): ToolCall => ({
  toolCallId: 't-1',
  status: 'pending',
  content: [],
  locations: [],
  ...(kind === undefined ? {} : { kind }),
});

/** `allow_once` becomes an option `o1` of that kind; `x=allow_once` one with the id `x`. */
function request(options: string[], toolCall?: ToolCall): PermissionRequest {
  return {
    requestId: 1,
    sessionId: 's-1',
    title: 'Run?',
    options: options.map((text, at) => {
      const [first = '', second] = text.split('=');
      return second === undefined
        ? { optionId: `o${at + 1}`, name: '', kind: first }
        : { optionId: first, name: 'Allow', kind: second };
    }),
    raw: {},
    ...(toolCall === undefined ? {} : { toolCall }),
  };
}

const decide = (made: Policy, asked: PermissionRequest, announced?: ToolCall): Verdict =>
  decidingOf(made).decide(asked, announced);

const fn = (): null => null;
const CANCELLED: Verdict = { type: 'now', cause: 'policy' };
const chosen = (optionId: string): Verdict => ({ type: 'now', optionId, cause: 'policy' });
const ASKED: Verdict = { type: 'ask', fn, onTimeout: 'cancelled' };
const USUAL = ['allow_once', 'allow_always', 'reject_once'];

const badArgument = (argument: string): Error => expect.objectContaining({ name: 'BadArgument', argument });

describe('the only option of a kind', () => {
  it.each([
    ['one', ['reject_once', 'allow_once'], 'o2'],
    ['none', ['reject_once', 'allow_always'], undefined],
    ['several', ['allow_once', 'allow_once'], undefined],
    ['an id shared with an option of another kind', ['x=allow_once', 'x=allow_always'], undefined],
    ['no options', [], undefined],
  ])('%s', (_, options, expected) => {
    expect(onlyOfKind(request(options).options, 'allow_once')).toBe(expected);
  });

  it('the kind of an id is known unless options of different kinds share it', () => {
    const { options } = request(['x=allow_once', 'y=allow_always', 'y=reject_once', 'z=a', 'z=a']);
    expect(['x', 'y', 'z', 'w'].map((id) => kindOf(options, id))).toEqual(['allow_once', undefined, 'a', undefined]);
  });
});

describe('policy.cancel', () => {
  it('cancels whatever is offered', () => {
    expect(decide(policy.cancel(), request(USUAL, call('read')))).toEqual(CANCELLED);
  });
});

describe('policy.ask', () => {
  it('asks about everything, with its limit', () => {
    const made = policy.ask(fn, { timeoutMs: 500, onTimeout: 'reject_once' });
    expect(decide(made, request(USUAL))).toEqual({ type: 'ask', fn, timeoutMs: 500, onTimeout: 'reject_once' });
    expect(decide(policy.ask(fn), request([]))).toEqual(ASKED);
    expect(decide(policy.ask(fn, { timeoutMs: undefined, onTimeout: undefined }), request([]))).toEqual(ASKED);
  });

  it.each<[string, () => unknown, string]>([
    ['no function', () => policy.ask('yes' as never), 'fn'],
    ['a limit that is no number', () => policy.ask(fn, { timeoutMs: NaN }), 'timeoutMs'],
    ['a negative limit', () => policy.ask(fn, { timeoutMs: -1 }), 'timeoutMs'],
    ['an approval on timeout', () => policy.ask(fn, { onTimeout: 'allow_once' as never }), 'onTimeout'],
  ])('refuses %s', (_, make, argument) => {
    expect(make).toThrow(badArgument(argument));
  });
});

describe('policy.unattended', () => {
  const made = policy.unattended({ select: 'allow_once' });

  it.each([
    ['the only allow_once is chosen, wherever it stands', ['allow_always', 'reject_once', 'allow_once'], chosen('o3')],
    ['a lying id is not', ['allow=reject_once', 'allow_once2=reject_always'], CANCELLED],
    ['allow_always alone is not widened', ['allow_always'], CANCELLED],
    ['two of them name none', ['allow_once', 'allow_once', 'reject_once'], CANCELLED],
    ['an unknown kind is no approval', ['allow_persistent', 'ALLOW_ONCE', ''], CANCELLED],
    ['no options', [], CANCELLED],
  ])('%s', (_, options, verdict) => {
    expect(decide(made, request(options, call('read')))).toEqual(verdict);
  });

  it.each<[string, unknown, string]>([
    ['no choice', {}, 'select'],
    ['nothing', undefined, 'select'],
    ['allow_always', { select: 'allow_always' }, 'select'],
    ['a record that cannot be called', { select: 'allow_once', record: 5 }, 'record'],
  ])('refuses %s', (_, options, argument) => {
    expect(() => policy.unattended(options as never)).toThrow(badArgument(argument));
  });

  it('hands its record on', () => {
    const record = (): void => undefined;
    expect(decidingOf(policy.unattended({ select: 'allow_once', record })).record).toBe(record);
    expect(decidingOf(policy.cancel())).not.toHaveProperty('record');
  });
});

describe('policy.byKind', () => {
  const rules = { read: 'allow_once', edit: 'reject_once', execute: 'ask', delete: 'cancelled' } as const;

  // prettier-ignore
  it.each<[string, string | undefined, string | undefined, string[], Verdict]>([
    // what                                 claimed    announced  options  verdict
    ['a listed kind',                       'read',    undefined, USUAL,   chosen('o1')],
    ['the announced kind, where none is claimed', undefined, 'read', USUAL, chosen('o1')],
    ['a claim that fits the announcement',  'read',    'read',    USUAL,   chosen('o1')],
    ['a claim against the announcement',    'read',    'execute', USUAL,   ASKED],
    ['an announced kind that the rules allow, claimed as another', 'edit', 'read', USUAL, ASKED],
    ['no kind at all',                      undefined, undefined, USUAL,   ASKED],
    ['a kind not listed',                   'fetch',   undefined, USUAL,   ASKED],
    ['a kind unknown to the protocol',      'peruse',  undefined, USUAL,   ASKED],
    ['a kind of every object',              'constructor', undefined, USUAL, ASKED],
    ['the rule ask',                        'execute', undefined, USUAL,   ASKED],
    ['the rule cancelled',                  'delete',  undefined, USUAL,   CANCELLED],
    ['the rule reject_once',                'edit',    undefined, USUAL,   chosen('o3')],
    ['several options that fit',            'read',    undefined, ['allow_once', 'allow_once'], ASKED],
    ['no option that fits',                 'read',    undefined, ['allow_always', 'reject_once'], ASKED],
    ['no reject_once',                      'edit',    undefined, ['allow_once', 'reject_always'], ASKED],
  ])('%s', (_, claimed, announced, options, verdict) => {
    const asked = request(options, claimed === undefined ? undefined : call(claimed));
    const known = announced === undefined ? undefined : call(announced);
    expect(decide(policy.byKind(rules, fn), asked, known)).toEqual(verdict);
    // Without a function, whatever would be asked is cancelled.
    expect(decide(policy.byKind(rules), asked, known)).toEqual(verdict === ASKED ? CANCELLED : verdict);
  });

  it('does not heed a rule for a kind that the protocol does not know', () => {
    const made = policy.byKind({ peruse: 'allow_once' } as never);
    expect(decide(made, request(USUAL, call('peruse')))).toEqual(CANCELLED);
  });

  it('takes its rules as they are when it is made', () => {
    const mutable: { read: 'cancelled' | 'allow_once' } = { read: 'cancelled' };
    const made = policy.byKind(mutable);
    mutable.read = 'allow_once';
    expect(decide(made, request(USUAL, call('read')))).toEqual(CANCELLED);
  });

  it.each<[string, unknown, unknown, string]>([
    ['allow_always', { read: 'allow_always' }, undefined, 'rules.read'],
    ['a misspelt rule', { execute: 'Ask' }, undefined, 'rules.execute'],
    ['a rule that is no word', { edit: true }, undefined, 'rules.edit'],
    ['no rules', null, undefined, 'rules'],
    ['a function that is none', {}, 'ask', 'fn'],
  ])('refuses %s', (_, bad, fallback, argument) => {
    expect(() => policy.byKind(bad as never, fallback as never)).toThrow(badArgument(argument));
  });

  it('says which rules are legal', () => {
    expect(() => policy.byKind({ read: 'allow_always' as never })).toThrow(
      expect.objectContaining({ offered: ['allow_once', 'reject_once', 'ask', 'cancelled'] }),
    );
  });

  it('leaves out rules that are undefined', () => {
    expect(decide(policy.byKind({ read: undefined }), request(USUAL, call('read')))).toEqual(CANCELLED);
  });
});

describe('a policy', () => {
  it('shows its name and nothing else', () => {
    const made = [policy.cancel(), policy.ask(fn), policy.byKind({}), policy.unattended({ select: 'allow_once' })];
    expect(made).toEqual([{ name: 'cancel' }, { name: 'ask' }, { name: 'byKind' }, { name: 'unattended' }]);
  });

  it('made by nobody here decides nothing', () => {
    expect(() => decidingOf({ name: 'cancel' })).toThrow(badArgument('permissions'));
    expect(() => decidingOf(null as never)).toThrow(BadArgument);
  });
});
