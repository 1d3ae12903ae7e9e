import type { Frame } from '../framing/frameReader.js';
import { classify, MALFORMED } from './envelope.js';
import type { OpenRequests } from './incoming.js';
import type { Answer, ConnectionHandlers } from './messages.js';
import type { OnAnswer, PendingTable } from './pending.js';
import type { Stats } from './stats.js';

export interface DispatcherOptions {
  stats: Stats;
  handlers: ConnectionHandlers;
  pending: PendingTable;
  incoming: OpenRequests;
  /** A valid message is about to be handled. */
  onMessage: (message: object) => void;
  /** The beginning of the line under way. */
  excerpt: () => string;
}

/** One frame to whom it concerns, counted. Nothing that the floor above does with it can throw out of here. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** A promise that is given back holds the pipe, and never rejects. */
  deliver(frame: Frame): Promise<unknown> | undefined {
    try {
      return this.#awaited(this.#handle(frame));
    } catch {
      this.#failed();
      return undefined;
    }
  }

  skipped(line: string): void {
    void this.guard(() => this.#options.handlers.skipped(line));
  }

  settle(onAnswer: OnAnswer, answer: Answer): Promise<unknown> | undefined {
    return this.guard(() => onAnswer(answer));
  }

  /** What a call of the floor above throws, now or later, is counted and goes no further. */
  guard(call: () => unknown): Promise<unknown> | undefined {
    try {
      return this.#awaited(call());
    } catch {
      this.#failed();
      return undefined;
    }
  }

  #handle(frame: Frame): void | Promise<void> {
    const { handlers, pending, incoming, stats } = this.#options;
    const message = classify(frame.value);
    switch (message.kind) {
      case 'notification':
        this.#count(frame);
        return handlers.notification(message.method, message.params);
      case 'request':
        this.#count(frame);
        return handlers.request(incoming.accept(message.id, message.method, message.params));
      case 'response': {
        this.#count(frame);
        const onAnswer = pending.take(message.id);
        if (onAnswer === undefined) stats.strayResponses++;
        return onAnswer?.(message.answer);
      }
      case 'hollow': {
        const onAnswer = pending.take(message.id);
        if (onAnswer === undefined) break;
        this.#count(frame);
        return onAnswer(MALFORMED);
      }
      case 'skip':
        break;
    }
    stats.skippedFrames++;
    handlers.skipped(this.#options.excerpt());
  }

  #awaited(returned: unknown): Promise<unknown> | undefined {
    return isThenable(returned) ? Promise.resolve(returned).catch(() => this.#failed()) : undefined;
  }

  #failed(): void {
    this.#options.stats.listenerErrors++;
  }

  #count(frame: Frame): void {
    const { stats, onMessage } = this.#options;
    onMessage(frame.value);
    stats.framesIn++;
    if (frame.repaired) stats.repairedFrames++;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
