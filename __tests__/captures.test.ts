/** What real agents said, played again: what comes of it is written down in `fixtures/captures`. */
import { statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ADVERTISED, CAPABILITIES, LEAVES, TRUTH } from '../fixtures/captures/truth.js';
import { captureFile, captureNames, loadCapture } from './support/captures/capture.js';
import { faultsOf, unanswered } from './support/captures/judge.js';
import { replay, type Replay } from './support/captures/replay.js';
import { told } from './support/captures/toldReplay.js';

const MOST_BYTES = 1_500_000;
const names = captureNames();

const played = new Map<string, Promise<Replay>>();
function play(name: string): Promise<Replay> {
  const playing = played.get(name) ?? replay(loadCapture(name), {}, LEAVES.has(name));
  played.set(name, playing);
  return playing;
}

describe.each(names)('%s', (name) => {
  it('comes to what is written down of it', async () => {
    expect(told(await play(name))).toEqual(TRUTH.get(name));
  });

  it('leaves no request of the agent unanswered, and nothing behind', async () => {
    const replayed = await play(name);
    expect([...faultsOf(replayed), ...unanswered(replayed)]).toEqual([]);
  });
});

describe('the handshakes', () => {
  const handshakes = async (): Promise<[key: string, row: readonly [string, string]][]> => {
    const replays = await Promise.all(names.map(play));
    return replays.flatMap(({ capture, caller: { agent } }) => {
      if (!agent) return [];
      const { protocolVersion, authMethods } = agent.info;
      const advertised = CAPABILITIES.map((path) => (agent.advertises(path) ? 'yes' : '-')).join(' ');
      const logins = authMethods.map(({ id }) => id).join(' ');
      return [[`${capture.name.split('/')[0]!} v${protocolVersion}`, [advertised, logins]]];
    });
  };
  const written = Object.entries(ADVERTISED).map(([key, [advertised, logins]]) => {
    return [key, [advertised.trim().split(/\s+/).join(' '), logins]] as const;
  });

  it.each(written)('of %s advertise the same every time', async (key, row) => {
    const rows = (await handshakes()).filter(([of]) => of === key).map(([, found]) => found);
    expect(rows.length).toBeGreaterThan(0);
    for (const found of rows) expect(found).toEqual(row);
  });

  it('are all in the table', async () => {
    const keys = (await handshakes()).map(([key]) => key);
    expect([...new Set(keys)].sort()).toEqual(Object.keys(ADVERTISED).sort());
  });
});

describe('the transcripts', () => {
  it('are all judged, and nothing is judged that is not there', () => {
    expect([...TRUTH.keys()].sort()).toEqual(names);
  });

  it('are of nine agents, and small', () => {
    expect(new Set(names.map((name) => name.split('/')[0])).size).toBe(9);
    const bytes = names.reduce((sum, name) => sum + statSync(captureFile(name)).size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});
