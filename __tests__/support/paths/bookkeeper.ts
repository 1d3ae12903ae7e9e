/** The scripted agent with its books open: what goes over the wire in either direction is entered as it goes. */
import type { ByteWritable } from '../../../src/framing/streams.js';
import { ScriptedAgent, type ClientFrame } from '../scriptedAgent.js';
import type { Books, SessionEntry } from './books.js';

/** What became of an update, as the agent must expect it. */
export interface Said {
  session: string;
  mark: string;
  phase: 'turn' | 'replay' | 'between';
}

export class Bookkeeper extends ScriptedAgent {
  /** Frames sent on this wire. */
  sent = 0;
  /** When the client ended the agent's stdin. */
  stdinEndedAt: number | undefined;
  /** Writes after the client closed the stream. */
  lateWrites = 0;

  constructor(readonly books: Books) {
    super();
    this.onFrame = (frame) => this.taken(frame);
  }

  /** Replaced by what reacts to a frame, after it was entered. */
  react: (frame: ClientFrame) => void = () => {};

  private taken(frame: ClientFrame): void {
    this.books.received(frame);
    this.react(frame);
  }

  override get transport(): ScriptedAgent['transport'] {
    return { readable: this.pipe.readable, writable: this.#watched(this.pipe.writable) };
  }

  #watched(writable: ByteWritable): ByteWritable {
    return {
      getWriter: () => {
        const writer = writable.getWriter();
        let closed = false;
        return {
          ready: writer.ready,
          write: (chunk) => {
            if (closed) this.lateWrites += 1;
            return writer.write(chunk);
          },
          close: () => {
            closed = true;
            this.stdinEndedAt ??= this.books.now();
            return writer.close();
          },
          abort: (reason) => {
            closed = true;
            return writer.abort(reason);
          },
        };
      },
    };
  }

  override send(...frames: object[]): void {
    this.sent += frames.length;
    super.send(...frames);
  }

  /** Answers a request of the client; a second answer is entered as a stray one. */
  answer(id: number, answer: { result?: unknown; error?: { code: number; message?: string; data?: unknown } }): void {
    this.books.answers(id, answer);
    const { error } = answer;
    this.send({ id, ...answer, ...(error ? { error: { message: 'agent text', ...error } } : {}) });
  }

  /** The newest request of one of these methods, if there is one. */
  newest(...methods: string[]): (ClientFrame & { id: number }) | undefined {
    const found = this.received.filter(({ method }) => method !== undefined && methods.includes(method)).at(-1);
    return found as (ClientFrame & { id: number }) | undefined;
  }

  question(id: number | string, session: SessionEntry): void {
    this.books.asks(id, session);
    this.ask(id, session.id);
  }

  withdraw(id: number | string): void {
    this.send({ method: '$/cancel_request', params: { requestId: id } });
  }
}
