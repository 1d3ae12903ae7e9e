/** Turns of a session: one at a time, ended once, and silent afterwards. */
import { isExtension } from '../../wire/methods.js';
import { textOf } from '../../wire/values.js';
import { type Asked, memberOf, type Seen, type Tell } from './breach.js';
import type { SessionBook } from './session.js';

const SPEECH = new Set(['agent_message_chunk', 'agent_thought_chunk', 'agent_message', 'agent_thought']);
/** Version 1 has no work but that of a turn. Version 2 lets tools go on while the session is idle. */
const OF_A_TURN = new Set([...SPEECH, 'user_message_chunk', 'tool_call', 'tool_call_update', 'plan']);
const STOP_REASONS = new Set(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']);

export class TurnRules {
  readonly #tell: Tell;
  readonly #version: () => 1 | 2 | undefined;

  constructor(tell: Tell, version: () => 1 | 2 | undefined) {
    this.#tell = tell;
    this.#version = version;
  }

  called(seen: Seen, method: string, book: SessionBook): void {
    if (method === 'session/prompt' && seen.asked) this.#prompted(seen, seen.asked, book);
    if (method === 'session/cancel' && book.prompts.size > 0) book.cancelledIn ??= seen.line;
    if (method === 'session/request_permission' && seen.envelope.kind === 'request') {
      const { params } = seen.envelope;
      const id = textOf(
        memberOf(memberOf(params, 'toolCall') ?? memberOf(memberOf(params, 'subject'), 'toolCall'), 'toolCallId'),
      );
      if (id !== undefined) book.tools.add(id);
    }
    if (method === 'session/update' && seen.envelope.kind === 'notification') {
      this.#updated(seen, memberOf(seen.envelope.params, 'update'), book);
    }
  }

  answered(seen: Seen, asked: Asked, book: SessionBook): void {
    const { envelope, line, by, session } = seen;
    if (!book.prompts.delete(asked) || envelope.kind !== 'response') return;
    const { answer } = envelope;
    const breach = (rule: string, says: string): void => this.#tell({ line, by, session, rule, says });
    const reason = answer.kind === 'result' ? memberOf(answer.result, 'stopReason') : undefined;
    if (answer.kind === 'error' && book.cancelledIn !== undefined) {
      breach(
        'cancel-failed',
        `the turn cancelled in line ${book.cancelledIn} was answered by an error, not \`cancelled\``,
      );
    }
    const ends = this.#version() !== 2 || answer.kind !== 'result' || reason !== undefined;
    if (!ends) {
      book.accepted = book.state !== 'idle' || book.ended === undefined || book.ended.line < asked.line;
      return;
    }
    book.cancelledIn = undefined;
    book.endedBy('the turn', line);
    if (answer.kind !== 'result') return;
    if (typeof reason !== 'string') breach('no-stop-reason', 'the turn ends without a stop reason');
    else if (!STOP_REASONS.has(reason) && !isExtension(reason)) {
      breach('unknown-kind', 'the stop reason is none of the protocol');
    }
  }

  #prompted({ line, by, session }: Seen, asked: Asked, book: SessionBook): void {
    const [before] = book.prompts;
    if (before) {
      const says = `a prompt while that of line ${before.line} was not answered`;
      this.#tell({ line, by, session, rule: 'overlapping-prompts', says });
    }
    book.prompts.add(asked);
  }

  #updated(seen: Seen, update: unknown, book: SessionBook): void {
    const kind = textOf(memberOf(update, 'sessionUpdate')) ?? '';
    if (kind === 'state_update' && this.#version() === 2) this.#state(seen, update, book);
    if (!book.busy && book.ended && (this.#version() === 2 ? SPEECH : OF_A_TURN).has(kind)) {
      this.#late(seen, kind, book, book.ended);
    }
    const tool = textOf(memberOf(update, 'toolCallId'));
    if (tool === undefined) return;
    if (kind === 'tool_call_update' && this.#version() === 1 && !book.tools.has(tool)) {
      const { line, by, session } = seen;
      const says = 'tool_call_update of a call that no tool_call has announced';
      this.#tell({ line, by, session, rule: 'unannounced-tool', says });
    }
    book.tools.add(tool);
  }

  #state({ line }: Seen, update: unknown, book: SessionBook): void {
    const before = book.state;
    book.state = textOf(memberOf(update, 'state'));
    if (book.state !== 'idle') return;
    const ends = book.accepted || (before !== undefined && before !== 'idle');
    book.accepted = false;
    if (!ends) return;
    book.cancelledIn = undefined;
    book.endedBy('the turn', line);
  }

  #late({ line, by, session }: Seen, kind: string, book: SessionBook, ended: { what: string; line: number }): void {
    if (book.lateTold) return;
    book.lateTold = true;
    const says = `${kind} after ${ended.what} had ended in line ${ended.line}`;
    this.#tell({ line, by, session, rule: 'late-update', says });
  }
}
