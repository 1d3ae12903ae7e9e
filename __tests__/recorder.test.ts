/** Recordings: redacted by construction, bounded, and valid up to the last full line. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policy, recorder } from '../src/index.js';
import { readRecording } from '../src/inspect/recording.js';
import { redact } from '../src/inspect/redact.js';
import { settle } from './support/manualClock.js';
import { connected, opened } from './support/scriptedAgent.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnstile-recorder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function recorded(options: Parameters<typeof recorder>[1]): Promise<string> {
  const file = join(folder, 'run.jsonl');
  const world = await connected({
    recorder: recorder(file, options),
    permissions: policy.unattended({ select: 'allow_once' }),
    tools: [
      { name: 't', command: '/bin/t', args: ['--key', 'SECRET arg'], env: [{ name: 'TOKEN', value: 'SECRET-env' }] },
    ],
  });
  const session = await opened(world);
  const turn = session.prompt('SECRET prompt');
  await settle();
  world.script.chunk('s-1', 'SECRET answer');
  world.script.ask(1, 's-1');
  world.script.raw('SECRET noise\n');
  world.script.reply('session/prompt', { stopReason: 'end_turn' });
  await turn.result;
  await world.agent.close();
  return readFileSync(file, 'utf8');
}

describe('a recording', () => {
  it('holds no text, no argument and no environment value, and still tells the whole story', async () => {
    const text = await recorded({});
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('TOKEN');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ recording: 1, text: false });
    expect(lines.at(-1)).toMatchObject({ closed: 'closed' });
    expect(lines).toContainEqual(expect.objectContaining({ skipped: 12 }));
    expect(lines).toContainEqual(
      expect.objectContaining({
        decision: expect.objectContaining({ outcome: 'selected', policy: 'unattended', cause: 'policy' }),
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ actor: 'connection/session.1/turn', event: 'agent.promptResult' }),
    );
    const methods = readRecording(text)?.frames.map(
      ({ d, m }) => `${d} ${typeof m['method'] === 'string' ? m['method'] : 'answer'}`,
    );
    expect(methods).toEqual([
      'out initialize',
      'in answer',
      'out session/new',
      'in answer',
      'out session/prompt',
      'in session/update',
      'in session/request_permission',
      'out answer',
      'in answer',
    ]);
  });

  it('holds the text where that was asked for', async () => {
    expect(await recorded({ withText: true })).toContain('SECRET answer');
  });

  it('never grows over its cap, says so, and stays readable', async () => {
    const text = await recorded({ maxBytes: 600 });
    expect(Buffer.byteLength(text)).toBeLessThan(700);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/"full":true/);
  });

  it('is readable up to the last full line after a crash', async () => {
    const text = await recorded({});
    const cut = text.slice(0, text.length - 20);
    const whole = readRecording(text);
    expect(readRecording(cut)).toMatchObject({ cut: true, frames: whole?.frames });
    expect(readRecording('not a recording')).toBeUndefined();
  });

  it('is for its owner alone', () => {
    const made = recorder(join(folder, 'mine.jsonl'));
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    made.close();
    made.close();
  });
});

describe('redaction', () => {
  it('lets no free text through, wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string(), (value, key) => {
        const hidden = 'free text';
        const planted = JSON.parse(
          JSON.stringify({
            method: 'session/update',
            params: { [key]: hidden, sessionId: hidden, name: hidden, nested: [value, { value: hidden }] },
          }),
        ) as object;
        expect(JSON.stringify(redact(planted))).not.toContain(hidden);
      }),
    );
  });

  it('keeps the words of the protocol', () => {
    const frame = {
      jsonrpc: '2.0',
      id: 3,
      result: { outcome: { outcome: 'selected', optionId: 'o-1' }, stopReason: 'end_turn', secret: 'x' },
    };
    expect(redact(frame)).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: { outcome: { outcome: 'selected', optionId: 'o-1' }, stopReason: 'end_turn', secret: '[1 chars]' },
    });
  });
});
