/** The stdin of a case's agent: what the client sends, in two queues, and what no client may ever send. */
import { isObject } from '../wire/values.js';

export type Message = Record<string, unknown>;

export interface MailboxOptions {
  /** The client broke a rule that holds in every case. */
  fail: (why: string) => void;
  answered: (answer: Message) => void;
  ended: () => void;
}

const NEWLINE = 10;
const LONGEST_NAP_MS = 10;

const isFreshId = (id: unknown, used: ReadonlySet<unknown>): boolean =>
  Number.isInteger(id) && (id as number) >= 1 && !used.has(id);

export class Mailbox {
  readonly messages: Message[] = [];
  readonly answers: Message[] = [];
  ended = false;
  readonly #options: MailboxOptions;
  readonly #used = new Set<unknown>();
  #tail = Buffer.alloc(0);
  #wake = (): void => {};

  constructor(input: NodeJS.ReadStream, options: MailboxOptions) {
    this.#options = options;
    input.on('data', (chunk: Buffer) => this.#bytes(chunk));
    input.on('error', () => {});
    input.on('end', () => {
      this.ended = true;
      this.#wake();
      options.ended();
    });
  }

  /** Until `look` gives something, or so much time has passed: then undefined. */
  async until<T>(look: () => T | undefined, ms: number): Promise<T | undefined> {
    for (const began = performance.now(); ;) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() - began > ms) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, LONGEST_NAP_MS);
      });
    }
  }

  #bytes(chunk: Buffer): void {
    const bytes = this.#tail.length > 0 ? Buffer.concat([this.#tail, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.#line(bytes.subarray(from, end).toString());
      from = end + 1;
    }
    this.#tail = Buffer.from(bytes.subarray(from));
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#options.fail('client frame is not JSON');
    }
    if (!isObject(message) || message['jsonrpc'] !== '2.0' || line.endsWith('\r')) {
      return this.#options.fail('client frame is no 2.0 envelope on an LF line');
    }
    if (typeof message['method'] === 'string') this.#called(message);
    else {
      this.answers.push(message);
      this.#options.answered(message);
    }
    this.#wake();
  }

  #called(message: Message): void {
    if ('id' in message) {
      const { id } = message;
      if (!isFreshId(id, this.#used)) {
        return this.#options.fail(`client request id ${JSON.stringify(id)} is no fresh positive integer`);
      }
      this.#used.add(id);
    }
    if (message['method'] !== '$/cancel_request') this.messages.push(message);
  }
}
