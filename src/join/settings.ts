/** The options of a connection, validated and complete. Made by the client floor out of what the embedding program gave. */
import type { Clock } from '../framing/clock.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import type { Observer } from '../inspect/observer.js';
import type { Budget } from '../policy/budget.js';
import type { Policy } from '../policy/policies.js';
import type { AuthMethod, Implementation } from '../wire/normal.js';
import type { Failure } from './failure.js';
import type { Handlers } from '../handlers/handlers.js';
import type { RootOptions } from './ports.js';

export type Source =
  | {
      kind: 'command';
      command: string;
      args: readonly string[];
      cwd: string | undefined;
      env: Record<string, string | undefined> | undefined;
    }
  | { kind: 'transport'; readable: ByteReadable; writable: ByteWritable };

/** Which method logs in; null or undefined: none, and the call stays refused. `signal` aborts when nobody waits any more. */
export type ChooseLogin = (
  methods: readonly AuthMethod[],
  context: { signal: AbortSignal },
) => string | null | undefined | Promise<string | null | undefined>;

export interface Settings {
  source: Source;
  client: Implementation;
  /** Newest first. */
  versions: readonly (1 | 2)[];
  maxFrameBytes: number;
  /** Covers spawn and initialize; undefined: the request limit does. */
  budget: Budget | undefined;
  turnBudget: { idleMs: number; absoluteMs: number };
  requestLimitMs: number;
  cancelGraceMs: number;
  closeGraceMs: number;
  writeTimeoutMs: number;
  listenerLimitMs: number;
  replayQuietMs: number;
  /** Logs in on behalf of a refused call; undefined: nobody does. */
  chooseLogin: ChooseLogin | undefined;
  loginLimitMs: number;
  policy: Policy;
  handlers: Handlers;
  scope: 'route' | 'strict' | 'accept';
  clock: Clock;
  inspect: RootOptions['inspect'];
  observers: readonly Observer[];
  /** Makes the public error; the counters are added to it here. */
  toError: (failure: Failure) => Error;
}
