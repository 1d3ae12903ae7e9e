/** A recording as an agent: what the agent said is said again, each time what the client had said before it has come. */
import type { Clock } from '../framing/clock.js';
import { FrameWriter, serialize } from '../framing/frameWriter.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import type { RecordedFrame, Recording } from '../inspect/recording.js';
import { classify } from '../rpc/envelope.js';
import { CANCEL_REQUEST } from '../rpc/messages.js';
import { Inbox } from './inbox.js';
import { speakable } from './placeholders.js';
import { type Divergence, keyOf, type Message, sessionIn, told } from './told.js';

export interface PlayAgentOptions {
  recording: Recording;
  input: ByteReadable;
  output: ByteWritable;
  clock: Clock;
  /** How long each message of the client is waited for. */
  waitMs: number;
}

/** Withdrawing a request is a matter of timing: it is in no order with anything. */
const ignorable = (message: Message): boolean => message['method'] === CANCEL_REQUEST;

export class AgentPlayer {
  readonly #o: PlayAgentOptions;
  readonly #inbox: Inbox;
  readonly #writer: FrameWriter;
  /** Ids of the client's requests: recorded to live. */
  readonly #ids = new Map<string, unknown>();
  /** Methods of the agent's requests, by id: they are sent with the ids that they had. */
  readonly #asked = new Map<string, string>();
  #gone = false;

  constructor(options: PlayAgentOptions) {
    this.#o = options;
    this.#inbox = new Inbox(options.input, options.clock);
    this.#writer = new FrameWriter(options.output, {
      clock: options.clock,
      writeTimeoutMs: options.waitMs,
      onFail: () => (this.#gone = true),
    });
  }

  /** Resolves when the client has left, or with where it went another way. Never rejects. */
  async play(): Promise<Divergence | undefined> {
    const { frames } = this.#o.recording;
    try {
      for (const [index, frame] of frames.entries()) {
        if (ignorable(frame.m)) continue;
        if (frame.d === 'in') await this.#say(frame.m);
        else {
          const divergence = await this.#hear(frame, frames.slice(index + 1));
          if (divergence) return divergence;
        }
      }
      return await this.#rest((frames.at(-1)?.line ?? 0) + 1);
    } finally {
      await this.#writer.close();
      await this.#inbox.close();
    }
  }

  /** The recording is over: a client that goes on is on a way of its own. */
  async #rest(line: number): Promise<Divergence | undefined> {
    const next = await this.#inbox.until(() => this.#inbox.take((message) => !ignorable(message)), Infinity);
    return next && { line, expected: 'nothing more, the recording ends here', got: this.#told(next) };
  }

  async #say(message: Message): Promise<void> {
    const { text } = this.#o.recording;
    const spoken = (text ? message : speakable(message)) as Message;
    const envelope = classify(message);
    if (envelope.kind === 'request') this.#asked.set(keyOf(envelope.id), envelope.method);
    const id = envelope.kind === 'response' ? this.#ids.get(keyOf(envelope.id)) : undefined;
    if (!this.#gone) await this.#writer.write(serialize(id === undefined ? spoken : { ...spoken, id }));
  }

  async #hear(frame: RecordedFrame, later: readonly RecordedFrame[]): Promise<Divergence | undefined> {
    const { clock, waitMs } = this.#o;
    const coming = later.filter(({ d }) => d === 'out');
    const fits = (message: Message): boolean => this.#fits(frame.m, message);
    const foreign = (message: Message): boolean =>
      !ignorable(message) && !coming.some(({ m }) => this.#fits(m, message));
    const heard = await this.#inbox.until(() => {
      const message = this.#inbox.take(fits);
      if (message) return { message, fits: true };
      // What fits a later one is only early.
      const other = this.#inbox.take(foreign);
      return other && { message: other, fits: false };
    }, clock.now() + waitMs);
    const expected = this.#told(frame.m);
    const { line } = frame;
    if (!heard) {
      const got = this.#inbox.ended ? 'the end of its words' : `nothing for ${waitMs} ms`;
      return { line, expected, got };
    }
    if (!heard.fits) return { line, expected, got: this.#told(heard.message) };
    const envelope = classify(heard.message);
    if (envelope.kind === 'request') this.#ids.set(keyOf(frame.m['id']), envelope.id);
    return undefined;
  }

  #fits(recorded: Message, live: Message): boolean {
    const [one, two] = [classify(recorded), classify(live)];
    if (one.kind !== two.kind) return false;
    if (one.kind === 'response' && two.kind === 'response') {
      return keyOf(one.id) === keyOf(two.id) && this.#told(recorded) === this.#told(live);
    }
    return recorded['method'] === live['method'] && sessionIn(recorded) === sessionIn(live);
  }

  #told(message: Message): string {
    return told(message, this.#asked.get(keyOf(message['id'])));
  }
}
