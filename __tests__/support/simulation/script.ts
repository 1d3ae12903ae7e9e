/** What a world is made of: its setup and, one by one, what the caller, the agent and the clock do. Plain data, so that a script can be printed, cut down and played again. */

export type Version = 1 | 2;

export interface Setup {
  seed: number;
  /** What the agent speaks. */
  version: Version;
  offers: (1 | 2)[];
  handshake: 'plain' | 'echo' | 'refuses' | 'names' | 'unsupported' | 'error' | 'silent' | 'exits' | 'hollow';
  scope: 'route' | 'strict' | 'accept';
  policy: 'cancel' | 'ask' | 'ask-by-clock' | 'ask-reject' | 'by-kind' | 'unattended';
  /** A listener for updates beside the one that keeps the books. */
  listener: 'none' | 'async' | 'slow' | 'throws';
  /** How an embedder who is asked by the clock needs to think, in ms. */
  thinkMs: number;
  /** Capabilities in v1's paths. */
  serves: string[];
  /** How sessions offer their options. */
  options: 'config' | 'legacy' | 'none';
  /** Serves `sim/ask` and, in v1, `fs/read_text_file`. */
  handlers: boolean;
  limits: {
    requestLimitMs: number;
    turnIdleMs: number;
    turnAbsoluteMs: number;
    cancelGraceMs: number;
    closeGraceMs: number;
    writeTimeoutMs: number;
    listenerLimitMs: number;
    replayQuietMs: number;
    maxFrameBytes: number;
  };
  /** The agent ends its stdout when its stdin ends. */
  leavesOnEof: boolean;
  /** How it all ends, before the caller closes. */
  ending: 'time' | 'close' | 'exit' | 'fail';
}

/** Bounds of a call: plain ones, or the one budget that calls of this world share. */
export interface CallTerms {
  budget?: { idleMs?: number; absoluteMs?: number } | 'shared';
  /** The call gets a signal, which `abort` can fire. */
  signal?: true;
}

export type UpdateKind =
  | 'text'
  | 'message'
  | 'thought'
  | 'user'
  | 'tool'
  | 'plan'
  | 'commands'
  | 'mode'
  | 'config'
  | 'usage'
  | 'info'
  | 'odd'
  | 'child'
  | 'malformed'
  | 'big';

export type AnswerHow =
  | 'good'
  | 'null'
  | 'no-stop'
  | 'error'
  | 'both'
  | 'neither'
  | 'string-id'
  | 'twice'
  | 'wrong-type'
  | 'no-id'
  | 'taken-id';

export type Noise =
  | 'text'
  | 'array'
  | 'scalar'
  | 'bare'
  | 'cut'
  | 'blank'
  | 'crlf'
  | 'ansi'
  | 'not-utf8'
  | 'glued'
  | 'no-jsonrpc'
  | 'deep';

/** `as`: the number by which later actions name what this one made. */
export type CallerAction =
  | { do: 'open'; as: number; via: 'new' | 'load' | 'resume' | 'fork' | 'open'; id?: string; terms: CallTerms }
  | {
      do: 'prompt';
      as: number;
      on: number;
      queue: boolean;
      context: boolean;
      reader: 'none' | 'eager' | 'slow' | 'leaves';
      terms: CallTerms;
    }
  | { do: 'cancel'; turn: number }
  | { do: 'abort'; of: number }
  | { do: 'close-session'; as: number; on: number; terms: CallTerms }
  | { do: 'dispose'; as: number; on: number }
  | { do: 'select'; as: number; on: number; model?: string; effort?: string; mode?: string; terms: CallTerms }
  | { do: 'set-config'; as: number; on: number; id: string; value: string | boolean; terms: CallTerms }
  | { do: 'authenticate'; as: number; terms: CallTerms }
  | { do: 'logout'; as: number; terms: CallTerms }
  | { do: 'list'; as: number; terms: CallTerms }
  | { do: 'delete'; as: number; id: string; terms: CallTerms }
  | { do: 'send'; as: number; method: string }
  | { do: 'await'; as: number; ticket: number; terms: CallTerms }
  | { do: 'notify'; as: number; method: string }
  | { do: 'read'; as: number; turn: number }
  | { do: 'leave'; turn: number }
  | { do: 'decide'; ask: number; how: 'option' | 'null' | 'foreign' | 'throw'; option: number }
  | { do: 'serve'; ask: number; how: 'result' | 'throw' | 'function' }
  | { do: 'release' }
  | { do: 'close'; as: number }
  | { do: 'abort-connect' };

export type AgentAction = (
  | {
      do: 'answer';
      method: string;
      /** Which of those that are open; counted from the oldest, over and over. */
      nth: number;
      how: AnswerHow;
      /** Of the session that a new one is given. */
      id?: string;
      stopReason?: string;
      code?: number;
    }
  | { do: 'stray'; id: number | string | null }
  | { do: 'update'; n: number; session?: string; kind: UpdateKind; tool?: string; toolKind?: string }
  | { do: 'state'; n: number; session: string; state: string; stopReason?: string }
  | {
      do: 'ask';
      n: number;
      id: number | string | null;
      session?: string;
      options: string[];
      tool?: string;
      toolKind?: string;
    }
  | { do: 'request'; n: number; id: number | string | null; method: string; session?: string }
  | { do: 'withdraw'; id: number | string | null }
  | { do: 'note'; method: string }
  | { do: 'noise'; noise: Noise }
  | { do: 'oversize' }
) & {
  /** Its bytes are cut at places that this number draws; left out: they come in one piece. */
  cut?: number;
  /** So many bytes at its end come only with what is sent next. */
  hold?: number;
};

export type PipeAction = { do: 'end' | 'fail' | 'stall' | 'unstall' | 'break' };
export type TimeAction = { do: 'advance'; ms: number } | { do: 'tick' };

/** `join`: with the action that follows, in the same turn of the loop. */
export type Action = (CallerAction | AgentAction | PipeAction | TimeAction) & { join?: true };

export interface Script {
  setup: Setup;
  actions: Action[];
}

/** One line each, so that a person can read along and a diff shows what was cut. */
export const printed = ({ setup, actions }: Script): string =>
  `{"setup": ${JSON.stringify(setup)},\n "actions": [\n  ${actions.map((a) => JSON.stringify(a)).join(',\n  ')}\n]}\n`;
