/** Questions of the agent: answered with what was offered, and `cancelled` once their turn was. */
import { isObject } from '../../wire/values.js';
import { type Asked, type Ending, isRequest, memberOf, type Rules, type Seen, type Tell } from './breach.js';

const ASKS = 'session/request_permission';

interface Question {
  asked: Asked;
  options: readonly unknown[];
  /** The line of `session/cancel`, sent while it was open. */
  cancelledIn?: number;
}

export class PermissionRules implements Rules {
  readonly #tell: Tell;
  readonly #open = new Set<Question>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  frame(seen: Seen): void {
    const { envelope, line, session, asked } = seen;
    if (isRequest(seen, ASKS) && asked) this.#ask(asked);
    if (envelope.kind === 'notification' && envelope.method === 'session/cancel' && seen.by === 'client') {
      for (const question of this.#open) {
        if (question.asked.session === session) question.cancelledIn ??= line;
      }
    }
    if (envelope.kind === 'response' && asked?.method === ASKS) this.#answered(seen, asked);
  }

  end({ partial, closed }: Ending): void {
    if (partial || closed !== undefined) return;
    for (const { asked, cancelledIn } of this.#open) {
      if (cancelledIn === undefined) continue;
      this.#missing(asked.line, asked, `the question of this line was never answered \`cancelled\``, cancelledIn);
    }
  }

  #ask(asked: Asked): void {
    const options = memberOf(asked.params, 'options');
    const list: readonly unknown[] = Array.isArray(options) ? options : [];
    if (list.length === 0) {
      const { line, by, session } = asked;
      this.#tell({ line, by, session, rule: 'no-options', says: 'a permission is asked for with nothing to choose' });
    }
    this.#open.add({ asked, options: list.map((option) => memberOf(option, 'optionId')) });
  }

  #answered({ line, by, session, envelope }: Seen, asked: Asked): void {
    const question = [...this.#open].find((one) => one.asked === asked);
    if (!question || envelope.kind !== 'response') return;
    this.#open.delete(question);
    if (envelope.answer.kind !== 'result') return;
    const outcome = memberOf(envelope.answer.result, 'outcome');
    const kind = isObject(outcome) ? outcome['outcome'] : undefined;
    const breach = (rule: string, says: string): void => this.#tell({ line, by, session, rule, says });
    if (kind === 'selected') {
      if (question.cancelledIn !== undefined) {
        return this.#missing(line, asked, `line ${asked.line} was answered \`selected\``, question.cancelledIn);
      }
      if (!question.options.includes(memberOf(outcome, 'optionId'))) {
        breach('option-not-offered', `the option chosen is none of those that line ${asked.line} offers`);
      }
    } else if (kind !== 'cancelled') {
      breach('bad-outcome', `the outcome is neither \`selected\` nor \`cancelled\``);
    }
  }

  #missing(line: number, { session }: Asked, what: string, cancelledIn: number): void {
    const says = `${what}, although session/cancel of line ${cancelledIn} came first`;
    this.#tell({ line, by: 'client', session, rule: 'cancelled-missing', says });
  }
}
