/** What `connect` takes. Any option may be `undefined`, which is as if it were left out. */
import type { ActorOptions, AnyActorLogic } from 'xstate';
import type { Clock } from '../framing/clock.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import type { Observer } from '../inspect/observer.js';
import type { Bounds, Budget } from '../policy/budget.js';
import type { Policy } from '../policy/policies.js';
import type { CallOptions } from '../join/calls.js';
import type { Handlers } from '../handlers/handlers.js';
import type { ChooseLogin } from '../join/settings.js';
import type { Events } from '../join/listeners.js';

type Opt<T> = { [K in keyof T]?: T[K] | undefined };

export interface ClientInfo {
  name: string;
  version: string;
  title?: string | undefined;
}

interface CommonOptions extends CallOptions {
  /** Who the agent is told that we are. */
  client: ClientInfo;
  /** Cap of one incoming line in bytes, its end not counted; over it `frame-too-large`, fatal. Default 64 MiB. */
  maxFrameBytes?: number | undefined;
  /** Offered newest first. Default `[2, 1]`; `[1]` where `fs` or `terminal` handlers are given, which only v1 has. */
  protocolVersions?: readonly (1 | 2)[] | undefined;
  /** Covers spawn and initialize; without it the request limit does. */
  budget?: Budget | Bounds | undefined;
  /** Of a turn without a budget of its own. Default 15 min idle, 4 h absolute. */
  turnBudget?: Bounds | undefined;
  /** Of every other call without a budget. Default 60,000 ms. */
  requestLimitMs?: number | undefined;
  /** How long the agent may take to confirm a stop. Default 15,000 ms. */
  cancelGraceMs?: number | undefined;
  /** How long the agent may take to leave after its stdin was closed. Default 3,000 ms. */
  closeGraceMs?: number | undefined;
  /** Bound of one write; passing it is fatal. Default 30,000 ms. */
  writeTimeoutMs?: number | undefined;
  /** How long an asynchronous `update` listener may hold the pipe and a result. Default 30,000 ms. */
  listenerLimitMs?: number | undefined;
  /** Loading settles when replay has been quiet this long after the answer. Default 100 ms. */
  replayQuietMs?: number | undefined;
  /**
   * Logs in when a call is refused by -32000, and has the call sent once more: the id of a method of the agent's, or a function
   * that chooses one, or none (null). A second refusal is final; so is the first without this. A terminal method is never sent.
   * No credential is held here: the agent has its own.
   */
  authenticate?: string | ChooseLogin | undefined;
  /** Of choosing and such a login together, whatever the bounds of the call. Default 600,000 ms. */
  loginLimitMs?: number | undefined;
  /** Who answers permission requests. Default `policy.cancel()`. */
  permissions?: Policy | undefined;
  handlers?: Handlers | undefined;
  /** What traffic of unknown sessions means. Default `route`: dropped, counted, never approved. */
  scope?: 'route' | 'strict' | 'accept' | undefined;
  /** Trusted MCP declarations, the same for every new, load, resume and fork. */
  tools?: readonly unknown[] | undefined;
  /** Listeners from the first frame on. */
  on?: Opt<Events> | undefined;
  /** Forwarded to the root actor, for the stock XState inspectors. */
  inspect?: ActorOptions<AnyActorLogic>['inspect'];
  /** Watches frames, transitions and decisions: a recorder, a live page, or your own. */
  recorder?: Observer | readonly Observer[] | undefined;
  clock?: Clock | undefined;
  /** Closes the agent, also after connect. */
  signal?: AbortSignal | undefined;
  /** Adds `agentText` to errors: the agent's words, not enumerable. */
  exposeAgentText?: boolean | undefined;
}

export interface CommandSource {
  /** Spawned without a shell, as the leader of its own process group. */
  command: string;
  args?: readonly string[] | undefined;
  cwd?: string | undefined;
  /** Replaces the environment, as in `child_process.spawn`. */
  env?: Record<string, string | undefined> | undefined;
  transport?: undefined;
}
export interface TransportSource {
  /** Any byte reader and writer; web streams fit. Owns no process. */
  transport: { readable: ByteReadable; writable: ByteWritable };
  command?: undefined;
  cwd?: string | undefined;
}

export type ConnectOptions = CommonOptions & (CommandSource | TransportSource);
