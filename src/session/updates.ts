import type { ConfigOption, NormalUpdate, Terminal, ToolCall, Usage } from '../wire/normal.js';
import type { TerminalStore } from './terminals.js';
import type { ToolCallStore } from './toolCalls.js';
import type { Transcript } from './transcript.js';

interface U<K extends string> {
  readonly kind: K;
  /** The update as it came: the object under `params.update`. */
  readonly raw: unknown;
}

/** One `session/update`, as it is delivered. More kinds may join. */
export type Update =
  | (U<'text' | 'thought' | 'user'> & {
      /** `''` where the content is no text: see `content`. */
      text: string;
      messageId?: string;
      /** `false`: replaces the whole message of that id (v2). */
      append: boolean;
      content?: unknown;
    })
  /** The call with every patch so far merged in; `first` where its id was not known before. */
  | (U<'tool'> & { toolCall: ToolCall; first: boolean })
  /** The full list: it replaces the one before (of that `planId`, where there is one). */
  | (U<'plan'> & { entries: readonly { content: string; status: string; priority: string }[]; planId?: string })
  | (U<'commands'> & { commands: readonly string[] })
  | (U<'mode'> & { modeId: string })
  | (U<'config'> & { config: readonly ConfigOption[] })
  /** `childId`: a session that is hereby announced as a child; its updates come under this one's id. */
  | (U<'info'> & { childId?: string; title?: string | null; updatedAt?: string | null })
  /** v2: a terminal of the agent's, with every patch so far merged in. */
  | (U<'terminal'> & { terminal: Terminal; first: boolean })
  | (U<'usage'> & {
      usage?: Usage;
      context?: { used: number; size: number };
      cost?: { amount: number; currency: string } | null;
    })
  | (U<'state'> & { state: string; stopReason?: string; errorCode?: number; usage?: Usage })
  | U<'notice'>
  | U<'unknown'>;

/** What patches of one session, or of one child of it, are merged into. */
export interface Stores {
  tools: ToolCallStore;
  terminals: TerminalStore;
}

/**
 * The public form of an update that was read. Patches of tool calls are merged into the session's store; what is said in a
 * turn goes to the transcript of its result. A text chunk is handed on as it was read: nothing is copied.
 */
export function toUpdate(read: NormalUpdate, stores: Stores, transcript: Transcript | undefined): Update {
  const { tools, terminals } = stores;
  switch (read.kind) {
    case 'text':
      transcript?.message(read);
      return read;
    case 'tool': {
      const applied = tools.apply(read.patch);
      transcript?.tool(applied);
      return { kind: 'tool', toolCall: applied.toolCall, first: applied.first, raw: read.raw };
    }
    case 'terminal': {
      const { terminal, first } = terminals.apply(read.patch);
      return { kind: 'terminal', terminal, first, raw: read.raw };
    }
    case 'unknown':
      return { kind: 'unknown', raw: read.raw };
    default:
      return read;
  }
}
