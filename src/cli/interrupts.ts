/**
 * What ends a command from outside. The first Ctrl-C asks (a running turn is cancelled; before there is one, everything is
 * closed), a second one kills. SIGTERM and SIGHUP close the agent in its stages. While these listeners stand, the library's
 * own have stepped back; `process.exit` still kills every group that is left.
 */
import { EXIT } from './exitCodes.js';
import type { Output } from './output.js';

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export class Interrupts {
  readonly #stop = new AbortController();
  readonly #beforeKill: () => void;
  readonly #listeners: Record<Signal, () => void>;
  #asked = false;
  #exitCode: number | undefined;
  #signal: Signal | undefined;
  /** While it is set, the first Ctrl-C does this and no more. */
  onAsked: (() => void) | undefined;

  constructor(beforeKill: () => void) {
    this.#beforeKill = beforeKill;
    this.#listeners = {
      SIGINT: () => this.#interrupted(),
      SIGTERM: () => this.#terminated('SIGTERM', EXIT.terminated),
      SIGHUP: () => this.#terminated('SIGHUP', EXIT.hangup),
    };
    for (const [signal, listener] of Object.entries(this.#listeners)) process.on(signal, listener);
  }

  /** Aborts when everything is to be closed now. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** With what to exit, once everything is to be closed. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** There was a first Ctrl-C. */
  get asked(): boolean {
    return this.#asked;
  }

  /** What it was, where it was a signal. */
  get by(): Signal | undefined {
    return this.#signal;
  }

  /** Closes everything. The first reason counts. */
  stop(exitCode: number): void {
    this.#exitCode ??= exitCode;
    this.#stop.abort();
  }

  dispose(): void {
    for (const [signal, listener] of Object.entries(this.#listeners)) process.removeListener(signal, listener);
  }

  #interrupted(): void {
    if (this.#asked || this.#exitCode !== undefined) this.#kill(EXIT.killed);
    this.#asked = true;
    if (this.onAsked) {
      this.onAsked();
      return;
    }
    this.#signal = 'SIGINT';
    this.stop(EXIT.cancelled);
  }

  #terminated(signal: Signal, exitCode: number): void {
    if (this.#signal === signal) this.#kill(exitCode);
    this.#signal = signal;
    this.stop(exitCode);
  }

  #kill(exitCode: number): never {
    this.#beforeKill();
    process.exit(exitCode);
  }
}

/** The interrupts of a command, tied to its output: nobody to read it is one of them. */
export function interruptsFor(output: Output): Interrupts {
  const interrupts = new Interrupts(() => output.status(undefined));
  interrupts.signal.addEventListener('abort', () => output.letGo());
  output.onBroken = (error) => {
    if (error.code === 'EPIPE') {
      interrupts.stop(EXIT.brokenPipe);
      return;
    }
    output.note(`${output.errColors.red('error:')} stdout: ${error.code ?? 'cannot be written'}`);
    interrupts.stop(EXIT.internal);
  };
  return interrupts;
}
