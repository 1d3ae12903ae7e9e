/** The demo agent's sessions. They live as long as the process does. */
import { randomUUID } from 'node:crypto';
import { NOT_FOUND } from '../rpc/messages.js';
import { Refusal } from './peer.js';
import { Settings } from './settings.js';

export interface RunningTurn {
  /** Id of the `session/prompt` request, for `$/cancel_request`. */
  readonly requestId: unknown;
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

export interface DemoSession {
  readonly id: string;
  cwd: string;
  readonly settings: Settings;
  /** Whole messages and final tool calls in wire form: what a load replays. */
  readonly history: object[];
  title: string | undefined;
  updatedAt: string;
  /** Closed sessions stay listed and can be loaded again. */
  open: boolean;
  /** The client chose `allow_always` in this session. */
  mayWrite: boolean;
  usedTokens: number;
  turn: RunningTurn | undefined;
}

const unknownSession = (sessionId: unknown): Refusal =>
  new Refusal(NOT_FOUND, 'Unknown session', typeof sessionId === 'string' ? { sessionId } : undefined);

export class Sessions {
  readonly #all = new Map<unknown, DemoSession>();

  create(cwd: string): DemoSession {
    const session: DemoSession = {
      id: randomUUID(),
      cwd,
      settings: new Settings(),
      history: [],
      title: undefined,
      updatedAt: new Date().toISOString(),
      open: true,
      mayWrite: false,
      usedTokens: 0,
      turn: undefined,
    };
    this.#all.set(session.id, session);
    return session;
  }

  find(id: unknown): DemoSession | undefined {
    return this.#all.get(id);
  }

  /** @throws Refusal -32002 where no such session exists; a closed one does. */
  known(id: unknown): DemoSession {
    const session = this.#all.get(id);
    if (!session) throw unknownSession(id);
    return session;
  }

  /** @throws Refusal -32002 where no such session is open. */
  opened(id: unknown): DemoSession {
    const session = this.#all.get(id);
    if (!session?.open) throw unknownSession(id);
    return session;
  }

  all(): DemoSession[] {
    return [...this.#all.values()];
  }
}
