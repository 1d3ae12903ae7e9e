import { arm } from '../framing/alarm.js';
import { turnOfTheLoop, type Clock } from '../framing/clock.js';
import { Roster } from '../framing/roster.js';
import type { Frame, FrameReader, ReaderEnd } from '../framing/frameReader.js';

/** After this many chunks without waiting the event loop gets its turn: an agent that floods must not starve timers. */
const CHUNKS_PER_TURN = 64;

export interface PumpOptions {
  reader: FrameReader;
  clock: Clock;
  /** Handles one frame. A returned promise holds the pipe; it must not reject, and this must not throw. */
  deliver: (frame: Frame) => Promise<unknown> | undefined;
  /** Must not throw. */
  onHold: (held: boolean) => void;
  /** Once, when no more frames come; not after `stop`. */
  onEnd: (end: Exclude<ReaderEnd, 'closed'>) => void;
}

/** Moves frames from the reader to one handler, in order: without a promise per frame while nothing holds it. */
export class Pump {
  readonly #options: PumpOptions;
  readonly #drains = new Roster<() => void>();
  #running = false;
  #stopped = false;
  #held = false;
  #heldSince = 0;
  /** In holds that are over. */
  #heldMs = 0;
  /** When the last bytes came, or the last hold ended. */
  #movedAt: number;
  #lastFrameAt: number;
  #touched = false;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#movedAt = this.#lastFrameAt = options.clock.now();
  }

  /** The handler has not done with a frame, and nothing is read meanwhile. */
  get held(): boolean {
    return this.#held;
  }

  get lastFrameAt(): number {
    return this.#lastFrameAt;
  }

  /** The frame under way is a valid message. */
  touch(): void {
    this.#touched = true;
    this.#lastFrameAt = this.#movedAt;
  }

  start(): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    void this.#run();
  }

  /** Closes the reader: no frame is delivered after this. */
  stop(): void {
    this.#stopped = true;
    void this.#options.reader.close();
    this.#tellDrains();
  }

  /**
   * Resolves when no byte came for `quietMs`, or `maxMs` have passed, or no more can come. While the handler holds the
   * pump neither clock runs, for what is in the pipe cannot be seen; and in a starved event loop a timer rings before the
   * pipe was looked into, so that it is given that turn first.
   */
  drain(quietMs: number, maxMs: number): Promise<void> {
    const { clock } = this.#options;
    const from = clock.now();
    const heldBefore = this.#heldMs + (this.#held ? from - this.#heldSince : 0);
    let disarm = (): void => {};
    let drained = false;
    return new Promise((resolve) => {
      const look = (): void => {
        disarm();
        if (drained) return;
        const quietAt = Math.max(from, this.#movedAt) + quietMs;
        const left = Math.min(quietAt, from + maxMs + this.#heldMs - heldBefore) - clock.now();
        if (this.#stopped || (left <= 0 && !this.#held)) {
          drained = true;
          leave();
          resolve();
        } else if (!this.#held) {
          disarm = arm(clock, left, () => void turnOfTheLoop().then(look));
        }
      };
      const leave = this.#drains.add(look);
      look();
    });
  }

  async #run(): Promise<void> {
    const { reader, clock, deliver, onEnd } = this.#options;
    for (let chunks = 1; !this.#stopped; chunks++) {
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const holding = deliver(frame);
        if (holding !== undefined) await this.#hold(holding);
      }
      this.#stamp();
      if (this.#stopped || !(await reader.fill())) break;
      this.#movedAt = clock.now();
      if (chunks % CHUNKS_PER_TURN === 0) await turnOfTheLoop();
    }
    if (this.#stopped) return;
    this.stop();
    const { end } = reader;
    if (end !== undefined && end !== 'closed') onEnd(end);
  }

  async #hold(holding: Promise<unknown>): Promise<void> {
    const { clock, onHold } = this.#options;
    this.#stamp();
    this.#heldSince = clock.now();
    this.#held = true;
    onHold(true);
    await holding;
    this.#held = false;
    this.#movedAt = clock.now();
    this.#heldMs += this.#movedAt - this.#heldSince;
    onHold(false);
    this.#tellDrains();
  }

  /** The clock is read per chunk, not per frame: a frame is as late as the end of the handling of its chunk. */
  #stamp(): void {
    if (!this.#touched) return;
    this.#touched = false;
    this.#lastFrameAt = this.#options.clock.now();
  }

  #tellDrains(): void {
    for (const look of this.#drains.all()) look();
  }
}
