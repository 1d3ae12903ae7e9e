/** What the embedding program listens to. No listener can break the reader, and none can hold it for ever. */
import type { Clock } from '../framing/clock.js';
import { arm } from '../framing/alarm.js';
import type { ExitInfo } from '../process/agentProcess.js';
import type { Decision, PermissionRequest } from '../policy/permission.js';
import { BadArgument } from '../rpc/badArgument.js';
import type { Stats } from '../rpc/stats.js';
import type { Update } from '../session/updates.js';

export interface Where {
  sessionId: string;
  /** The session that it is really of, where the agent announced it as a child of that one. In no turn's text or reader. */
  childId?: string;
  /** `turn`: of the turn that runs. `replay`: while the session is opened. `between`: of no turn. */
  phase: 'turn' | 'replay' | 'between';
}

export interface Events {
  /** A notification that is no `session/update`. */
  notification: (notification: { method: string; params: unknown }) => void;
  /** Every update, once, in order. A promise holds the pipe and the turn's result, at most for `listenerLimitMs`. */
  update: (update: Update, where: Where) => void | Promise<void>;
  /** Observes what reaches the policy; it cannot answer. */
  permission: (request: PermissionRequest) => void;
  decision: (decision: Decision) => void;
  /** A line that was no message. */
  skipped: (line: string) => void;
  stderr: (text: string) => void;
  exit: (exit: ExitInfo) => void;
}

/** A listener that is added again and again is a leak of the embedding program's. */
const MOST_LISTENERS = 1_000;

type Row = { [K in keyof Events]: readonly Events[K][] };

export class Listeners {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #stats: Stats;
  #warned = false;
  #pending = new Set<Promise<void>>();
  #on: Row = { notification: [], update: [], permission: [], decision: [], skipped: [], stderr: [], exit: [] };

  constructor(o: { clock: Clock; limitMs: number; stats: Stats }) {
    this.#clock = o.clock;
    this.#limitMs = o.limitMs;
    this.#stats = o.stats;
  }

  on<K extends keyof Events>(name: K, fn: Events[K]): () => void {
    if (!Object.hasOwn(this.#on, name)) throw new BadArgument('name', Object.keys(this.#on));
    if (typeof fn !== 'function') throw new BadArgument('fn');
    if (this.#on[name].length >= MOST_LISTENERS) throw new BadArgument('fn');
    // One registration, one entry, even of the same function: what is returned ends this one.
    const own = ((...args: [never, never]) => (fn as (...args: unknown[]) => unknown)(...args)) as Events[K];
    this.#on = { ...this.#on, [name]: [...this.#on[name], own] };
    return () => {
      this.#on = { ...this.#on, [name]: (this.#on[name] as Events[K][]).filter((one) => one !== own) };
    };
  }

  has(name: keyof Events): boolean {
    return this.#on[name].length > 0;
  }

  emit<K extends Exclude<keyof Events, 'update'>>(name: K, value: Parameters<Events[K]>[0]): void {
    for (const fn of this.#on[name] as readonly ((value: unknown) => unknown)[]) void this.#call(fn, value, undefined);
  }

  /** A promise comes back while an asynchronous listener is not finished. */
  update(update: Update, where: Where): Promise<void> | undefined {
    const listeners = this.#on.update;
    if (listeners.length === 0) return undefined;
    let waits: Promise<void>[] | undefined;
    for (const fn of listeners) {
      const wait = this.#call(fn as (...args: unknown[]) => unknown, update, where);
      if (wait) (waits ??= []).push(wait);
    }
    if (!waits) return undefined;
    const all = this.#bounded(waits.length === 1 ? (waits[0] as Promise<void>) : Promise.all(waits).then(() => {}));
    this.#pending.add(all);
    void all.then(() => this.#pending.delete(all));
    return all;
  }

  /** When no listener is at work any more; undefined: none is. */
  whenDone(): Promise<void> | undefined {
    return this.#pending.size === 0 ? undefined : Promise.all(this.#pending).then(() => {});
  }

  /** Never rejects. A listener that goes on past the limit is counted, and waited for no more. */
  #bounded(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const disarm = arm(this.#clock, this.#limitMs, () => {
        this.#stats.slowListeners += 1;
        resolve();
      });
      void work.then(() => {
        disarm();
        resolve();
      });
    });
  }

  #call(fn: (...args: unknown[]) => unknown, a: unknown, b: unknown): Promise<void> | undefined {
    try {
      const result = fn(a, b);
      if (typeof result !== 'object' || result === null) return undefined;
      if (typeof (result as { then?: unknown }).then !== 'function') return undefined;
      return Promise.resolve(result as PromiseLike<unknown>).then(
        () => {},
        () => this.#failed(),
      );
    } catch {
      this.#failed();
      return undefined;
    }
  }

  /** What was thrown is not shown: it may quote the agent. */
  #failed(): void {
    this.#stats.listenerErrors += 1;
    if (this.#warned) return;
    this.#warned = true;
    process.emitWarning('a listener threw; more are only counted, in stats.listenerErrors', { type: 'AcpTurnstile' });
  }
}
