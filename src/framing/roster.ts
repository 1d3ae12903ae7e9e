interface Entry<T> {
  readonly value: T;
  before: Entry<T> | undefined;
  after: Entry<T> | undefined;
}

/**
 * Who is there, in the order of coming. Coming and leaving cost a few pointers; an empty roster holds two. A `Set` of
 * functions hashes each, and keeps a table of its own from the first member on: too dear for what comes with every request.
 */
export class Roster<T> {
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;

  get empty(): boolean {
    return this.#first === undefined;
  }

  /** One more, even of the same value. Gives the function that takes this one out; called again, it does nothing. */
  add(value: T): () => void {
    const entry: Entry<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    let present = true;
    return () => {
      if (present) this.#remove(entry);
      present = false;
    };
  }

  /** Those who are there now: they may leave, and others come, while the list is gone through. */
  all(): T[] {
    const all: T[] = [];
    for (let at = this.#first; at !== undefined; at = at.after) all.push(at.value);
    return all;
  }

  #remove({ before, after }: Entry<T>): void {
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }
}
