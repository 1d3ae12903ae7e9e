/** What was so after a given entry: actors and their states, open questions, the ledger, counters. Entries are applied in order. */

/** @typedef {import('./types.js').Entry} Entry */
/** @typedef {import('./types.js').Question} Question */

const MOST_DECISIONS = 1_000;
const MOST_ACTORS = 1_000;

/** @param {unknown} value */
const word = (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

export class Model {
  /** @type {Map<string, import('./types.js').Actor>} */
  actors = new Map();
  /** The newest transition. @type {import('./types.js').StepLine | undefined} */
  last = undefined;
  /** @type {Map<string, Question>} */
  questions = new Map();
  /** Oldest first. @type {import('./types.js').DecisionLine[]} */
  ledger = [];
  /** @type {import('./types.js').Tick | undefined} */
  tick = undefined;
  /** @type {string | undefined} */
  closed = undefined;
  /** @type {import('./types.js').HeaderLine | undefined} */
  header = undefined;
  /** @type {{ name: string, version: string, protocol: string } | undefined} */
  agent = undefined;
  /** The recording reached its cap. */
  full = false;
  /** Of what was listed and of what came too fast. */
  seen = { framesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0, skipped: 0, notShown: 0 };
  t = 0;

  /** @returns {Model} */
  clone() {
    const copy = new Model();
    Object.assign(copy, this);
    copy.actors = new Map(this.actors);
    copy.questions = new Map(this.questions);
    copy.ledger = [...this.ledger];
    copy.seen = { ...this.seen };
    return copy;
  }

  /** @param {Entry} entry */
  apply(entry) {
    this.t = Math.max(this.t, entry.t);
    if (entry.kind === 'frame') this.#frame(entry);
    else if (entry.kind === 'step') this.#step(entry.line);
    else if (entry.kind === 'decision') this.#decided(entry.line);
    else if (entry.kind === 'tick') this.tick = entry.line;
    else if (entry.kind === 'gap') this.seen.notShown += entry.line.gap;
    else if (entry.kind === 'skipped') this.seen.skipped += 1;
    else if (entry.kind === 'closed') this.closed = entry.line.closed;
    else if (entry.kind === 'header') this.header = entry.line;
    else this.full = true;
  }

  /** @param {Extract<Entry, { kind: 'frame' }>} entry */
  #frame({ line, about }) {
    const inward = line.d === 'in';
    this.seen[inward ? 'framesIn' : 'framesOut'] += 1;
    this.seen[inward ? 'bytesIn' : 'bytesOut'] += line.b;
    if (about.form === 'request' && inward && about.method === 'session/request_permission') this.#asked(line, about);
    else if (about.form === 'answer' || about.form === 'refusal') {
      if (!inward) this.questions.delete(about.id);
      const result = line.m.result ?? {};
      const info = result.agentInfo ?? result.info;
      if (inward && (about.method === 'initialize' || about.id === '1') && result.protocolVersion !== undefined) {
        this.agent = { name: word(info?.name), version: word(info?.version), protocol: word(result.protocolVersion) };
      }
    }
  }

  /** @param {import('./types.js').FrameLine} line @param {import('./types.js').About} about */
  #asked({ t, m }, { id, sessionId, detail }) {
    const { toolCall, subject, options, title } = m.params ?? {};
    const tool = toolCall ?? subject?.toolCall ?? subject ?? {};
    this.questions.set(id, {
      key: id,
      t,
      id,
      sessionId,
      toolCallId: word(tool.toolCallId),
      toolKind: word(tool.kind) || detail,
      title: word(title ?? tool.title),
      options: Array.isArray(options) ? options.slice(0, 12).map((option) => word(option?.kind)) : [],
    });
  }

  /** @param {import('./types.js').DecisionLine} line */
  #decided(line) {
    this.questions.delete(word(line.decision.requestId));
    this.ledger.push(line);
    if (this.ledger.length > MOST_DECISIONS) this.ledger.shift();
  }

  /** @param {import('./types.js').StepLine} line */
  #step(line) {
    const { actor: path, chart, status = 'active', t } = line;
    const before = this.actors.get(path);
    // Older recordings do not tell where an actor is, only where it went.
    const states = line.states ?? (line.to.length > 0 ? line.to : (before?.states ?? []));
    this.actors.set(path, { path, chart, states, status, t });
    if (line.event === 'begin')
      for (const below of this.actors.keys())
        if (below.startsWith(`${path}/`) && path !== 'connection') this.actors.delete(below);
    const [oldest] = this.actors.keys();
    if (this.actors.size > MOST_ACTORS && oldest !== undefined) this.actors.delete(oldest);
    if (line.event !== '') this.last = line;
  }
}
