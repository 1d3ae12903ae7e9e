/** Every captured agent again, with what can go wrong with its bytes on the way to us. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { captureNames, loadCapture } from './support/captures/capture.js';
import { faultsOf, faultsOfBroken, unanswered } from './support/captures/judge.js';
import { replay, type Replay } from './support/captures/replay.js';
import { statsOf, told } from './support/captures/toldReplay.js';
import { Variants } from './support/captures/variants.js';

const SEEDS = [1, 2, 3];

/** Many replays a test; a machine that is busy with other things may take its time. */
jest.setTimeout(60_000);

/** Thousands of errors are made and nobody reads their stacks. */
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

/** Lines that only one of them has. */
function differences(played: readonly string[], whole: readonly string[]): string[] {
  const more = played.filter((line, i) => line !== whole[i]);
  return played.length < whole.length ? [...more, 'lines are missing'] : more;
}

const withoutCounters = (played: Replay): string[] => told(played).filter((line) => !line.startsWith('counters'));

/** What garbage may change: the bytes that came, and the count of the lines that were none. */
function countersButGarbage(played: Replay): object {
  return { ...statsOf(played), bytesIn: 0, skippedFrames: 0 };
}

function judgeGarbage(played: Replay, whole: Replay): string[] {
  const counted = statsOf(played).skippedFrames - statsOf(whole).skippedFrames;
  const sent = played.peer.wire.garbage;
  // Behind a refused handshake nothing is read any more.
  const all = whole.caller.agent ? counted === sent : counted <= sent;
  const same = JSON.stringify(countersButGarbage(played)) === JSON.stringify(countersButGarbage(whole));
  return [
    ...differences(withoutCounters(played), withoutCounters(whole)),
    ...(all ? [] : [`${counted} of ${sent} garbage lines were counted`]),
    ...(same ? [] : ['other counters changed']),
  ];
}

describe.each(captureNames())('%s', (name) => {
  const variants = new Variants(loadCapture(name));

  it('comes to the same however its bytes are cut and glued', async () => {
    const faults = SEEDS.map((chunks) => ({ chunks }));
    const wrongs = await variants.wrongs(faults, (played, whole) => differences(told(played), told(whole)));
    expect(wrongs).toEqual([]);
  });

  it('comes to the same with garbage between its frames, each line of which is counted', async () => {
    const faults = SEEDS.flatMap((garbage) => [{ garbage }, { garbage, chunks: garbage }]);
    expect(await variants.wrongs(faults, judgeGarbage)).toEqual([]);
  });

  it('ends every wait, typed and at once, whatever frame its stream is cut off after', async () => {
    expect(await variants.wrongs(await variants.afterEachFrame('cut'), faultsOfBroken)).toEqual([]);
  });
});

describe('the judge of these replays', () => {
  const allowed = loadCapture('codex-acp-zed/perm-shell-allow');
  const requestId = '1449f988-3259-4e52-94b4-559bb90b756f';

  it('finds nothing wrong with a whole one, in which the agent got its answer', async () => {
    const whole = await replay(allowed);
    expect([...faultsOf(whole), ...unanswered(whole)]).toEqual([]);
  });

  it('sees a selection that nobody chose', async () => {
    const played = await replay(allowed);
    played.caller.chosen.clear();
    expect(faultsOf(played)).toEqual(['nobody chose approved']);
  });

  it('sees a request that was answered twice, or never', async () => {
    const played = await replay(allowed);
    const { received } = played.peer.script;
    const [answer] = received.filter(({ id }) => id === requestId);
    received.push(answer!);
    expect(faultsOf(played)).toEqual([`request ${requestId} was answered twice`]);
    played.peer.script.received.length = 0;
    expect(unanswered(played)).toEqual([`request ${requestId} was never answered`]);
  });

  it('sees a call that never ended, or not as it did in the whole one, and timers that are left', async () => {
    const whole = await replay(allowed);
    const cut = await replay(allowed, { after: { frames: whole.peer.frames, how: 'cut' } });
    expect([...faultsOf(cut), ...faultsOfBroken(cut, whole)]).toEqual([]);
    const prompt = cut.caller.calls.find(({ label }) => label === 'session/prompt')!;
    prompt.end!.told = ['completed something'];
    expect(faultsOfBroken(cut, whole)).toHaveLength(1);
    prompt.end = undefined;
    expect(faultsOf({ ...cut, resting: 1, left: 2 })).toEqual([
      'session/prompt never settled',
      '1 timers run on when no call waits',
      '2 timers are left behind',
    ]);
  });
});
