/**
 * Between a client and its agent: what the client writes reaches the agent, what the agent writes reaches the client, byte
 * for byte and no faster than it is taken, and an observer reads along. The agent's process is ours, so that nothing of it is
 * left when the conversation is over.
 */
import { turnOfTheLoop, type Clock } from '../framing/clock.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import type { Observer } from '../inspect/observer.js';
import type { EndSignal } from '../process/group.js';
import { type Left, OwnedProcess } from './ownedProcess.js';
import { Pump } from './pump.js';
import { WireTap } from './wireTap.js';

export interface ProxyOptions {
  command: string;
  args: readonly string[];
  /** What the client writes, and what it reads. */
  input: ByteReadable;
  output: ByteWritable;
  observer: Observer;
  clock: Clock;
}

/** With the client's signal passed on already, its stdin closed as well: then SIGTERM, and SIGKILL 2 s later. */
const CLOSE_GRACE_MS = 3_000;
/** What an exited agent has written is in the pipe: when nothing came for this long, all of it was read. */
const QUIET_MS = 50;

export interface Proxy {
  /** Everything that the agent wrote was passed on, and nobody of its group is left. */
  readonly left: Promise<Left>;
  /** To the whole group of the agent. */
  signal(signal: EndSignal): void;
  /** Ends the agent in stages. */
  close(): void;
}

export function startProxy({ command, args, input, output, observer, clock }: ProxyOptions): Proxy {
  const now = (): number => clock.now();
  const fromClient = new WireTap({ observer, direction: 'out', now });
  const fromAgent = new WireTap({ observer, direction: 'in', now });
  const quiet = async (): Promise<void> => {
    while (!toClient.quietFor(QUIET_MS)) await new Promise<void>((resolve) => clock.setTimeout(resolve, QUIET_MS));
    await turnOfTheLoop();
  };
  const owned = new OwnedProcess({
    command,
    args,
    clock,
    closeGraceMs: CLOSE_GRACE_MS,
    inheritStderr: true,
    drained: quiet,
  });
  const { process } = owned;
  const toAgent = new Pump({ from: input, to: process.writable, clock, tap: (chunk) => fromClient.push(chunk) });
  const toClient = new Pump({ from: process.readable, to: output, clock, tap: (chunk) => fromAgent.push(chunk) });

  let clientGone = false;
  let asked = false;
  void toClient.done.then((end) => (clientGone = end === 'broken'));
  // It neither writes nor reads any more: there is nobody left whom the agent could serve.
  void Promise.all([toAgent.done, toClient.done]).then(() => {
    if (clientGone) owned.close();
  });

  const over = async (): Promise<Left> => {
    const left = await owned.left;
    await quiet();
    const clientEnded = await Promise.race([toAgent.done.then(() => true), turnOfTheLoop().then(() => false)]);
    await toAgent.stop();
    fromClient.end();
    fromAgent.end();
    const reason =
      left.spawnErrorCode === undefined ? (clientEnded || asked ? 'closed' : 'agent-exited') : 'spawn-failed';
    observer.closed?.({ at: now(), reason });
    process.dispose();
    await toClient.done;
    return left;
  };
  return {
    left: over(),
    signal: (signal) => {
      asked = true;
      process.signalGroup(signal);
    },
    close: () => owned.close(),
  };
}
