import fc from 'fast-check';
import { CONTENT_LIMIT, mergeTool, ToolCallStore } from '../src/session/toolCalls.js';
import { weightOf } from '../src/session/weight.js';
import type { ToolCall, ToolPatch } from '../src/wire/normal.js';

const id = 't-1';
const PLACEHOLDER: ToolCall = { toolCallId: id, status: 'pending', content: [], locations: [] };
const FULL: ToolPatch = {
  toolCallId: id,
  title: 'Run',
  kind: 'execute',
  status: 'in_progress',
  content: [{ n: 1 }],
  locations: [{ path: '/a', line: 3 }],
  rawInput: { cmd: 'ls' },
  rawOutput: 'out',
};

describe('merging a tool call', () => {
  it('the first mention of an id makes a call of which nothing else is known', () => {
    expect(mergeTool(undefined, { toolCallId: id })).toEqual(PLACEHOLDER);
  });

  it('what a patch omits is never erased', () => {
    const before = mergeTool(undefined, FULL);
    expect(mergeTool(before, { toolCallId: id })).toEqual(before);
    expect(mergeTool(before, { toolCallId: id, status: 'completed' })).toEqual({ ...before, status: 'completed' });
  });

  it('null clears: the kind to other, the status to pending', () => {
    const cleared = mergeTool(mergeTool(undefined, FULL), {
      toolCallId: id,
      title: null,
      kind: null,
      status: null,
      content: null,
      locations: null,
      rawInput: null,
      rawOutput: null,
    });
    expect(cleared).toEqual({ ...PLACEHOLDER, kind: 'other' });
    expect(cleared).not.toHaveProperty('title');
  });

  it('lists replace, chunks append after them', () => {
    const before = mergeTool(undefined, FULL);
    const after = mergeTool(before, { toolCallId: id, content: [{ n: 2 }], appendContent: [{ n: 3 }] });
    expect(after.content).toEqual([{ n: 2 }, { n: 3 }]);
    expect(mergeTool(after, { toolCallId: id, appendContent: [{ n: 4 }] }).content).toHaveLength(3);
    expect(mergeTool(after, { toolCallId: id, content: null, appendContent: [{ n: 5 }] }).content).toEqual([{ n: 5 }]);
  });

  it('words of the agent that the protocol does not know are kept', () => {
    expect(mergeTool(undefined, { toolCallId: id, kind: '_x', status: 'paused' })).toMatchObject({
      kind: '_x',
      status: 'paused',
    });
  });
});

const optional = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(fc.constant(undefined), fc.constant(null), arb);
const aPatch: fc.Arbitrary<ToolPatch> = fc
  .record({
    title: optional(fc.string()),
    kind: optional(fc.constantFrom('read', 'edit', '_x')),
    status: optional(fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'paused')),
    content: optional(fc.array(fc.integer(), { maxLength: 3 })),
    locations: optional(fc.array(fc.record({ path: fc.string() }), { maxLength: 2 })),
    rawInput: optional(fc.integer()),
    rawOutput: optional(fc.string()),
    appendContent: fc.oneof(fc.constant(undefined), fc.array(fc.integer(), { maxLength: 2 })),
  })
  .map((members) => {
    const given = Object.entries(members).filter(([, value]) => value !== undefined);
    return { toolCallId: id, ...Object.fromEntries(given) };
  });

/** Member by member: what the last patch that speaks of it says. */
function reference(patches: ToolPatch[]): ToolCall {
  const last = (name: keyof ToolPatch): unknown => patches.findLast((patch) => patch[name] !== undefined)?.[name];
  const given = Object.entries({
    title: last('title') ?? undefined,
    kind: last('kind') === null ? 'other' : last('kind'),
    rawInput: last('rawInput') ?? undefined,
    rawOutput: last('rawOutput') ?? undefined,
  }).filter(([, value]) => value !== undefined);
  const since = patches.findLastIndex((patch) => patch.content !== undefined);
  return {
    toolCallId: id,
    status: (last('status') ?? 'pending') as string,
    locations: (last('locations') ?? []) as [],
    content: [
      ...(patches[since]?.content ?? []),
      ...patches.slice(Math.max(since, 0)).flatMap((patch) => patch.appendContent ?? []),
    ],
    ...Object.fromEntries(given),
  };
}

it('a call is what the newest word on each member says, whatever the patches', () => {
  fc.assert(
    fc.property(fc.array(aPatch, { minLength: 1, maxLength: 8 }), (patches) => {
      const store = new ToolCallStore();
      const applied = patches.map((patch) => store.apply(patch));
      expect(store.get(id)).toStrictEqual(reference(patches));
      expect(applied.map(({ first }) => first)).toEqual(patches.map((_, at) => at === 0));
      // Snapshots: what was handed out earlier is still what the patches up to then add up to.
      applied.forEach(({ toolCall }, at) => expect(toolCall).toStrictEqual(reference(patches.slice(0, at + 1))));
    }),
  );
});

describe('the calls of a session', () => {
  const marked = (status: string): string | undefined => {
    const store = new ToolCallStore();
    store.apply({ toolCallId: id, status });
    return store.cancelUnfinished(id)?.status;
  };

  it('that have not ended are marked cancelled, an unknown status counting as not ended', () => {
    expect(['pending', 'in_progress', 'paused', 'completed', 'failed', 'cancelled'].map(marked)).toEqual([
      ...['cancelled', 'cancelled', 'cancelled'],
      ...['completed', 'failed', 'cancelled'],
    ]);
  });

  it('that were marked cancelled are what the agent says later', () => {
    const store = new ToolCallStore();
    const before = store.apply(FULL).toolCall;
    store.cancelUnfinished(id);
    expect(before.status).toBe('in_progress');
    expect(store.apply({ toolCallId: id, rawOutput: 'more' }).toolCall.status).toBe('cancelled');
    expect(store.apply({ toolCallId: id, status: 'completed' }).toolCall.status).toBe('completed');
  });

  it('of an unknown id are none', () => {
    const store = new ToolCallStore();
    expect(store.get('constructor')).toBeUndefined();
    expect(store.cancelUnfinished('__proto__')).toBeUndefined();
    expect(store.apply({ toolCallId: '__proto__' }).first).toBe(true);
    expect(store.apply({ toolCallId: '__proto__' }).first).toBe(false);
  });

  it('are bounded in number: the oldest is forgotten first', () => {
    const store = new ToolCallStore({ calls: 3, bytes: 1e6 });
    for (const toolCallId of ['a', 'b', 'c', 'd']) store.apply({ toolCallId });
    expect(['a', 'b', 'c', 'd'].map((known) => store.get(known) !== undefined)).toEqual([false, true, true, true]);
    expect(store.apply({ toolCallId: 'a' }).first).toBe(true);
  });

  it('are bounded in bytes: the oldest go, the one just spoken of stays', () => {
    const store = new ToolCallStore({ calls: 100, bytes: 2_500 });
    for (const toolCallId of ['a', 'b', 'c']) store.apply({ toolCallId, rawOutput: 'x'.repeat(1_000) });
    expect(['a', 'b', 'c'].map((known) => store.get(known) !== undefined)).toEqual([false, true, true]);
    store.apply({ toolCallId: 'b', rawOutput: 'x'.repeat(2_400) });
    expect(['b', 'c'].map((known) => store.get(known) !== undefined)).toEqual([true, false]);
  });

  it('may be a single one that is heavier than the bound by its id', () => {
    const store = new ToolCallStore({ calls: 100, bytes: 100 });
    expect(store.apply({ toolCallId: 'x'.repeat(200) }).first).toBe(true);
    expect(store.apply({ toolCallId: 'x'.repeat(200) }).first).toBe(false);
  });

  it('are never more than the bound, and the one just spoken of is always there', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 40 }), fc.boolean(), (spoken, byBytes) => {
        const store = new ToolCallStore(byBytes ? { calls: 100, bytes: 350 } : { calls: 3, bytes: 1e6 });
        for (const toolCallId of spoken) {
          const { toolCall } = store.apply({ toolCallId, title: 'x'.repeat(100) });
          expect(store.get(toolCallId)).toBe(toolCall);
          expect(names.filter((name) => store.get(name) !== undefined).length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  it('a patch that one call cannot hold leaves what was, but for a known status', () => {
    const store = new ToolCallStore({ calls: 100, bytes: 1_000 });
    store.apply({ toolCallId: id, title: 'Run', kind: 'read' });
    const { toolCall, clipped } = store.apply({
      toolCallId: id,
      title: 'x'.repeat(2_000),
      kind: 'edit',
      status: 'completed',
    });
    expect(toolCall).toEqual({ ...PLACEHOLDER, title: 'Run', kind: 'read', status: 'completed' });
    expect(clipped).toBe(true);
    expect(store.apply({ toolCallId: id, status: 'y'.repeat(2_000) }).toolCall.status).toBe('completed');
  });

  it('grow by chunks up to a bound, so that an endless stream of them costs little', () => {
    const store = new ToolCallStore();
    const chunk = { toolCallId: id, appendContent: [{}] };
    const clipped = Array.from({ length: CONTENT_LIMIT }, () => store.apply(chunk).clipped);
    expect(clipped).not.toContain(true);
    expect(store.apply(chunk)).toMatchObject({ clipped: true });
    expect(store.get(id)?.content).toHaveLength(CONTENT_LIMIT);
    expect(store.apply({ toolCallId: id, content: [1], appendContent: [2] }).toolCall.content).toEqual([1, 2]);
  });
});

describe('the weight of a value', () => {
  it('grows with its strings, its names and the number of its parts', () => {
    expect(weightOf('x'.repeat(1_000)) - weightOf('')).toBe(1_000);
    expect(weightOf({ ['k'.repeat(50)]: 1 }) - weightOf({ k: 1 })).toBe(49);
    expect(weightOf([[], [], []])).toBe(4 * weightOf([]));
    expect([null, true, 1, undefined].map(weightOf)).toEqual(Array(4).fill(weightOf('')));
  });

  it('is told however deep the nesting and however long the list', () => {
    const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown;
    expect(weightOf(deep)).toBe(200_000 * weightOf([]));
    expect(weightOf(Array(300_000).fill(1))).toBeGreaterThan(300_000);
  });
});
