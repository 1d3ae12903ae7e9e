/** A capture, played again: the recorded agent against our client, which makes the recorded calls on a clock of its own. */
import { manualClock, type ManualClock } from '../manualClock.js';
import { Caller } from './caller.js';
import type { Capture, Entry } from './capture.js';
import { CapturedAgent } from './capturedAgent.js';
import type { Fault } from './faults.js';

/** No wait of a replay may be longer: the absolute bound of a turn, the grace of its cancel, and a second more. */
export const LONGEST_WAIT_MS = 616_000;
const STEP_MS = 20_000;
/** Pauses below this are no pauses. */
const PAUSE_MS = 20;

export interface Replay {
  readonly capture: Capture;
  readonly fault: Fault;
  readonly caller: Caller;
  readonly peer: CapturedAgent;
  readonly clock: ManualClock;
  /** Timers that were armed when every call had ended, before any more time passed. */
  readonly resting: number;
  /** Timers that were armed when `agent.close()` had settled; undefined: it never did. */
  readonly left: number | undefined;
  /** Of the connection, before it was closed. */
  readonly closeReason: string | undefined;
}

export async function replay(capture: Capture, fault: Fault = {}, leaves = false): Promise<Replay> {
  const clock = manualClock();
  const peer = new CapturedAgent(capture, clock, fault);
  const caller = new Caller(capture, peer, clock);
  for (const entry of capture.entries) {
    if (entry.kind === 'frame') await say(peer, clock, entry);
    else if (entry.kind !== 'raw') await reach(entry, caller, peer, clock);
  }
  if (leaves) peer.leave();
  await peer.heard();
  await until(clock, () => caller.calls.every(({ end }) => end !== undefined));
  const resting = clock.pending();
  // A cancel may still wait to be confirmed; a connect that failed ends its side of the streams behind the caller's back.
  await until(clock, () => clock.pending() === 0);
  const { agent } = caller;
  const closeReason = agent?.closeReason;
  let left = agent ? undefined : clock.pending();
  void agent?.close().then(() => (left = clock.pending()));
  await until(clock, () => left !== undefined);
  return { capture, fault, caller, peer, clock, resting, left, closeReason };
}

async function say(peer: CapturedAgent, clock: ManualClock, entry: Entry): Promise<void> {
  if (peer.overAt !== undefined) return;
  if (entry.at - clock.now() > PAUSE_MS) {
    await peer.heard();
    await clock.run(entry.at - clock.now());
  }
  peer.say(entry);
}

/** Time for a line of the client: it has come by itself (an answer, a second offer), or the caller's call makes it come. */
async function reach(entry: Entry, caller: Caller, peer: CapturedAgent, clock: ManualClock): Promise<void> {
  await peer.heard();
  if (clock.now() < entry.at) await clock.run(entry.at - clock.now());
  if (peer.met(entry) || entry.kind === 'answer') return;
  // The recording client had waited for these; a notification waits for nothing.
  const waits = entry.message.id !== undefined;
  const before = caller.calls.filter(({ answer }) => waits && answer !== undefined && answer.index < entry.index);
  await until(clock, () => before.every(({ end }) => end !== undefined));
  if (peer.met(entry)) return;
  const call = caller.make(entry);
  await peer.heard();
  if (!peer.met(entry) && call.end !== undefined) {
    peer.unsent(entry);
    call.sent = false;
  }
}

async function until(clock: ManualClock, done: () => boolean): Promise<void> {
  for (let waited = 0; !done() && waited < 2 * LONGEST_WAIT_MS; waited += STEP_MS) await clock.run(STEP_MS);
}
