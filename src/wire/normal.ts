/** The one normal form that everything above `wire/` speaks. Both versions are read into it and written from it. */

export type { Terminal, TerminalPatch, ToolCall, ToolKind, ToolLocation, ToolPatch } from './items.js';
import type { TerminalPatch, ToolPatch } from './items.js';

export interface Implementation {
  name: string;
  title?: string;
  version: string;
}

export interface AuthMethod {
  id: string;
  /** `agent` where the wire names none, `unknown` where it cannot be read. That one and `terminal` are never sent. */
  type: string;
  name: string;
  /** Of type `terminal`: what a person runs. */
  terminal?: TerminalLogin;
  raw: unknown;
}

/** A login in a terminal: the agent's own program, to be run by a person. Nothing here runs it. Then connect anew. */
export interface TerminalLogin {
  /** The program that was spawned; undefined over a transport. */
  command?: string;
  /** The agent's usual arguments, then those of the method. */
  args: readonly string[];
  /** Goes over the agent's usual environment. */
  env: Readonly<Record<string, string>>;
}

/** What an `initialize` answer says, whichever version it is written in. */
export interface AgentFacts {
  version: 1 | 2;
  name: string;
  title?: string;
  agentVersion: string;
  /** The agent's capabilities as the wire has them (`agentCapabilities` or `capabilities`). */
  capabilities: Record<string, unknown>;
  authMethods: AuthMethod[];
  /** Legacy model state of the whole agent, where it gives one here: for sessions whose own answer has none. */
  models?: Choice;
  /** `_session/steering` is served: only said, never found out by trying, since some agents answer anything with success. */
  steers: boolean;
}

export type InitializeReading =
  | { kind: 'agreed'; facts: AgentFacts }
  /** The number offered came back in the shape of v1: told by members, not by number. */
  | { kind: 'echo'; facts: AgentFacts }
  | { kind: 'unsupported' };

export interface ConfigValue {
  value: string;
  name: string;
  description?: string;
  group?: string;
}
export interface ConfigOption {
  id: string;
  name: string;
  category: string | undefined;
  type: string;
  /** `undefined` where the current value is missing. */
  value: string | boolean | undefined;
  values: readonly ConfigValue[];
}
export interface Choice {
  current: string | undefined;
  available: readonly { id: string; name: string; description?: string }[];
}

/** The result of new, load, resume or fork. Absent members mean: not reported. */
export interface SessionReading {
  sessionId: string | undefined;
  config?: ConfigOption[];
  modes?: Choice;
  models?: Choice;
  commands?: string[];
}

/** The end of a v1 turn, or the acknowledgement of a v2 prompt (no stop reason). */
export interface PromptReading {
  stopReason: string | undefined;
  messageId?: string;
  usage?: Usage;
}
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
}

/** One `session/update`, read. `raw` is the wire object. */
export type NormalUpdate =
  | {
      kind: 'text' | 'thought' | 'user';
      text: string;
      messageId?: string;
      /** false: replaces the whole message of that id (v2 upsert). */
      append: boolean;
      content?: unknown;
      raw: unknown;
    }
  | { kind: 'tool'; patch: ToolPatch; raw: unknown }
  | { kind: 'plan'; entries: { content: string; status: string; priority: string }[]; planId?: string; raw: unknown }
  | { kind: 'commands'; commands: string[]; raw: unknown }
  | { kind: 'mode'; modeId: string; raw: unknown }
  | { kind: 'config'; config: ConfigOption[]; raw: unknown }
  /** `childId`: of a session that is hereby announced as a child of this one. */
  | { kind: 'info'; childId?: string; title?: string | null; updatedAt?: string | null; raw: unknown }
  | { kind: 'terminal'; patch: TerminalPatch; raw: unknown }
  /** `context`: how full it is, not tokens of a turn. `cost`: of the session so far. */
  | {
      kind: 'usage';
      usage?: Usage;
      context?: { used: number; size: number };
      cost?: { amount: number; currency: string } | null;
      raw: unknown;
    }
  /** v2 only. `errorCode` where the stop reason is `error`. */
  | { kind: 'state'; state: string; stopReason?: string; errorCode?: number; usage?: Usage; raw: unknown }
  | { kind: 'notice'; raw: unknown }
  /** `known`: the kind is one of ours but could not be read (counted as malformed, not as unknown). */
  | { kind: 'unknown'; known: boolean; raw: unknown };

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: string;
}
/** `session/request_permission`, read. Options that cannot be read are left out; none at all is an empty list. */
export interface PermissionReading {
  sessionId: string | undefined;
  title: string;
  tool?: ToolPatch;
  options: PermissionOption[];
  raw: unknown;
}

/** A call ready to be written. */
export interface Call {
  method: string;
  params: Record<string, unknown>;
}

export interface SessionParams {
  cwd: string;
  mcpServers: unknown[];
  additionalDirectories?: string[] | undefined;
}

/** The words of one version. Nothing above `wire/` asks which one it holds but for `version`, which is shown to users. */
export interface Dialect {
  readonly version: 1 | 2;
  /** Whether an agent of this version may ask for `fs/*` and `terminal/*` at all. */
  readonly asksForServices: boolean;
  /** What this version calls a method of v1. */
  methodOf(v1Method: string): string;
  newSession(p: SessionParams): Call;
  /** v1 `session/load`; v2 `session/resume` with replay from the start. */
  loadSession(sessionId: string, p: SessionParams): Call;
  resumeSession(sessionId: string, p: SessionParams): Call;
  forkSession(sessionId: string, p: SessionParams): Call;
  listSessions(p: { cwd?: string | undefined; cursor?: string | undefined }): Call;
  closeSession(sessionId: string): Call;
  deleteSession(sessionId: string): Call;
  prompt(sessionId: string, blocks: readonly unknown[]): Call;
  cancel(sessionId: string): Call;
  cancelToolCall(sessionId: string, toolCallId: string): Call;
  cancelTerminal(sessionId: string, terminalId: string): Call;
  /** An extension of vendors; see `AgentFacts.steers`. */
  steer(sessionId: string, blocks: readonly unknown[]): Call;
  setConfig(sessionId: string, configId: string, value: string | boolean): Call;
  setMode(sessionId: string, modeId: string): Call;
  setModel(sessionId: string, modelId: string): Call;
  authenticate(methodId: string): Call;
  logout(): Call;
  /** `undefined`: not a session result at all (neither object nor null). */
  readSession(result: unknown): SessionReading | undefined;
  /** `undefined`: no prompt result; in v1 that is also one without a stop reason, which in v2 is an acknowledgement. */
  readPrompt(result: unknown): PromptReading | undefined;
  /** The full list that a config answer carries, if it carries one. */
  readConfig(result: unknown): ConfigOption[] | undefined;
  readUpdate(update: unknown): NormalUpdate;
  readPermission(params: unknown): PermissionReading | undefined;
  readSessionList(
    result: unknown,
  ):
    | { sessions: { sessionId: string; cwd: string; title?: string; updatedAt?: string }[]; nextCursor?: string }
    | undefined;
  /** v1's dotted path, looked up in this version's capability object; see `capabilities.ts`. */
  advertises(capabilities: Record<string, unknown>, path: string): boolean;
  /** Dotted paths that the agent advertises and the library does not model. */
  narrower(capabilities: Record<string, unknown>): string[];
}
