/** What the embedding program serves to the agent. A capability is advertised exactly when its handler is there. */

/** Of the request that a handler answers. */
export interface HandlerContext {
  /** `''` where the request is of no session. */
  sessionId: string;
  /** The session that the request is really of, where the agent announced it as a child of this one. */
  childId?: string;
  /** The session's `cwd`, then its additional directories; empty where the request is of no session. */
  roots: readonly string[];
  /** Aborts when the answer is no longer wanted. */
  signal: AbortSignal;
  /** Aborts when the session is over, or the connection: what a handler keeps for it can be let go. */
  ended: AbortSignal;
}

/** What it throws is answered by -32603 without its words; a `RequestError` by its own code. */
type Handler<P, R> = (params: P, context: HandlerContext) => R | Promise<R>;

/** v1 `fs/*`: paths are absolute, lines count from 1. */
export interface FsHandler {
  readTextFile?: Handler<{ path: string; line?: number; limit?: number }, { content: string }> | undefined;
  writeTextFile?: Handler<{ path: string; content: string }, void> | undefined;
}

export interface TerminalExit {
  exitCode: number | null;
  signal: string | null;
}

/** v1 `terminal/*`: one flag advertises all five. */
export interface TerminalHandler {
  create: Handler<
    {
      command: string;
      args?: string[];
      env?: { name: string; value: string }[];
      cwd?: string;
      outputByteLimit?: number;
    },
    { terminalId: string }
  >;
  output: Handler<{ terminalId: string }, { output: string; truncated: boolean; exitStatus?: TerminalExit }>;
  waitForExit: Handler<{ terminalId: string }, TerminalExit>;
  kill: Handler<{ terminalId: string }, void>;
  release: Handler<{ terminalId: string }, void>;
}

/**
 * `elicitation/create`, by mode, with its params as they came. A mode without a function is not advertised, and refused.
 * Anything but an answer, a throw included, is answered `cancel`; so is whatever is open when the session's turn is
 * cancelled, when the agent withdraws it, and, outside a turn, when the request limit has passed. `elicitation/complete`
 * comes as a `notification`.
 */
export interface ElicitationHandler {
  form?: Handler<unknown, { action: 'accept' | 'decline' | 'cancel'; content?: unknown }> | undefined;
  url?: Handler<unknown, { action: 'accept' | 'decline' | 'cancel' }> | undefined;
}

export interface Handlers {
  fs?: FsHandler | undefined;
  terminal?: TerminalHandler | undefined;
  elicitation?: ElicitationHandler | undefined;
  /** Any other request of the agent, by method, with its params as they came. */
  requests?: { [method: string]: (params: unknown, c: { signal: AbortSignal }) => unknown } | undefined;
}
