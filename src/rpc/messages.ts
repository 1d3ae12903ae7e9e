/** JSON-RPC ids as agents send them. Ours are always positive integers. */
export type RpcId = string | number | null;

/** What became of a request of ours. Exactly one is given per request. */
export type Answer =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; code: number; message: string | undefined; data: unknown }
  /** Both or neither of result and error: rule 6 of the semantics, `protocol` for that request. */
  | { kind: 'malformed' }
  /** The connection ended first; why is the connection's business. */
  | { kind: 'closed' };

/** A request of the agent. It is answered exactly once: the first call of `respond` or `refuse` counts, later ones do nothing. */
export interface IncomingRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
  readonly answered: boolean;
  respond(result: unknown): void;
  refuse(code: number, message: string): void;
}

/** Why a connection ended by itself. `detail` never holds agent text. */
export type ConnectionEnd =
  | { kind: 'ended' } // end of the byte stream: the agent closed its stdout
  | { kind: 'frame-too-large' }
  | { kind: 'io' } // a read or a write failed, or too much waits to be written
  | { kind: 'write-timeout' };

/** The floor above. A returned promise holds the pipe: no further frame is read until it settles. None of these may throw. */
export interface ConnectionHandlers {
  notification(method: string, params: unknown): void | Promise<void>;
  request(request: IncomingRequest): void | Promise<void>;
  /** One line that is no message, decoded, cut to 4,096 characters. Called only for observers; counted already. */
  skipped(line: string): void;
  /** Once, when the connection ends by itself. Not called after `close()`. Pending requests were settled `closed` before. */
  end(end: ConnectionEnd): void;
}

/** A notification, in either direction: the answer to the request that it names is not wanted any more. */
export const CANCEL_REQUEST = '$/cancel_request';

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const AUTH_REQUIRED = -32000;
export const NOT_FOUND = -32002;
export const VERSION_UNSUPPORTED = -32022;
export const REQUEST_CANCELLED = -32800;
