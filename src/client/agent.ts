/** One agent, as the embedding program holds it. */
import type { AuthMethod } from '../wire/normal.js';
import type { Decision } from '../policy/permission.js';
import type { Stats } from '../rpc/stats.js';
import type { CallOptions } from '../join/calls.js';
import type { ErrorKind } from '../join/failure.js';
import type { Events } from '../join/listeners.js';
import type { Ticket } from '../rpc/tickets.js';
import type { ExitInfo } from '../process/agentProcess.js';
import type { AcpError } from './errors.js';
import type { Session } from './session.js';

export interface SessionOptions extends CallOptions {
  /** Absolute. Default: that of `connect`, else `process.cwd()`. */
  cwd?: string | undefined;
  /** MCP declarations, as v1 writes them; gated by transport. Not with `connect({ tools })`. */
  mcpServers?: unknown[] | undefined;
  /** Absolute paths; gated. */
  additionalDirectories?: string[] | undefined;
}

export type Preference = 'resume' | 'load' | 'new';

export interface OpenOptions extends SessionOptions {
  id?: string | undefined;
  /** Tried in this order. Default `['resume', 'load']`; a new session only if it is named. */
  prefer?: readonly Preference[] | undefined;
}

export interface SessionInfo {
  sessionId: string;
  cwd: string;
  title?: string;
  updatedAt?: string;
}

export interface CloseInfo {
  /** `closed`: by us; else the kind of failure that ended it. */
  reason: ErrorKind;
  exit?: ExitInfo;
  error?: AcpError;
}

export interface AgentInfo {
  name: string;
  title?: string;
  version: string;
  /** The version that is spoken, told by the shape of the agent's answer. */
  protocolVersion: 1 | 2;
  /** As the wire has them. */
  capabilities: unknown;
  /** What the agent advertises and the library does not model: the session is narrower than the agent. */
  narrower: string[];
  authMethods: readonly AuthMethod[];
}

export interface Agent extends AsyncDisposable {
  readonly info: AgentInfo;
  /** Whether the agent advertises a capability. Paths are v1's (`loadSession`, `promptCapabilities.image`), in v2 too. */
  advertises(path: string): boolean;
  readonly state: 'connecting' | 'ready' | 'closing' | 'closed';
  /** Tells of each change of state. Gives the function that ends it. */
  subscribe(fn: () => void): () => void;
  readonly closeReason: ErrorKind | undefined;
  /** Never rejects. */
  readonly closed: Promise<CloseInfo>;
  /** Also the id of its process group. Undefined over a transport. */
  readonly pid: number | undefined;
  readonly stats: Stats;
  readonly stderr: { tail(): string };
  /** The permission ledger: the newest 1,000. */
  readonly decisions: readonly Decision[];
  /** `authenticate` (v2 `auth/login`). Login may take minutes: give it a budget. A second one is `busy`. */
  authenticate(methodId: string, options?: CallOptions): Promise<void>;
  logout(options?: CallOptions): Promise<void>;
  newSession(options?: SessionOptions): Promise<Session>;
  /** `session/load` (v2 `session/resume` with replay). Never prompts; what is replayed is tagged `replay`. */
  loadSession(id: string, options?: SessionOptions): Promise<Session>;
  resumeSession(id: string, options?: SessionOptions): Promise<Session>;
  forkSession(id: string, options?: SessionOptions): Promise<Session>;
  openSession(options: OpenOptions): Promise<Session>;
  /** Pages are fetched as the loop goes on. */
  listSessions(options?: CallOptions & { cwd?: string | undefined }): AsyncIterable<SessionInfo, void>;
  deleteSession(id: string, options?: CallOptions): Promise<void>;
  /** By hand: sends a request; the answer is awaited apart. Throws `invalid-argument`, `closed`. */
  sendRequest(method: string, params?: unknown): Ticket;
  /** The answer of a ticket, given once. Giving up the wait gives up neither the id nor the answer. */
  awaitResponse<T = unknown>(ticket: Ticket, options?: CallOptions): Promise<T>;
  notify(method: string, params?: unknown): Promise<void>;
  on<K extends keyof Events>(name: K, fn: Events[K]): () => void;
  /** Cancels turns, ends stdin, then TERM, then KILL for the whole group. Idempotent, never rejects. */
  close(): Promise<void>;
}
