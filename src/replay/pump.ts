/** Bytes from one stream to another as they come: nothing is kept, joined, cut or looked at before it is on its way. */
import type { Clock } from '../framing/clock.js';
import type { ByteReadable, ByteReader, ByteWritable, ByteWriter } from '../framing/streams.js';

export interface PumpOptions {
  from: ByteReadable;
  to: ByteWritable;
  clock: Clock;
  /** Sees each chunk once it was handed on. Must not throw. */
  tap: (chunk: Uint8Array) => void;
}

/** `ended`: the source has, and the end was passed on. `broken`: nobody reads any more, and the source was told so. */
export type PumpEnd = 'ended' | 'broken';

export class Pump {
  readonly done: Promise<PumpEnd>;
  readonly #reader: ByteReader;
  readonly #writer: ByteWriter;
  readonly #options: PumpOptions;
  #writing = false;
  #over = false;
  #heardAt: number;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#reader = options.from.getReader();
    this.#writer = options.to.getWriter();
    this.#heardAt = options.clock.now();
    this.done = this.#run().finally(() => (this.#over = true));
  }

  /** Nothing is under way, and nothing came for this long: what a process wrote before it exited has arrived. */
  quietFor(ms: number): boolean {
    return this.#over || (!this.#writing && this.#options.clock.now() - this.#heardAt >= ms);
  }

  /** Reads no more. */
  async stop(): Promise<void> {
    await this.#reader.cancel();
  }

  async #run(): Promise<PumpEnd> {
    for (;;) {
      const chunk = await this.#read();
      if (chunk === undefined) break;
      this.#heardAt = this.#options.clock.now();
      this.#writing = true;
      const written = this.#writer.write(chunk);
      this.#options.tap(chunk);
      try {
        // Until the other side has taken it nothing more is read: the writer is held back as if the pipe were one.
        await written;
      } catch {
        await this.stop();
        return 'broken';
      } finally {
        this.#writing = false;
      }
    }
    await this.#writer.close().catch(() => {});
    return 'ended';
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#reader.read();
      return done ? undefined : (value ?? new Uint8Array());
    } catch {
      return undefined;
    }
  }
}
