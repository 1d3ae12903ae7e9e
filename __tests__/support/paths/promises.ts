/** Every promise that the library handed out in a path, and how each has to settle. */
import { AcpError } from '../../../src/index.js';

interface Entry {
  name: string;
  /** Undefined while it has not settled. */
  settled: string | undefined;
  due: string | undefined;
  /** It may take its time. */
  later: boolean;
}

/** How a promise settled, in a word: the kind of the error, or `ok` and what matters of the value. */
const success = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return value === false ? 'ok: false' : 'ok';
  if ('outcome' in value && 'stopReason' in value) return `ok: ${String(value.outcome)} ${String(value.stopReason)}`;
  if ('reason' in value) return `ok: ${String(value.reason)}`;
  return 'ok';
};

const failure = (error: unknown): string => {
  if (!(error instanceof AcpError)) return `thrown: ${String(error)}`;
  return error.kind === 'agent-error' ? `agent-error ${error.agentCode}` : error.kind;
};

export class Promises {
  readonly #all: Entry[] = [];
  #free = false;

  track<T>(name: string, promise: Promise<T>): Promise<T> {
    const entry: Entry = { name, settled: undefined, due: undefined, later: false };
    this.#all.push(entry);
    promise.then(
      (value) => (entry.settled = success(value)),
      (error: unknown) => (entry.settled = failure(error)),
    );
    return promise;
  }

  /** From now on it has to have settled, and so. What was due first stays due. */
  due(name: string, how: string): void {
    for (const entry of this.#all) if (entry.name === name && entry.settled === undefined) entry.due ??= how;
  }

  /** When it settles, it has to be so. */
  eventually(name: string, how: string): void {
    for (const entry of this.#all) {
      if (entry.name !== name || entry.settled !== undefined || entry.due !== undefined) continue;
      entry.due = how;
      entry.later = true;
    }
  }

  /** The same for all that are still waited for and whose name begins so. */
  dueAll(prefixes: readonly string[], how: string): void {
    for (const entry of this.#all) {
      if (entry.settled === undefined && prefixes.some((prefix) => entry.name.startsWith(prefix))) entry.due ??= how;
    }
  }

  /** From here on a promise may settle by time alone. */
  release(): void {
    this.#free = true;
  }

  isOpen(name: string): boolean {
    return this.#all.some((entry) => entry.name === name && entry.settled === undefined);
  }

  wrongs(): string[] {
    return this.#all.flatMap(({ name, settled, due, later }) => {
      if (later && settled === undefined) return [];
      if (due !== undefined && settled !== due) return [`${name} has to be <${due}> and is <${settled ?? 'open'}>`];
      if (due === undefined && settled !== undefined && !this.#free) return [`${name} settled by itself: <${settled}>`];
      return [];
    });
  }

  open(): string[] {
    return this.#all.filter(({ settled }) => settled === undefined).map(({ name }) => name);
  }
}
