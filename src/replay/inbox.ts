/** What the live side has said and nobody has taken yet. */
import { arm } from '../framing/alarm.js';
import type { Clock } from '../framing/clock.js';
import { FrameReader } from '../framing/frameReader.js';
import type { ByteReadable } from '../framing/streams.js';
import type { Message } from './told.js';

/** Whoever speaks to a replay that does not listen is held back. */
const MOST_WAITING = 10_000;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export class Inbox {
  readonly waiting: Message[] = [];
  /** The live side says no more. */
  ended = false;
  readonly #reader: FrameReader;
  readonly #clock: Clock;
  #wake: (() => void) | undefined;
  #room: (() => void) | undefined;

  constructor(readable: ByteReadable, clock: Clock) {
    this.#clock = clock;
    this.#reader = new FrameReader(readable, { maxFrameBytes: MAX_FRAME_BYTES });
    void this.#read();
  }

  /** Takes the first that fits. */
  take(fits: (message: Message) => boolean): Message | undefined {
    const at = this.waiting.findIndex(fits);
    if (at < 0) return undefined;
    const [taken] = this.waiting.splice(at, 1);
    this.#room?.();
    return taken;
  }

  /** Until `look` gives something, the live side has ended, or the moment `until` of the clock has come: then undefined. */
  async until<T>(look: () => T | undefined, until: number): Promise<T | undefined> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const left = until - this.#clock.now();
      if (this.ended || left <= 0) return undefined;
      await new Promise<void>((resolve) => {
        const disarm = arm(this.#clock, left, () => this.#wake?.());
        this.#wake = () => {
          this.#wake = undefined;
          disarm();
          resolve();
        };
      });
    }
  }

  close(): Promise<void> {
    this.#room?.();
    return this.#reader.close();
  }

  async #read(): Promise<void> {
    for (;;) {
      const frame = await this.#reader.read();
      if (!frame) break;
      this.waiting.push(frame.value);
      this.#wake?.();
      if (this.waiting.length >= MOST_WAITING) await new Promise<void>((resolve) => (this.#room = resolve));
    }
    this.ended = true;
    this.#wake?.();
  }
}
