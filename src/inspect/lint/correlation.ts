/** JSON-RPC: which answer belongs to which request, and what belongs to nothing. */
import { classify, type Envelope } from '../../rpc/envelope.js';
import type { Side } from '../../wire/methods.js';
import type { RecordedFrame, RecordedGarbage } from '../recording.js';
import { type Asked, type Ending, other, type Seen, sessionOf, type Tell } from './breach.js';

const keyOf = (id: unknown): string => JSON.stringify(id);
const sideOf = (d: 'in' | 'out'): Side => (d === 'in' ? 'agent' : 'client');

export class Correlation {
  readonly #tell: Tell;
  readonly #open: Record<Side, Map<string, Asked>> = { client: new Map(), agent: new Map() };
  readonly #answered: Record<Side, Map<string, Asked>> = { client: new Map(), agent: new Map() };
  /** Answers by error to nobody that a side may give: one for each line of the other that it could not read. */
  readonly #unreadable: Record<Side, number> = { client: 0, agent: 0 };

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  garbage({ line, d, chars }: RecordedGarbage): void {
    this.#noMessage(line, sideOf(d), `a line of ${chars} characters that is no message`);
  }

  /** Undefined: no message. */
  read({ line, d, m }: RecordedFrame): Seen | undefined {
    const by = sideOf(d);
    const envelope = classify(m);
    if (envelope.kind === 'skip' || envelope.kind === 'hollow') {
      const answers = 'result' in m || 'error' in m;
      const says = answers ? 'an answer without an id' : 'an object that is no request, no notification and no answer';
      this.#noMessage(line, by, says);
      return undefined;
    }
    if (m['jsonrpc'] !== '2.0') {
      this.#unreadable[by] += 1;
      this.#tell({ line, by, rule: 'no-jsonrpc', says: 'the member "jsonrpc" is not "2.0"' });
    }
    if (envelope.kind === 'request') return this.#request(line, by, envelope, m['jsonrpc'] === '2.0');
    if (envelope.kind === 'notification') return { line, by, envelope, session: sessionOf(envelope.params) };
    return this.#answer(line, by, envelope);
  }

  /** A request is owed an answer, unless its sender has left before it could come. */
  end({ partial, closed }: Ending): void {
    if (partial) return;
    const owing: Side[] = closed === undefined ? ['client', 'agent'] : closed === 'closed' ? [] : ['agent'];
    for (const side of owing) {
      for (const { line, method, session, owed } of this.#open[other(side)].values()) {
        if (!owed) continue;
        const says = `${method} of this line was never answered`;
        this.#tell({ line, by: side, session, rule: 'unanswered', says });
      }
    }
  }

  #request(line: number, by: Side, envelope: Extract<Envelope, { kind: 'request' }>, wellFormed: boolean): Seen {
    const { id, method, params } = envelope;
    const session = sessionOf(params);
    const isId = typeof id === 'string' || Number.isInteger(id);
    const asked: Asked = { line, by, id, method, params, session, owed: wellFormed && isId };
    if (!isId) {
      const says = `the id of ${method} is ${keyOf(id)}: it has to be a string or a whole number`;
      this.#tell({ line, by, session, rule: 'bad-id', says });
    }
    const before = this.#open[by].get(keyOf(id));
    if (before) {
      const says = `id ${keyOf(id)} is that of ${before.method} in line ${before.line}, which has no answer yet`;
      this.#tell({ line, by, session, rule: 'reused-id', says });
    }
    this.#open[by].set(keyOf(id), asked);
    return { line, by, envelope, session, asked };
  }

  #answer(line: number, by: Side, envelope: Extract<Envelope, { kind: 'response' }>): Seen {
    const asker = other(by);
    const key = keyOf(envelope.id);
    const asked = this.#open[asker].get(key);
    if (!asked) {
      this.#answerToNothing(line, by, envelope);
      return { line, by, envelope, session: undefined };
    }
    this.#open[asker].delete(key);
    asked.answeredIn = line;
    this.#answered[asker].set(key, asked);
    const { session, method } = asked;
    if (envelope.answer.kind === 'malformed') {
      const says = `the answer to ${method} in line ${asked.line} has both or neither of result and error`;
      this.#tell({ line, by, session, rule: 'bad-answer', says });
    }
    return { line, by, envelope, session, asked };
  }

  #answerToNothing(line: number, by: Side, { id, answer }: Extract<Envelope, { kind: 'response' }>): void {
    const before = this.#answered[other(by)].get(keyOf(id));
    if (answer.kind === 'error' && !before && this.#unreadable[other(by)] > 0) {
      this.#unreadable[other(by)] -= 1;
      return;
    }
    const says = before
      ? `${before.method} in line ${before.line} was answered in line ${before.answeredIn ?? 0} already`
      : `no request has id ${keyOf(id)}`;
    this.#tell({ line, by, session: before?.session, rule: before ? 'answered-twice' : 'answer-to-nothing', says });
  }

  #noMessage(line: number, by: Side, says: string): void {
    this.#unreadable[by] += 1;
    this.#tell({ line, by, rule: 'not-a-message', says });
  }
}
