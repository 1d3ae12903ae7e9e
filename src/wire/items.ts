/** Tool calls and terminals in the normal form: what changes them, and what the changes add up to. */

export interface ToolLocation {
  path: string;
  line?: number;
}
/** A change to a tool call. An absent member is unchanged; `null` clears it (v2 only: the reader of v1 drops nulls). */
export interface ToolPatch {
  toolCallId: string;
  title?: string | null;
  kind?: string | null;
  status?: string | null;
  content?: unknown[] | null;
  /** Appended after `content` was applied. */
  appendContent?: unknown[];
  locations?: ToolLocation[] | null;
  rawInput?: unknown;
  rawOutput?: unknown;
  /** v2: the client may cancel it by itself. */
  cancellable?: boolean;
}

export type ToolKind =
  'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'switch_mode' | 'other';
/** What the patches of one tool call add up to: a snapshot, never changed afterwards. */
export interface ToolCall {
  toolCallId: string;
  /** Absent until the agent gave one: an update or a permission request may be the first mention. */
  title?: string;
  kind?: ToolKind | (string & {});
  /** `cancelled` is also set here, when the turn was cancelled and the agent has not said how the call ended. */
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | (string & {});
  content: readonly unknown[];
  locations: readonly ToolLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  /** v2: `session.cancelToolCall` may cancel it. */
  cancellable?: boolean;
}

/** A change to a terminal of the agent's (v2). An absent member is unchanged; `null` clears it. */
export interface TerminalPatch {
  terminalId: string;
  command?: string | null;
  cwd?: string | null;
  /** Replaces all output. */
  output?: Buffer | null;
  /** Appended after `output` was applied. */
  appendOutput?: Buffer;
  exitStatus?: { exitCode: number | null; signal: string | null } | null;
  cancellable?: boolean;
}
/** What the patches of one terminal add up to: a snapshot, never changed afterwards. */
export interface Terminal {
  terminalId: string;
  command?: string;
  cwd?: string;
  /** The last MiB, from a character boundary on. */
  readonly output: string;
  /** The beginning of the output is gone. */
  truncated: boolean;
  /** There once it has exited. */
  exitStatus?: { exitCode: number | null; signal: string | null };
  /** `session.cancelTerminal` may cancel it. */
  cancellable?: boolean;
}
