/**
 * Plays the agent of a case file on stdin and stdout: a fixed script, step by step. It is a program of its own, and shares
 * nothing of the wire with the client: two ends that were written apart check each other.
 */
import { closeSync, writeSync } from 'node:fs';
import { spawnSibling } from '../process/sibling.js';
import { Mailbox, type Message } from './mailbox.js';
import { isWanted, type Step } from './steps.js';
import { filled, matches, numbered, padded, same } from './values.js';

export interface CaseAgentOptions {
  script: readonly Step[];
  /** Told everything that a runner may want to know afterwards. */
  report?: ((entry: object) => void) | undefined;
  /** The exit code of a script that did not come to its end. */
  failCode: number;
}

const EXPECT_MS = 8_000;
const AFTER_EOF_MS = 400;
const SETTLING_MS = 30;
const FLOOD_BYTES = 65_536;
const FOR_EVER_MS = 1e6;
const TERMINATED = 143;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const stayAlive = (): void => void setInterval(() => {}, FOR_EVER_MS);
const write = (bytes: string | Buffer): Promise<void> =>
  new Promise((resolve) => process.stdout.write(bytes, () => resolve()));
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

class CaseAgent {
  readonly #o: CaseAgentOptions;
  readonly #mail: Mailbox;
  readonly #ids = new Map<string, unknown>();
  #current: Message = {};
  #done = false;
  #stays = false;

  constructor(options: CaseAgentOptions) {
    this.#o = options;
    process.on('SIGTERM', () => {
      if (!this.#stays) process.exit(TERMINATED);
    });
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
    this.#mail = new Mailbox(process.stdin, {
      fail: (why) => this.#fail(why),
      answered: (answer) => options.report?.({ answer }),
      ended: () => {
        if (!this.#stays) setTimeout(() => process.exit(0), this.#done ? 0 : AFTER_EOF_MS);
      },
    });
  }

  async play(): Promise<never> {
    for (const step of this.#o.script) await this.#step(step);
    await sleep(SETTLING_MS);
    this.#done = true;
    this.#verdict('OK');
    if (this.#mail.ended && !this.#stays) process.exit(0);
    return this.#forEver();
  }

  async #step(step: Step): Promise<void> {
    if (step.expect) await this.#expect(step.expect, step.as);
    else if (step.reply) await write(line({ jsonrpc: '2.0', id: this.#idOf(step.to), ...step.reply }));
    else if (step.sendMany) await write(this.#many(step.sendMany));
    else if (step.raw !== undefined) await write(step.raw);
    else if (step.rawBase64 !== undefined) await write(Buffer.from(step.rawBase64, 'base64'));
    else if (step.delayMs) await sleep(step.delayMs);
    else if (step.repeat) {
      for (let i = 0; i < step.repeat; i++) for (const one of step.steps ?? []) await this.#step(numbered(one, i));
    } else if (step.flood) {
      const chunk = Buffer.alloc(FLOOD_BYTES, step.flood.byte);
      for (let sent = 0; sent < step.flood.bytes; sent += FLOOD_BYTES) await write(chunk);
    } else if (step.expectResponse) await this.#expectResponse(step.expectResponse);
    else if (step.expectNone) await this.#expectNone(step.expectNone);
    else if (step.expectEof) {
      const eof = await this.#mail.until(() => this.#mail.ended || undefined, step.expectEof.withinMs);
      if (!eof) this.#fail('no eof');
    } else if (!(await this.#end(step)) && !this.#atOnce(step)) await this.#send(step);
  }

  async #expect(
    { method, params, exactParams, else: refusal }: NonNullable<Step['expect']>,
    label?: string,
  ): Promise<void> {
    const message = await this.#mail.until(() => this.#mail.messages.shift(), EXPECT_MS);
    if (message?.['method'] !== method) {
      return this.#fail(`expected ${method} got ${message ? String(message['method']) : 'nothing'}`);
    }
    this.#current = message;
    if (label !== undefined) {
      this.#ids.set(label, message['id']);
      this.#o.report?.({ label, id: message['id'] });
    }
    const got = message['params'];
    const fits =
      (params === undefined || matches(got, params)) && (exactParams === undefined || same(got, exactParams));
    if (fits) return;
    if (refusal) await write(line({ jsonrpc: '2.0', id: message['id'], ...refusal }));
    this.#fail(`params ${JSON.stringify(got)}`);
  }

  async #expectResponse(step: NonNullable<Step['expectResponse']>): Promise<void> {
    const wanted = this.#filled(step) as typeof step;
    const { answers } = this.#mail;
    const found = await this.#mail.until(() => answers.find(({ id }) => id === wanted.id), wanted.withinMs);
    if (!found) {
      if (!wanted.optional) this.#fail(`no response ${JSON.stringify(wanted.id)}`);
      return;
    }
    answers.splice(answers.indexOf(found), 1);
    if (!(wanted.oneOf ?? [wanted]).some((one) => isWanted(one, found, same))) {
      this.#fail(`response ${JSON.stringify(found)}`);
    }
  }

  async #expectNone(step: NonNullable<Step['expectNone']>): Promise<void> {
    await sleep(step.forMs);
    const { messages, answers } = this.#mail;
    const { any, method, responseTo } = this.#filled(step) as typeof step;
    const bad = any
      ? messages.length + answers.length > 0
      : method !== undefined
        ? messages.some((message) => message['method'] === method)
        : answers.some(({ id }) => id === responseTo);
    if (bad) this.#fail(`unexpected ${JSON.stringify(step)} ${JSON.stringify([messages, answers])}`);
  }

  /** Steps that count as the end. */
  async #end({ expectKilled, exit, signal, hang }: Step): Promise<boolean> {
    if (expectKilled) {
      this.#verdict('OK');
      await sleep(expectKilled.withinMs);
      this.#fail('not killed');
    } else if (exit !== undefined) {
      this.#verdict('OK');
      process.exit(exit);
    } else if (signal) {
      this.#verdict('OK');
      process.kill(process.pid, signal);
      await sleep(EXPECT_MS);
    } else if (hang) {
      this.#verdict('OK');
      this.#done = true;
      await this.#forEver();
    } else return false;
    return true;
  }

  #atOnce({ closeStdout, closeStdin, ignoreStdinEof, spawnGrandchild }: Step): boolean {
    if (closeStdout) closeSync(1);
    else if (closeStdin) process.stdin.destroy();
    else if (ignoreStdinEof) {
      this.#stays = true;
      stayAlive();
    } else if (spawnGrandchild) {
      const { ignoreSignals = [], holdStdout = false } = spawnGrandchild;
      const ignores = ignoreSignals.map((name) => `process.on(${JSON.stringify(name)},()=>{});`).join('');
      const grandchild = spawnSibling(`${ignores}setInterval(()=>{},${FOR_EVER_MS})`, holdStdout);
      this.#o.report?.({ grandchild });
    } else return false;
    return true;
  }

  async #send({ send, sendCrlf, sendUnescaped, rawJson, pad, stderrBytes, ...unknown }: Step): Promise<void> {
    if (stderrBytes) {
      await new Promise((resolve) => process.stderr.write(`${'e'.repeat(stderrBytes)}\n`, resolve));
      return;
    }
    const template = send ?? rawJson ?? sendCrlf ?? sendUnescaped;
    if (template === undefined) return this.#fail(`unknown step ${JSON.stringify(unknown)}`);
    const value = this.#filled(template);
    const json = JSON.stringify(pad ? padded(value, pad) : value);
    await write(json + (rawJson !== undefined ? '' : sendCrlf !== undefined ? '\r\n' : '\n'));
  }

  #many(items: readonly unknown[]): string {
    const lines = items.flatMap((item) => {
      const { repeat, frame } = item as { repeat?: number; frame?: unknown };
      if (!repeat) return [line(this.#filled(item))];
      return Array.from({ length: repeat }, (_, i) => line(this.#filled(numbered(frame, i))));
    });
    return lines.join('');
  }

  #idOf(label: string | undefined): unknown {
    return label === undefined ? this.#current['id'] : this.#ids.get(label);
  }

  #filled(value: unknown): unknown {
    return filled(value, { current: this.#current['id'], labelled: this.#ids });
  }

  #verdict(verdict: string): void {
    this.#o.report?.({ verdict });
    try {
      writeSync(2, `VERDICT ${verdict}\n`);
    } catch {
      // Nobody reads it.
    }
  }

  #fail(why: string): void {
    this.#verdict(`FAIL ${why}`);
    process.exit(this.#o.failCode);
  }

  #forEver(): Promise<never> {
    stayAlive();
    return new Promise(() => {});
  }
}

/** Never resolves: the process ends with the script, with its stdin, or by a signal. */
export const playCaseAgent = (options: CaseAgentOptions): Promise<never> => new CaseAgent(options).play();
