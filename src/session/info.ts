import type { NormalUpdate } from '../wire/normal.js';

/** What the agent tells of a session beside its options, as it last said it. */
export interface SessionFacts {
  title?: string;
  /** RFC 3339. */
  updatedAt?: string;
  /** Tokens in the context, and how many fit: not what a turn cost. */
  context?: { used: number; size: number };
  /** Of the session so far. */
  cost?: { amount: number; currency: string };
}

/** A title is shown, not read. */
const WORD_CHARS = 4_096;
const short = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, WORD_CHARS) : value);

type Change = { [K in keyof SessionFacts]?: SessionFacts[K] | null | undefined };

/** `session_info_update` and `usage_update`, merged: what is left out stays, null takes it away. */
export class SessionInfoStore {
  #facts: Readonly<SessionFacts> = Object.freeze({});

  /** Whether the update changed something here. */
  apply(update: NormalUpdate): boolean {
    if (update.kind === 'info') return this.#merge({ title: update.title, updatedAt: update.updatedAt });
    if (update.kind === 'usage') return this.#merge({ context: update.context, cost: update.cost });
    return false;
  }

  /** The same object until something changes. */
  view(): Readonly<SessionFacts> {
    return this.#facts;
  }

  #merge(change: Change): boolean {
    const said = Object.entries(change).filter(([, value]) => value !== undefined);
    if (said.length === 0) return false;
    const all: [string, unknown][] = Object.entries({ ...this.#facts, ...Object.fromEntries(said) } as object);
    const kept = all.filter(([, value]) => value !== null).map(([name, value]) => [name, short(value)] as const);
    this.#facts = Object.freeze(Object.fromEntries(kept));
    return true;
  }
}
