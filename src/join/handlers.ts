/** What the embedding program serves to the agent. A capability is advertised exactly when its handler is there. */

/** Of the request that a handler answers. `signal` aborts when the answer is no longer wanted. */
export interface HandlerContext {
  sessionId: string;
  signal: AbortSignal;
}

type Handler<P, R> = (params: P, context: HandlerContext) => R | Promise<R>;

/** v1 `fs/*`: paths are absolute, lines count from 1. */
export interface FsHandler {
  readTextFile?: Handler<{ path: string; line?: number; limit?: number }, { content: string }> | undefined;
  writeTextFile?: Handler<{ path: string; content: string }, void> | undefined;
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
  output: Handler<
    { terminalId: string },
    { output: string; truncated: boolean; exitStatus?: { exitCode: number | null; signal: string | null } }
  >;
  waitForExit: Handler<{ terminalId: string }, { exitCode: number | null; signal: string | null }>;
  kill: Handler<{ terminalId: string }, void>;
  release: Handler<{ terminalId: string }, void>;
}

/** `elicitation/create`, by mode. A mode without a function is not advertised, and refused. */
export interface ElicitationHandler {
  form?: Handler<unknown, { action: 'accept' | 'decline' | 'cancel'; content?: unknown }> | undefined;
  url?: Handler<unknown, { action: 'accept' | 'decline' | 'cancel' }> | undefined;
}

export interface Handlers {
  fs?: FsHandler | undefined;
  terminal?: TerminalHandler | undefined;
  elicitation?: ElicitationHandler | undefined;
  /** Any other request of the agent, by method. What is thrown is answered as -32603. */
  requests?: { [method: string]: (params: unknown, c: { signal: AbortSignal }) => unknown } | undefined;
}
