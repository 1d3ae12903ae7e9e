/** Drive coding agents that speak the Agent Client Protocol. Start with `connect`. */
export { connect } from './client/connect.js';
export { AcpError, type AgentText } from './client/errors.js';
export type {
  Agent,
  AgentInfo,
  CloseInfo,
  OpenOptions,
  Preference,
  SessionInfo,
  SessionOptions,
} from './client/agent.js';
export type { ClientInfo, CommandSource, ConnectOptions, TransportSource } from './client/options.js';
export type { PromptOptions, Session } from './client/session.js';
export type { Turn } from './client/turn.js';
export type { ConfinedFsOptions } from './handlers/confinedFs.js';
export type {
  ElicitationHandler,
  FsHandler,
  HandlerContext,
  Handlers,
  TerminalExit,
  TerminalHandler,
} from './handlers/handlers.js';
export type { LocalTerminalOptions } from './handlers/localTerminal.js';
export type { CallOptions } from './join/calls.js';
export type { ErrorKind, Phase } from './join/failure.js';
export type { TurnHeard, TurnResult } from './join/heard.js';
export type { ChooseLogin } from './join/settings.js';
export type { Events, Where } from './join/listeners.js';
export type { SessionState } from './join/seat.js';
export type { SteerVerdict } from './join/steering.js';
export type { Selection } from './join/selection.js';
export type { Clock } from './framing/clock.js';
export type { ByteReadable, ByteReader, ByteWritable, ByteWriter } from './framing/streams.js';
export { budget, confinedFs, localTerminal, policy } from './client/factories.js';
export type { Bounds, Budget } from './policy/budget.js';
export type { AskOptions, Policy, Rule, UnattendedOptions } from './policy/policies.js';
export type { AskFn, Cause, Decision, OptionKind, PermissionOption, PermissionRequest } from './policy/permission.js';
export { recorder, type Recorder, type RecorderOptions } from './inspect/recorder.js';
export type { FrameSeen, Observer, Source, TransitionSeen, WaitSeen } from './inspect/observer.js';
export type { BudgetReport } from './policy/watch.js';
export { decisionLines } from './policy/ledger.js';
export type { ExitInfo } from './process/agentProcess.js';
export { RequestError } from './rpc/requestError.js';
export type { Stats } from './rpc/stats.js';
export type { Ticket } from './rpc/tickets.js';
export type { ContextItem } from './session/content.js';
export { effortMatches } from './session/effort.js';
export { advertisedEffort, modelIdAttributes, modelIdBase } from './session/models.js';
export { parseTools, type ToolServer, type Tools, type ToolsError } from './session/tools.js';
export type { SessionFacts } from './session/info.js';
export type { SessionOptions as OfferedOptions } from './session/options.js';
export type { Update } from './session/updates.js';
export type {
  AuthMethod,
  TerminalLogin,
  Choice,
  ConfigOption,
  ConfigValue,
  Terminal,
  ToolCall,
  ToolKind,
  ToolLocation,
  Usage,
} from './wire/normal.js';
