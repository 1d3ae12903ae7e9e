/** Sessions and turns: traffic for sessions that are open, in turns that run. */
import { isExtension } from '../../wire/methods.js';
import { isUpdateKind } from '../../wire/updates.js';
import { textOf } from '../../wire/values.js';
import { type Asked, memberOf, type Rules, type Seen, type Tell } from './breach.js';
import { SessionBook } from './session.js';
import { TurnRules } from './turns.js';

const OPENS = new Set(['session/load', 'session/resume']);
const GIVES_ID = new Set(['session/new', 'session/fork']);
const NEEDS_OPEN = new Set([
  ...['session/prompt', 'session/cancel', 'session/close', 'session/set_mode', 'session/set_model'],
  ...['session/set_config_option', 'session/update', 'session/request_permission', 'tool_call/cancel'],
  ...['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output', 'terminal/release'],
  ...['terminal/wait_for_exit', 'terminal/kill', 'terminal/cancel'],
]);

export class SessionRules implements Rules {
  readonly #tell: Tell;
  readonly #version: () => 1 | 2 | undefined;
  readonly #sessions = new Map<string, SessionBook>();
  /** Requests whose answer names a session, and what came early for an id that it may name. */
  readonly #coming = new Set<Asked>();
  #early: { seen: Seen; method: string }[] = [];
  readonly #turns: TurnRules;

  constructor(tell: Tell, version: () => 1 | 2 | undefined) {
    this.#tell = tell;
    this.#version = version;
    this.#turns = new TurnRules(tell, version);
  }

  frame(seen: Seen): void {
    const { envelope } = seen;
    if (envelope.kind === 'request' || envelope.kind === 'notification') this.#called(seen, envelope.method);
    else if (envelope.kind === 'response' && seen.asked) this.#answered(seen, seen.asked);
  }

  end(): void {
    for (const { seen, method } of this.#early)
      if (!this.#sessions.has(seen.session ?? '')) this.#unknown(seen, method);
  }

  #called(seen: Seen, method: string): void {
    const { asked, session } = seen;
    if (asked && GIVES_ID.has(method)) this.#coming.add(asked);
    if (asked && session !== undefined && OPENS.has(method)) {
      const book = this.#sessions.get(session) ?? new SessionBook();
      book.opening.add(asked);
      this.#sessions.set(session, book);
    }
    if (method === 'session/update') this.#kind(seen);
    if (session === undefined || !NEEDS_OPEN.has(method)) return;
    const book = this.#sessions.get(session);
    if (book) this.#inSession(seen, method, book);
    else if (this.#coming.size > 0 && seen.by === 'agent') this.#early.push({ seen, method });
    else this.#unknown(seen, method);
  }

  #inSession(seen: Seen, method: string, book: SessionBook): void {
    const { line, by, session } = seen;
    if (book.closedIn !== undefined && method !== 'session/close') {
      const says = `${method} for a session that was closed in line ${book.closedIn}`;
      this.#tell({ line, by, session, rule: 'closed-session', says });
      return;
    }
    this.#turns.called(seen, method, book);
  }

  #kind({ line, by, session, envelope }: Seen): void {
    const params = envelope.kind === 'notification' ? envelope.params : undefined;
    const update = memberOf(params, 'update');
    const kind = textOf(memberOf(update, 'sessionUpdate'));
    const version = this.#version();
    const child = kind === 'subagent_update' ? textOf(memberOf(update, 'sessionId')) : undefined;
    if (child !== undefined && !this.#sessions.has(child)) this.#opened(child);
    const breach = (says: string): void => this.#tell({ line, by, session, rule: 'unknown-kind', says });
    if (kind === undefined) return breach('an update that does not say of which kind it is');
    if (version === undefined || isExtension(kind) || isUpdateKind(version, kind)) return;
    const elsewhere = isUpdateKind(version === 1 ? 2 : 1, kind);
    breach(elsewhere ? `${kind} is of the other version; agreed is ${version}` : `${kind} is no kind of update`);
  }

  #answered(seen: Seen, asked: Asked): void {
    const { envelope, line } = seen;
    if (envelope.kind !== 'response') return;
    const { answer } = envelope;
    const fine = answer.kind === 'result';
    if (this.#coming.delete(asked)) {
      const id = fine ? textOf(memberOf(answer.result, 'sessionId')) : undefined;
      if (id !== undefined) this.#opened(id);
      this.#sortEarly();
      return;
    }
    const book = asked.session === undefined ? undefined : this.#sessions.get(asked.session);
    if (!book) return;
    if (book.opening.delete(asked)) {
      if (fine) {
        book.open = true;
        book.closedIn = undefined;
        book.endedBy(asked.method, line);
      } else if (!book.open && book.opening.size === 0 && asked.session !== undefined) {
        this.#sessions.delete(asked.session);
      }
    }
    if (asked.method === 'session/close' && fine) book.closedIn = line;
    this.#turns.answered(seen, asked, book);
  }

  /** What came early was for a session that is there now, or waits on, or was for none. */
  #sortEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const { seen, method } of early) {
      const book = this.#sessions.get(seen.session ?? '');
      if (book) this.#inSession(seen, method, book);
      else if (this.#coming.size > 0) this.#early.push({ seen, method });
      else this.#unknown(seen, method);
    }
  }

  /** Told once of each session: whoever goes on in it does so by the same mistake. */
  #unknown({ line, by, session }: Seen, method: string): void {
    this.#tell({ line, by, session, rule: 'unknown-session', says: `${method} for a session that is not open` });
    if (session !== undefined) this.#opened(session);
  }

  #opened(id: string): void {
    const book = new SessionBook();
    book.open = true;
    this.#sessions.set(id, book);
  }
}
