/** `lint`: one breach each, written by hand; nothing in what keeps to the protocol; and what real agents did. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { lint } from '../src/inspect/lint/lint.js';
import { readRecording } from '../src/inspect/recording.js';
import { clearUp, cli, cliMain, demoAgent, folder } from './support/cli.js';

jest.setTimeout(60_000);
afterEach(clearUp);

/** `>`: of the client, `<`: of the agent. An object is a message without `jsonrpc`, a string a line of the recording. */
type Line = ['>' | '<', object] | string;
const HEADER = JSON.stringify({ t: 0, recording: 1, startedAt: '2026-01-01T00:00:00Z', text: false });

function recordingOf(lines: readonly Line[]): string {
  const written = lines.map((line) => {
    if (typeof line === 'string') return line;
    const [side, message] = line;
    return JSON.stringify({ t: 1, d: side === '>' ? 'out' : 'in', b: 1, m: { jsonrpc: '2.0', ...message } });
  });
  return `${[HEADER, ...written].join('\n')}\n`;
}
const linted = (lines: readonly Line[]): string[] =>
  lint(readRecording(recordingOf(lines))!).map(
    ({ line, by, session, rule }) => `${line} ${by} ${session ?? '-'} ${rule}`,
  );

const req = (id: unknown, method: string, params: object = {}): object => ({ id, method, params });
const note = (method: string, params: object): object => ({ method, params });
const res = (id: unknown, result: unknown): object => ({ id, result });
const update = (sessionUpdate: string, more: object = {}, sessionId = 's'): object =>
  note('session/update', { sessionId, update: { sessionUpdate, ...more } });
const ask = (id: unknown, sessionId = 's'): object =>
  req(id, 'session/request_permission', { sessionId, options: [{ optionId: 'yes', kind: 'allow_once' }] });
const chosen = (id: unknown, optionId = 'yes'): object => res(id, { outcome: { outcome: 'selected', optionId } });
const cancelled = (id: unknown): object => res(id, { outcome: { outcome: 'cancelled' } });
const prompt = (id: number, sessionId = 's'): object => req(id, 'session/prompt', { sessionId, prompt: [] });
const cancel = note('session/cancel', { sessionId: 's' });
const CLOSED = JSON.stringify({ t: 2, closed: 'closed' });

/** Lines 2 to 5. */
const OPEN: Line[] = [
  ['>', req(1, 'initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } })],
  ['<', res(1, { protocolVersion: 1, agentCapabilities: { loadSession: true } })],
  ['>', req(2, 'session/new')],
  ['<', res(2, { sessionId: 's' })],
];
const OPEN_V2: Line[] = [
  ['>', req(1, 'initialize', { protocolVersion: 2, info: { name: 'c', version: '1' } })],
  ['<', res(1, { protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: { session: {} } })],
  ['>', req(2, 'session/new')],
  ['<', res(2, { sessionId: 's' })],
];
const running = update('state_update', { state: 'running' });
const idle = update('state_update', { state: 'idle', stopReason: 'end_turn' });

/** What is said after the session was opened, and the one breach in it: the first line of it is 6. */
const BREACHES: Record<string, [lines: Line[], breach: string]> = {
  'an update after the turn had ended': [
    [
      ['>', prompt(3)],
      ['<', res(3, { stopReason: 'end_turn' })],
      ['<', update('agent_message_chunk')],
      ['<', update('tool_call', { toolCallId: 't' })],
    ],
    '8 agent s late-update',
  ],
  'a replay after the answer to its load': [
    [
      ['>', req(3, 'session/load', { sessionId: 'old' })],
      ['<', res(3, null)],
      ['<', update('user_message_chunk', {}, 'old')],
    ],
    '8 agent old late-update',
  ],
  'a request that is never answered': [[['>', prompt(3)]], '6 agent s unanswered'],
  'a question of the agent that is never answered': [
    [['<', req('a', 'fs/read_text_file', { sessionId: 's', path: '/x' })]],
    '6 client s unanswered',
  ],
  'a prompt that the agent owed when it exited': [
    [['>', prompt(3)], JSON.stringify({ t: 2, closed: 'agent-exited' })],
    '6 agent s unanswered',
  ],
  'the id of an open request used again': [
    [
      ['<', ask(0)],
      ['<', ask(0)],
      ['>', cancelled(0)],
    ],
    '7 agent s reused-id',
  ],
  'an answer to nothing': [[['<', res(77, {})]], '6 agent - answer-to-nothing'],
  'an id of another type': [
    [
      ['<', ask(0)],
      ['>', cancelled('0')],
      ['>', cancelled(0)],
    ],
    '7 client - answer-to-nothing',
  ],
  'a second answer': [
    [
      ['>', prompt(3)],
      ['<', res(3, { stopReason: 'end_turn' })],
      ['<', res(3, { stopReason: 'end_turn' })],
    ],
    '8 agent s answered-twice',
  ],
  'an answer with result and error': [
    [
      ['>', prompt(3)],
      ['<', { id: 3, result: {}, error: { code: 1, message: '' } }],
    ],
    '7 agent s bad-answer',
  ],
  'an answer without an id': [[['<', { error: { code: -32601, message: '' } }]], '6 agent - not-a-message'],
  'a line of log': [[JSON.stringify({ t: 1, skipped: 20 })], '6 agent - not-a-message'],
  'a line of the client that is no message': [
    [JSON.stringify({ t: 1, d: 'out', skipped: 20 })],
    '6 client - not-a-message',
  ],
  'no version of JSON-RPC': [[['<', { ...update('plan'), jsonrpc: undefined }]], '6 agent - no-jsonrpc'],
  'an id that is no id': [[['>', req(1.5, 'session/set_mode', { sessionId: 's' })]], '6 client s bad-id'],
  'an unknown method': [[['>', note('session/nope', {})]], '6 client - unknown-method'],
  'a method of the other side': [[['<', note('session/cancel', { sessionId: 's' })]], '6 agent s wrong-side'],
  'a notification that was sent as a request': [
    [
      ['>', { ...cancel, id: 3 }],
      ['<', res(3, null)],
    ],
    '6 client s wrong-form',
  ],
  'a method of the other version': [
    [
      ['>', req(3, 'auth/login')],
      ['<', res(3, {})],
    ],
    '6 client - wrong-version',
  ],
  'a call that the agent does not advertise': [
    [
      ['>', req(3, 'session/fork', { sessionId: 's' })],
      ['<', res(3, { sessionId: 'f' })],
    ],
    '6 client s not-advertised',
  ],
  'a call that the client does not advertise': [
    [
      ['<', req(0, 'terminal/create', { sessionId: 's' })],
      ['>', res(0, { terminalId: 't' })],
    ],
    '6 agent s not-advertised',
  ],
  'an unknown kind of update': [[['<', update('telepathy')]], '6 agent s unknown-kind'],
  'an update of no kind': [[['<', note('session/update', { sessionId: 's', update: {} })]], '6 agent s unknown-kind'],
  'a kind of the other version': [[['<', running]], '6 agent s unknown-kind'],
  'an unknown stop reason': [
    [
      ['>', prompt(3)],
      ['<', res(3, { stopReason: 'bored' })],
    ],
    '7 agent s unknown-kind',
  ],
  'no stop reason': [
    [
      ['>', prompt(3)],
      ['<', res(3, {})],
    ],
    '7 agent s no-stop-reason',
  ],
  'a cancelled turn that ends in an error': [
    [
      ['>', prompt(3)],
      ['>', cancel],
      ['<', { id: 3, error: { code: -32603, message: '' } }],
    ],
    '8 agent s cancel-failed',
  ],
  'a choice after the cancel': [
    [
      ['>', prompt(3)],
      ['<', ask(0)],
      ['>', cancel],
      ['>', chosen(0)],
      ['<', res(3, { stopReason: 'cancelled' })],
    ],
    '9 client s cancelled-missing',
  ],
  'no answer after the cancel': [
    [
      ['>', prompt(3)],
      ['<', ask(0)],
      ['>', cancel],
      ['<', res(3, { stopReason: 'cancelled' })],
    ],
    '7 client s cancelled-missing',
  ],
  'a choice that was not offered': [
    [
      ['<', ask(0)],
      ['>', chosen(0, 'no')],
    ],
    '7 client s option-not-offered',
  ],
  'an outcome that is none': [
    [
      ['<', ask(0)],
      ['>', res(0, { outcome: { outcome: 'maybe' } })],
    ],
    '7 client s bad-outcome',
  ],
  'a question with nothing to choose': [
    [
      ['<', req(0, 'session/request_permission', { sessionId: 's', options: [] })],
      ['>', cancelled(0)],
    ],
    '6 agent s no-options',
  ],
  'two prompts at once': [
    [
      ['>', prompt(3)],
      ['>', prompt(4)],
      ['<', res(3, { stopReason: 'end_turn' })],
      ['<', res(4, { stopReason: 'end_turn' })],
    ],
    '7 client s overlapping-prompts',
  ],
  'an update for an unknown session': [[['<', update('plan', {}, 'x')]], '6 agent x unknown-session'],
  'a prompt for an unknown session': [
    [
      ['>', prompt(3, 'x')],
      ['<', res(3, { stopReason: 'end_turn' })],
    ],
    '6 client x unknown-session',
  ],
  'an update for a session that could not be loaded': [
    [
      ['>', req(3, 'session/load', { sessionId: 'x' })],
      ['<', { id: 3, error: { code: -32002, message: '' } }],
      ['<', update('plan', {}, 'x')],
    ],
    '8 agent x unknown-session',
  ],
  'an update of a tool call that was not announced': [
    [
      ['>', prompt(3)],
      ['<', update('tool_call_update', { toolCallId: 't' })],
      ['<', res(3, { stopReason: 'end_turn' })],
    ],
    '7 agent s unannounced-tool',
  ],
};
const BREACHES_V2: typeof BREACHES = {
  'words after the turn had gone idle': [
    [
      ['>', prompt(3)],
      ['<', res(3, {})],
      ['<', running],
      ['<', idle],
      ['<', update('agent_message_chunk')],
    ],
    '10 agent s late-update',
  ],
  'a method that version 2 does not have': [
    [
      ['<', req(0, 'fs/read_text_file', { sessionId: 's' })],
      ['>', { id: 0, error: { code: -32601, message: '' } }],
    ],
    '6 agent s wrong-version',
  ],
  'a session that was closed': [
    [
      ['>', req(3, 'session/close', { sessionId: 's' })],
      ['<', res(3, {})],
      ['<', running],
    ],
    '8 agent s closed-session',
  ],
};

/** Nothing is wrong with these. */
const CLEAN: Record<string, Line[]> = {
  'a turn with a question': [
    ...OPEN,
    ['>', prompt(3)],
    ['<', update('agent_message_chunk')],
    ['<', update('tool_call', { toolCallId: 't' })],
    ['<', ask(0)],
    ['>', chosen(0)],
    ['<', update('tool_call_update', { toolCallId: 't' })],
    ['<', res(3, { stopReason: 'end_turn' })],
    ['<', update('available_commands_update')],
    ['<', update('session_info_update')],
  ],
  'an id that is used again once it was answered': [
    ...OPEN,
    ['<', ask(0)],
    ['>', cancelled(0)],
    ['<', ask(0)],
    ['>', cancelled(0)],
  ],
  'a cancel as it should be, with what was on its way': [
    ...OPEN,
    ['>', prompt(3)],
    ['<', ask(0)],
    ['>', cancel],
    ['<', update('agent_message_chunk')],
    ['>', cancelled(0)],
    ['<', res(3, { stopReason: 'cancelled' })],
  ],
  'a load that replays before its answer': [
    ...OPEN,
    ['>', req(3, 'session/load', { sessionId: 'old' })],
    ['<', update('user_message_chunk', {}, 'old')],
    ['<', res(3, null)],
  ],
  'updates that are faster than the answer which names their session': [
    ...OPEN.slice(0, 3),
    ['<', update('available_commands_update')],
    ['<', res(2, { sessionId: 's' })],
  ],
  'extensions of either side': [
    ...OPEN,
    ['>', note('_vendor/x', {})],
    ['<', update('_vendor_kind')],
    ['<', req('u', '_vendor/y')],
    ['>', { id: 'u', error: { code: -32601, message: '' } }],
  ],
  'a conversation that the client left amid a turn': [...OPEN, ['>', prompt(3)], ['<', ask(0)], CLOSED],
  'a recording that was cut': [...OPEN, ['>', prompt(3)], '{"t":3,"d":"in","b":1,"m":{"jso'],
  'version 2: running before and after the answer, tools while idle, a second turn': [
    ...OPEN_V2,
    ['<', idle],
    ['>', prompt(3)],
    ['<', running],
    ['<', res(3, { messageId: 'm' })],
    ['<', update('agent_message_chunk')],
    ['<', idle],
    ['<', update('tool_call_update', { toolCallId: 't' })],
    ['>', prompt(4)],
    ['<', res(4, {})],
    ['<', update('agent_message', { messageId: 'n' })],
    ['<', running],
    ['<', idle],
    ['<', running],
    ['<', update('agent_message_chunk')],
    ['<', idle],
  ],
};

describe('the lint', () => {
  it.each(Object.entries(BREACHES))('finds %s', (_what, [lines, breach]) => {
    expect(linted([...OPEN, ...lines])).toEqual([breach]);
  });
  it.each(Object.entries(BREACHES_V2))('finds, in version 2, %s', (_what, [lines, breach]) => {
    expect(linted([...OPEN_V2, ...lines])).toEqual([breach]);
  });
  it('finds a session that is opened before the version is agreed', () => {
    expect(
      linted([
        ['>', req(1, 'session/new')],
        ['<', res(1, { sessionId: 's' })],
      ]),
    ).toEqual(['2 client - before-initialize']);
  });
  it.each(Object.entries(CLEAN))('finds nothing in %s', (_what, lines) => {
    expect(linted(lines)).toEqual([]);
  });
  it('tells each lateness once, not each of its updates', () => {
    const late: Line[] = Array.from({ length: 50 }, () => ['<', update('agent_message_chunk')]);
    expect(linted([...OPEN, ['>', prompt(3)], ['<', res(3, { stopReason: 'end_turn' })], ...late])).toHaveLength(1);
  });
});

const CAPTURES = fileURLToPath(new URL('../fixtures/captures/', import.meta.url));
/** What the captured agents themselves did wrong: each was looked at. `malformed` and `errors` provoke them. */
const OF_AGENTS: Record<string, string[]> = {
  // It answered both prompts `cancelled`, and spoke on with the rest of the first.
  'claude-agent-acp/prompt-while-busy': ['31 late-update'],
  // It left with these unanswered.
  'claude-agent-acp/malformed': ['25 unanswered', '30 unanswered'],
  // It answers notifications that it does not know by an error without an id.
  'codex-acp-zed/errors-configured': ['13 not-a-message', '14 not-a-message'],
  'codex-acp-zed/malformed': ['4', '8', '12', '16', '20', '24', '28', '32', '45', '47'].map(
    (line) => `${line} not-a-message`,
  ),
  'codex-acp-zed/prompt-while-busy': ['13 unanswered'],
  // Its model had failed.
  'gemini/llm-error': ['8 unanswered'],
  'gemini/load-replay': ['8 late-update'],
  'gemini/perm-cancel-unanswered': ['8 unanswered'],
  'opencode/perm-write-allow': ['16 not-advertised'],
  'pi-n22/malformed': ['25 unanswered', '30 unanswered'],
  'pi/text-turn': ['3 unanswered'],
};
const scenarios = readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length))
  .sort();

describe('the lint of captured agents', () => {
  it.each(scenarios)('%s', (name) => {
    const breaches = lint(readRecording(readFileSync(join(CAPTURES, `${name}.jsonl`), 'utf8'))!);
    expect(breaches.filter(({ by }) => by === 'agent').map(({ line, rule }) => `${line} ${rule}`)).toEqual(
      OF_AGENTS[name] ?? [],
    );
    // The recording client made its mistakes on purpose, and only in these.
    const provoking = /errors|malformed|busy|resume$|v2-session-new|unanswered|gemini\/text-turn/.test(name);
    if (!provoking) expect(breaches.filter(({ by }) => by === 'client')).toEqual([]);
  });
});

describe('acp-turnstile lint', () => {
  const written = (lines: readonly Line[]): string => {
    const file = join(folder(), 'r.jsonl');
    writeFileSync(file, recordingOf(lines).trimEnd());
    return file;
  };

  it('finds nothing in a turn of the demo agent in either version', async () => {
    const file = join(folder(), 'r.jsonl');
    for (const version of ['1', '2']) {
      const agent = [process.execPath, await cliMain(), 'record', '-o', file, '--', ...(await demoAgent())];
      await cli(['run', '--protocol', version, '--allow', 'edit', 'plan, think and write', '--', ...agent]);
      expect(await cli(['lint', file])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/clean, \d+ frames/),
        stderr: '',
      });
    }
  });

  it('prints a table of 80 columns at most, or a JSON object a line, and ends by 8', async () => {
    const file = written([
      ...OPEN,
      ['>', prompt(3)],
      ['<', res(3, { stopReason: 'end_turn' })],
      ['<', update('agent_message_chunk')],
    ]);
    const { code, stdout, stderr } = await cli(['lint', file]);
    expect([code, stderr]).toEqual([8, '']);
    expect(stdout).toMatch(
      /: 1 breach: agent 1, client 0\n {5}8 {2}agent {2}s {14}late-update: agent_message_chunk after/,
    );
    expect(
      stdout
        .split('\n')
        .slice(1)
        .every((line) => line.length <= 80),
    ).toBe(true);
    const json = await cli(['lint', '--json', file]);
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout)).toMatchObject({ file, line: 8, side: 'agent', session: 's', rule: 'late-update' });
  });

  it('bears a last line that was cut, and says so', async () => {
    const { code, stdout, stderr } = await cli(['lint', written([...OPEN, '{"t":3,"d":"in"'])]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('clean, 4 frames')]);
    expect(stderr).toContain('its last line is cut');
  });

  it('tells what is no recording, and how to make one', async () => {
    expect(await cli(['lint', '/no/such/file'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such file'),
    });
    expect(await cli(['lint', join(CAPTURES, 'README.md')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is no recording\n.*record/),
    });
    expect(await cli(['lint', 'x', '--', 'agent'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('takes no agent'),
    });
  });
});
