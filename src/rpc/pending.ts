import type { Answer, RpcId } from './messages.js';

/** Told once what became of a request. A returned promise holds the pipe, as with the handlers. */
export type OnAnswer = (answer: Answer) => void | Promise<void>;

/** The requests that the agent owes an answer. Ids count from 1 and are never used again. */
export class PendingTable {
  #newest = 0;
  /** In the order of ids, for they only grow. */
  readonly #owed = new Map<number, OnAnswer>();

  get size(): number {
    return this.#owed.size;
  }

  reserve(): number {
    return ++this.#newest;
  }

  add(id: number, onAnswer: OnAnswer): void {
    this.#owed.set(id, onAnswer);
  }

  /** Takes out the request that an answer with this id settles; undefined if there is none, or no more. */
  take(id: RpcId): OnAnswer | undefined {
    const key = typeof id === 'string' ? decimal(id) : id;
    if (key === null) return undefined;
    const onAnswer = this.#owed.get(key);
    this.#owed.delete(key);
    return onAnswer;
  }

  /** Takes out all, the oldest first. */
  takeAll(): OnAnswer[] {
    const all = [...this.#owed.values()];
    this.#owed.clear();
    return all;
  }
}

/** Some agents give our ids back as strings. Only the one spelling that we would write ourselves is taken. */
function decimal(id: string): number | null {
  return /^[1-9][0-9]*$/.test(id) ? Number(id) : null;
}
