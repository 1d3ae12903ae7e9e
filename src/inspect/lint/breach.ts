/** What the rules are given, and what they tell. */
import type { Envelope } from '../../rpc/envelope.js';
import type { Side } from '../../wire/methods.js';
import { isObject, textOf } from '../../wire/values.js';

export interface Breach {
  /** Of the file, from 1. */
  line: number;
  /** Who broke the rule. */
  by: Side;
  session?: string | undefined;
  /** The name of the rule; see docs/recordings.md. */
  rule: string;
  says: string;
}

/** A request, and what became of it. */
export interface Asked {
  line: number;
  by: Side;
  id: string | number | null;
  method: string;
  params: unknown;
  session: string | undefined;
  /** It is well-formed, so that an answer is owed. */
  owed: boolean;
  answeredIn?: number;
}

/** A message, with what is known of it from those before. */
export interface Seen {
  line: number;
  by: Side;
  envelope: Envelope;
  session: string | undefined;
  /** Of a request: itself. Of an answer: the request. */
  asked?: Asked;
}

export const other = (side: Side): Side => (side === 'client' ? 'agent' : 'client');

export const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

export const sessionOf = (params: unknown): string | undefined => textOf(memberOf(params, 'sessionId'));

export const isRequest = (seen: Seen, method: string): boolean =>
  seen.envelope.kind === 'request' && seen.envelope.method === method;

/** How the recording ended, for what is still owed then. */
export interface Ending {
  /** There may be more that is not in it. */
  partial: boolean;
  closed: string | undefined;
}

export interface Rules {
  frame(seen: Seen): void;
  end?(ending: Ending): void;
}

export type Tell = (breach: Breach) => void;
