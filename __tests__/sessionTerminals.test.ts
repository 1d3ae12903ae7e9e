/** The agent's own terminals (v2): patches, snapshots, bounds. And what else it tells of a session. */
import fc from 'fast-check';
import { SessionInfoStore } from '../src/session/info.js';
import { TERMINAL_OUTPUT_BYTES } from '../src/session/outputTail.js';
import { TerminalStore } from '../src/session/terminals.js';
import { readUpdateV1, readUpdateV2 } from '../src/wire/updates.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('a terminal', () => {
  it('is known from its first mention on, in whatever order', () => {
    const store = new TerminalStore();
    const first = store.apply({ terminalId: 't', appendOutput: bytes('early ') });
    expect(first).toEqual({ first: true, terminal: { terminalId: 't', output: 'early ', truncated: false } });
    const next = store.apply({ terminalId: 't', command: 'npm test', cwd: '/work', cancellable: true });
    expect(next).toMatchObject({
      first: false,
      terminal: { command: 'npm test', cwd: '/work', cancellable: true, output: 'early ' },
    });
    expect(store.get('t')).toEqual(next.terminal);
    expect(store.get('other')).toBeUndefined();
  });

  it('keeps what a patch leaves out, clears what it sets to null, and takes a snapshot of the output for all of it', () => {
    const store = new TerminalStore();
    store.apply({ terminalId: 't', command: 'a', cwd: '/', cancellable: true, output: bytes('old') });
    store.apply({ terminalId: 't', exitStatus: { exitCode: 1, signal: null }, cancellable: false });
    store.apply({ terminalId: 't', command: null, output: bytes('new'), appendOutput: bytes('er') });
    const exitStatus = { exitCode: 1, signal: null };
    expect(store.get('t')).toEqual({ terminalId: 't', cwd: '/', output: 'newer', truncated: false, exitStatus });
    store.apply({ terminalId: 't', output: null, exitStatus: null, cwd: null });
    expect(store.get('t')).toEqual({ terminalId: 't', output: '', truncated: false });
  });

  it('handed out once does not change with what comes after', () => {
    const store = new TerminalStore();
    const { terminal } = store.apply({ terminalId: 't', appendOutput: bytes('one') });
    store.apply({ terminalId: 't', appendOutput: bytes(' two') });
    expect(terminal.output).toBe('one');
    expect(JSON.parse(JSON.stringify(terminal))).toEqual({ terminalId: 't', output: 'one', truncated: false });
  });

  it('reads the same however its bytes were cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.array(fc.nat(200)), (text, cuts) => {
        const all = bytes(text);
        const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const store = new TerminalStore();
        store.apply({ terminalId: 't' });
        at.slice(1).forEach((to, i) => store.apply({ terminalId: 't', appendOutput: all.subarray(at[i], to) }));
        expect(store.get('t')?.output).toBe(all.toString('utf8'));
      }),
    );
  });

  it('keeps the last MiB of its output, from a character boundary on, and costs little however small the pieces', () => {
    const store = new TerminalStore();
    const euro = bytes('€€€€');
    const began = performance.now();
    for (let i = 0; i < 100_000; i += 1) store.apply({ terminalId: 't', appendOutput: euro });
    const spent = performance.now() - began;
    const { output, truncated } = store.get('t')!;
    expect(truncated).toBe(true);
    expect(output).toBe('€'.repeat(Math.floor(TERMINAL_OUTPUT_BYTES / 3)));
    expect(spent).toBeLessThan(10_000);
    store.apply({ terminalId: 't', output: bytes('x'.repeat(TERMINAL_OUTPUT_BYTES + 1)) });
    expect(store.get('t')).toMatchObject({ truncated: true, output: 'x'.repeat(TERMINAL_OUTPUT_BYTES) });
    store.apply({ terminalId: 't', output: bytes('short') });
    expect(store.get('t')).toMatchObject({ truncated: false, output: 'short' });
  });

  it('is forgotten when so many others were heard of since', () => {
    const store = new TerminalStore(2);
    for (const terminalId of ['a', 'b', 'a', 'c']) store.apply({ terminalId });
    expect(['a', 'b', 'c'].map((id) => store.get(id) !== undefined)).toEqual([true, false, true]);
  });
});

describe('what the agent tells of a session', () => {
  it.each([
    ['1', readUpdateV1],
    ['2', readUpdateV2],
  ])('is merged in version %s: left out stays, null clears, another kind changes nothing', (_version, read) => {
    const store = new SessionInfoStore();
    const tell = (sessionUpdate: string, members: object): boolean => store.apply(read({ sessionUpdate, ...members }));
    expect(store.view()).toEqual({});
    expect(tell('session_info_update', { title: 'One', updatedAt: '2026-01-01T00:00:00Z' })).toBe(true);
    expect(tell('usage_update', { used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } })).toBe(true);
    expect(tell('session_info_update', { title: 'Two' })).toBe(true);
    expect(tell('usage_update', { used: 20, size: 100 })).toBe(true);
    const view = store.view();
    expect(view).toEqual({
      title: 'Two',
      updatedAt: '2026-01-01T00:00:00Z',
      context: { used: 20, size: 100 },
      cost: { amount: 0.5, currency: 'USD' },
    });
    expect(tell('session_info_update', { _meta: {} })).toBe(false);
    expect(tell('usage_update', { used: null, size: 5 })).toBe(false);
    expect(tell('plan', { entries: [] })).toBe(false);
    expect(store.view()).toBe(view);
    expect(tell('session_info_update', { title: null })).toBe(true);
    expect(tell('usage_update', { cost: null })).toBe(true);
    expect(Object.keys(store.view())).toEqual(['updatedAt', 'context']);
  });

  it('is bounded: a title of megabytes is cut', () => {
    const store = new SessionInfoStore();
    store.apply({ kind: 'info', title: 'x'.repeat(1_000_000), raw: {} });
    expect(store.view().title).toHaveLength(4_096);
  });
});
