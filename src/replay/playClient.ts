/** A recording as a client: drives a live agent by it, and finds where the agent goes another way. */
import { statSync } from 'node:fs';
import type { Clock } from '../framing/clock.js';
import { FrameWriter, serialize } from '../framing/frameWriter.js';
import type { ByteReadable, ByteWritable } from '../framing/streams.js';
import type { RecordedFrame, Recording } from '../inspect/recording.js';
import { classify } from '../rpc/envelope.js';
import { isObject, textOf } from '../wire/values.js';
import { isBeside, isRepeatable } from './expectations.js';
import { Inbox } from './inbox.js';
import { isRedacted, isRedactedText, speakable } from './placeholders.js';
import { type Divergence, keyOf, type Message, sessionIn, told } from './told.js';

export interface PlayClientOptions {
  recording: Recording;
  readable: ByteReadable;
  writable: ByteWritable;
  clock: Clock;
  /** How long each word of the agent is waited for. */
  waitMs: number;
  /** In place of a folder that is not told or not here. */
  cwd: string;
  /** In place of each text that is not told. */
  text: string;
}

interface Asked {
  method: string;
  session: string | undefined;
}

const isFolder = (path: unknown): boolean =>
  typeof path === 'string' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

export class ClientPlayer {
  /** Words of the agent that were compared. */
  compared = 0;
  readonly #o: PlayClientOptions;
  readonly #inbox: Inbox;
  readonly #writer: FrameWriter;
  /** The client's requests, by id: they are sent with the ids that they had. */
  readonly #asked = new Map<string, Asked>();
  /** Ids of the agent's requests, and of sessions: recorded to live. */
  readonly #ids = new Map<string, unknown>();
  readonly #sessions = new Map<string, string>();
  /** What was said last in each session, by the recording and by the agent. */
  readonly #lastRecorded = new Map<string, string>();
  readonly #lastLive = new Map<string, string>();

  constructor(options: PlayClientOptions) {
    this.#o = options;
    const { readable, writable, clock, waitMs } = options;
    this.#inbox = new Inbox(readable, clock);
    this.#writer = new FrameWriter(writable, { clock, writeTimeoutMs: waitMs, onFail: () => {} });
  }

  /** Where the agent went another way first. Never rejects. */
  async play(): Promise<Divergence | undefined> {
    for (const frame of this.#o.recording.frames) {
      if (frame.d === 'out') await this.#say(frame.m);
      else {
        const divergence = await this.#hear(frame);
        if (divergence) return divergence;
      }
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#inbox.close();
  }

  async #say(message: Message): Promise<void> {
    const envelope = classify(message);
    if (envelope.kind === 'request') {
      this.#asked.set(keyOf(envelope.id), { method: envelope.method, session: sessionIn(message) });
    }
    const spoken = this.#spoken(message) as Message;
    const id = envelope.kind === 'response' ? this.#ids.get(keyOf(envelope.id)) : undefined;
    await this.#writer.write(serialize(id === undefined ? spoken : { ...spoken, id }));
  }

  /** In the live agent's ids, with something for whatever the recording does not tell. */
  #spoken(message: Message): unknown {
    const { recording, cwd, text } = this.#o;
    const walk = (value: unknown, name: string): unknown => {
      if (name === 'cwd' && (recording.text ? !isFolder(value) : isRedacted(value))) return cwd;
      // Servers of which only names of members are told could not be started.
      if (name === 'mcpServers' && !recording.text) return [];
      if (Array.isArray(value)) return value.map((entry) => walk(entry, ''));
      if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, key)]));
      if (isRedactedText(value) && !recording.text && name === 'text') return text;
      return (typeof value === 'string' && this.#sessions.get(value)) || value;
    };
    return walk(recording.text ? message : speakable(message), '');
  }

  async #hear({ m, line }: RecordedFrame): Promise<Divergence | undefined> {
    if (isBeside(m)) return undefined;
    const { clock, waitMs } = this.#o;
    const lane = this.#lane(m);
    const expected = this.#told(m);
    if (isRepeatable(m) && this.#lastRecorded.get(lane) === expected) return undefined;
    this.#lastRecorded.set(lane, expected);
    const live = await this.#inbox.until(() => this.#next(lane), clock.now() + waitMs);
    if (!live) {
      const got = this.#inbox.ended ? 'the end of its words' : `nothing for ${waitMs} ms`;
      return { line, expected, got };
    }
    const got = this.#told(live);
    this.#lastLive.set(lane, got);
    if (got !== expected) return { line, expected, got };
    this.compared += 1;
    this.#learn(m, live);
    return undefined;
  }

  /** The next of its session, but for what is beside the point or only more of the same. */
  #next(lane: string): Message | undefined {
    for (;;) {
      const message = this.#inbox.take((one) => isBeside(one) || this.#liveLane(one) === lane);
      if (!message) return undefined;
      if (isBeside(message)) continue;
      if (isRepeatable(message) && this.#lastLive.get(lane) === this.#told(message)) continue;
      return message;
    }
  }

  #learn(recorded: Message, live: Message): void {
    const [one, two] = [classify(recorded), classify(live)];
    if (one.kind === 'request' && two.kind === 'request') this.#ids.set(keyOf(one.id), two.id);
    if (one.kind !== 'response') return;
    const [was, is] = [recorded['result'], live['result']].map((result) =>
      isObject(result) ? textOf(result['sessionId']) : undefined,
    );
    if (was !== undefined && is !== undefined) this.#sessions.set(was, is);
  }

  /** Words are in order within a session; an answer of the connection is in order with nothing. */
  #lane(message: Message): string {
    const session = sessionIn(message);
    if (session !== undefined) return session;
    const id = keyOf(message['id']);
    return classify(message).kind === 'response' ? (this.#asked.get(id)?.session ?? `answer ${id}`) : '';
  }

  #liveLane(message: Message): string {
    const lane = this.#lane(message);
    for (const [was, is] of this.#sessions) if (is === lane) return was;
    return lane;
  }

  #told(message: Message): string {
    return told(message, this.#asked.get(keyOf(message['id']))?.method);
  }
}
