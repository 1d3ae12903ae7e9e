/** Frames in words, and answers with what they answer. */

/** @typedef {import('./types.js').FrameLine} FrameLine @typedef {import('./types.js').About} About */

const MOST_OPEN = 2_000;

/** @param {unknown} value */
const word = (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** What an update or a request is about, in the protocol's own words. @param {Record<string, any>} params */
function detailOf(params) {
  const { update } = params;
  if (update && typeof update === 'object') {
    const parts = [update.sessionUpdate, update.kind, update.status, update.state, update.stopReason];
    return parts.map(word).filter(Boolean).join(' ');
  }
  const { toolCall, subject } = params;
  const tool = toolCall ?? subject?.toolCall ?? subject;
  return [tool?.kind, params.modelId, params.modeId, params.configId, params.methodId]
    .map(word)
    .filter(Boolean)
    .join(' ');
}

/** @param {Record<string, any>} m */
function outcomeOf(m) {
  if (m.error) return `error ${word(m.error.code)}`;
  const { result } = m;
  if (!result || typeof result !== 'object') return '';
  const outcome = result.outcome && typeof result.outcome === 'object' ? result.outcome : result;
  const said = [outcome.outcome, outcome.optionId, result.stopReason];
  return said.map(word).filter(Boolean).join(' ');
}

/** Reads frames in order. */
export class Reader {
  /** @type {Map<string, { method: string, t: number, sessionId: string }>} */
  #open = new Map();

  /** @param {FrameLine} line @returns {About} */
  read({ t, d, m }) {
    const id = word(m.id);
    const params = m.params && typeof m.params === 'object' ? m.params : {};
    if (typeof m.method === 'string') {
      const sessionId = word(params.sessionId);
      const known = { method: m.method, detail: detailOf(params), id, sessionId };
      if (m.id === undefined) return { form: m.method === 'session/update' ? 'update' : 'notification', ...known };
      this.#keep(`${d} ${id}`, { method: m.method, t, sessionId });
      return { form: 'request', ...known };
    }
    const key = `${d === 'in' ? 'out' : 'in'} ${id}`;
    const asked = this.#open.get(key);
    this.#open.delete(key);
    const form = m.error ? 'refusal' : 'answer';
    const sessionId = asked?.sessionId || word(m.result?.sessionId);
    const about = { method: asked?.method ?? 'answer', detail: outcomeOf(m), id, sessionId };
    return asked ? { form, ...about, after: t - asked.t } : { form, ...about };
  }

  /** @param {string} key @param {{ method: string, t: number, sessionId: string }} asked */
  #keep(key, asked) {
    this.#open.set(key, asked);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }
}

/** A frame's text in one line, where the page was given text. @param {Record<string, any>} m @returns {string} */
export function snippet(m) {
  const params = m.params ?? {};
  const content = params.update?.content ?? params.prompt ?? params.update?.title ?? params.title;
  const first = Array.isArray(content) ? content[0] : content;
  const text = typeof first === 'string' ? first : (first?.text ?? first?.content?.text);
  return typeof text === 'string' ? text.slice(0, 300).replace(/\s+/g, ' ') : '';
}
