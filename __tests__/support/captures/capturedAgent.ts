/** Plays the agent's side of a capture: its recorded lines, in their order, to a client that numbers its own requests. */
import { isDeepStrictEqual } from 'node:util';
import type { ManualClock } from '../manualClock.js';
import { settle } from '../manualClock.js';
import { ScriptedAgent, type ClientFrame } from '../scriptedAgent.js';
import type { Capture, Entry } from './capture.js';
import { Wire, type Fault } from './faults.js';

/** Lines that came this close after each other may arrive together, ms. */
const TOGETHER_MS = 5;

export class CapturedAgent {
  readonly script = new ScriptedAgent();
  /** What the client wrote and the recording client did not. */
  readonly unasked: ClientFrame[] = [];
  /** Lines said so far. */
  readonly said = new Set<Entry>();
  readonly wire: Wire;
  readonly #fault: Fault;
  /** Recorded lines of the client that our client has not written yet. */
  readonly #expected: Set<Entry>;
  /** The recorded id of a request to ours. */
  readonly #ids = new Map<unknown, unknown>();
  /** Recorded ids of requests that our client does not send: nobody answers them. */
  readonly #unsent = new Set<unknown>();
  #overAt: number | undefined;

  constructor(
    readonly capture: Capture,
    readonly clock: ManualClock,
    fault: Fault,
  ) {
    const { script } = this;
    this.#fault = fault;
    this.wire = new Wire((bytes) => script.pipe.push(bytes), fault);
    this.#expected = new Set(capture.entries.filter(({ kind }) => kind === 'call' || kind === 'answer'));
    script.onFrame = (frame) => this.#take(frame);
    script.leavesOnEof = fault.after?.how !== 'stall';
  }

  get frames(): number {
    return this.said.size;
  }

  /** When the stream ended, or the last was said. */
  get overAt(): number | undefined {
    return this.#overAt;
  }

  /** Our client has written this line. */
  met(entry: Entry): boolean {
    return !this.#expected.has(entry);
  }

  /** Our client will not write this line, so that the agent does not answer it. */
  unsent(entry: Entry): void {
    this.#expected.delete(entry);
    this.#unsent.add(entry.message.id);
  }

  /** Recorded lines that our client should have written. */
  get missing(): string[] {
    return [...this.#expected].map(({ line }) => line);
  }

  say(entry: Entry): void {
    const line = this.#translated(entry);
    if (this.#overAt !== undefined || line === undefined) return;
    const next = this.capture.entries[entry.index + 1];
    this.wire.line(line, next?.kind === 'frame' && next.at - entry.at < TOGETHER_MS);
    this.said.add(entry);
    const { after } = this.#fault;
    if (after?.frames !== this.frames) return;
    if (after.how === 'cut') this.leave();
    else this.#overAt = this.clock.now();
  }

  /** The stream ends. */
  leave(): void {
    this.wire.flush();
    this.#overAt = this.clock.now();
    this.script.pipe.end();
  }

  /** All that was said has been read, and everything has come of it that comes without time. */
  async heard(): Promise<void> {
    const { pipe } = this.script;
    this.wire.flush();
    do await settle();
    while (pipe.waiting > 0 && !pipe.readerCancelled);
    // After many chunks the client lets the event loop have a turn, with one of them in its hands.
    if (this.#fault.chunks !== undefined) await settle();
  }

  /** As recorded, but for the ids of our client, which it chooses itself. */
  #translated({ line, message }: Entry): string | undefined {
    if (message.method !== undefined || message.id === undefined) return line;
    if (this.#unsent.has(message.id)) return undefined;
    return this.#ids.has(message.id) ? JSON.stringify({ ...message, id: this.#ids.get(message.id) }) : line;
  }

  #take(frame: ClientFrame): void {
    const entry = [...this.#expected].find((expected) => matches(expected, frame));
    if (entry === undefined) {
      this.unasked.push(frame);
      return;
    }
    this.#expected.delete(entry);
    if (entry.kind === 'call' && frame.id !== undefined) this.#ids.set(entry.message.id, frame.id);
  }
}

function matches({ kind, message }: Entry, frame: ClientFrame): boolean {
  if (kind === 'answer') {
    const { result, error } = message as ClientFrame;
    const same = isDeepStrictEqual(frame.result, result) && frame.error?.code === error?.code;
    return frame.method === undefined && frame.id === message.id && same;
  }
  if (frame.method !== message.method) return false;
  if ((frame.id === undefined) !== (message.id === undefined)) return false;
  // Who the client is, and which handlers it has, is its own affair.
  if (frame.method === 'initialize') return frame.params?.['protocolVersion'] === message.params?.['protocolVersion'];
  return isDeepStrictEqual(frame.params, message.params);
}
