/** The simulated agent: says what a script has it say, byte by byte, and keeps account of what it said. */
import { answerMembers, childOf, error, goodResult, initialized, MARK, permissionOf, updateOf } from './frames.js';
import { SimPipe } from './pipe.js';
import { prng } from './prng.js';
import type { AgentAction, Noise, Setup, Version } from './script.js';

export interface ClientFrame {
  jsonrpc?: unknown;
  id?: number | string | null;
  method?: string;
  params?: any;
  result?: any;
  error?: any;
}

export interface ClientRequest {
  id: number;
  method: string;
  params: any;
  session: string | undefined;
  answered: boolean;
}

/** A request of the agent. */
export interface AgentRequest {
  n: number;
  id: number | string | null;
  method: string;
  session: string | undefined;
  options: string[];
  tool: string;
  toolKind: string | undefined;
  answered: boolean;
}

/** How a client must understand an answer. */
export type Verdict =
  | { type: 'result'; stopReason: string | undefined; sessionId: string | undefined }
  | { type: 'bad'; kind: 'protocol' | 'agent-error' | 'auth-required'; code?: number | undefined };

/** A well-formed message that was sent, in order: the n-th that the client counts. `end`: where its bytes end. */
export type Sent = { end: number } & (
  | { k: 'answer'; of: ClientRequest | undefined; verdict: Verdict }
  | {
      k: 'update';
      n: number;
      session: string | undefined;
      text: boolean;
      bytes: number;
      tool?: string;
      toolKind?: string;
      child?: string;
    }
  | { k: 'state'; n: number; session: string; state: string; stopReason: string | undefined }
  | { k: 'request'; request: AgentRequest }
  | { k: 'withdraw'; id: number | string | null }
  | { k: 'note' }
);

export class SimAgent {
  readonly pipe: SimPipe;
  /** Everything the client wrote. */
  readonly received: ClientFrame[] = [];
  /** The client's requests that are not answered, the oldest first. */
  readonly open: ClientRequest[] = [];
  readonly sent: Sent[] = [];
  /** Where lines that are no message end. */
  readonly garbage: number[] = [];
  repaired = 0;
  oversized = false;
  ended = false;
  failed = false;
  pushed = 0;
  #written = 0;
  #outbox: Buffer[] = [];
  #held: Buffer = Buffer.alloc(0);
  #tail = '';
  #offers = 0;
  readonly #decoder = new TextDecoder();

  /** Its `version` is the one that is spoken, once that is settled. */
  readonly setup: Setup;

  constructor(
    setup: Setup,
    readonly onFrame: (frame: ClientFrame, request: ClientRequest | undefined) => void,
    readonly fail: (what: string) => void,
  ) {
    this.setup = { ...setup };
    this.pipe = new SimPipe(
      (chunk) => this.#take(chunk),
      () => {
        if (setup.leavesOnEof) this.end();
      },
      () => fail('wrote after it had closed the stream'),
    );
  }

  #take(chunk: Uint8Array): void {
    this.#tail += this.#decoder.decode(chunk, { stream: true });
    const lines = this.#tail.split('\n');
    this.#tail = lines.pop() ?? '';
    for (const line of lines) {
      const frame = JSON.parse(line) as ClientFrame;
      if (frame.jsonrpc !== '2.0') this.fail('wrote a frame without jsonrpc');
      this.received.push(frame);
      const { id, method, params } = frame;
      const request =
        method !== undefined && id !== undefined
          ? { id: id as number, method, params, session: params?.sessionId as string | undefined, answered: false }
          : undefined;
      if (request) this.open.push(request);
      this.onFrame(frame, request);
      if (method === 'initialize' && request) this.#handshake(request);
    }
  }

  /** Where the bytes that are not pushed yet end. */
  #line(line: string | Buffer, cut?: number, hold?: number): number {
    const bytes = typeof line === 'string' ? Buffer.from(line) : line;
    this.#written += bytes.length;
    this.#outbox.push(bytes);
    this.#cut = cut ?? this.#cut;
    this.#hold = hold ?? 0;
    return this.#written;
  }
  #cut: number | undefined;
  #hold = 0;

  /** Pushes what was said since the last time. */
  flush(): void {
    if (this.#outbox.length === 0) return;
    const all = Buffer.concat([this.#held, ...this.#outbox]);
    this.#outbox = [];
    const keep = Math.min(this.#hold, all.length);
    this.#held = all.subarray(all.length - keep);
    const now = all.subarray(0, all.length - keep);
    this.pushed = this.#written - keep;
    if (this.#cut === undefined) {
      if (now.length > 0) this.pipe.push(now);
      return;
    }
    const r = prng(this.#cut);
    this.#cut = undefined;
    const most = r.pick([7, 40, 200, 4000]);
    // An arbitrary number of pieces at most: a big frame in small ones would be all that a world does.
    const least = Math.ceil(now.length / 60);
    for (let from = 0; from < now.length;) {
      const to = Math.min(now.length, from + Math.max(least, 1 + r.int(most)));
      this.pipe.push(Uint8Array.from(now.subarray(from, to)));
      from = to;
    }
  }

  end(): void {
    this.#letGo();
    this.ended = true;
    this.pipe.end();
  }

  failReads(): void {
    this.#letGo();
    this.failed = true;
    this.pipe.fail();
  }

  #letGo(): void {
    this.#hold = 0;
    if (this.#held.length > 0) this.#outbox.push(Buffer.alloc(0));
    this.flush();
  }

  #message(members: object, cut?: number, hold?: number): number {
    return this.#line(`${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`, cut, hold);
  }

  #garbageLine(line: string | Buffer, cut?: number): void {
    this.garbage.push(this.#line(line, cut));
  }

  /** False: there is nothing that it could be done to. */
  act(a: AgentAction): boolean {
    if (this.pipe.over) return false;
    switch (a.do) {
      case 'answer':
        return this.#answer(a);
      case 'stray':
        this.sent.push({
          k: 'answer',
          of: undefined,
          verdict: RESULT,
          end: this.#message({ id: a.id, result: {} }, a.cut),
        });
        return true;
      case 'update':
      case 'state':
        this.#update(a);
        return true;
      case 'ask':
      case 'request':
        this.#request(a);
        return true;
      case 'withdraw': {
        const end = this.#message({ method: '$/cancel_request', params: { requestId: a.id } }, a.cut, a.hold);
        this.sent.push({ k: 'withdraw', id: a.id, end });
        return true;
      }
      case 'note':
        this.sent.push({ k: 'note', end: this.#message({ method: a.method, params: { text: MARK } }, a.cut, a.hold) });
        return true;
      case 'noise':
        this.#noise(a.noise, a.cut);
        return true;
      case 'oversize':
        this.oversized = true;
        this.#line(`{"method":"big","params":"${'x'.repeat(this.setup.limits.maxFrameBytes)}"}\n`);
        return true;
    }
  }

  #answer(a: Extract<AgentAction, { do: 'answer' }>): boolean {
    const open = this.open.filter(({ method }) => method === a.method);
    const of = open[a.nth % Math.max(open.length, 1)];
    if (!of) return false;
    this.open.splice(this.open.indexOf(of), 1);
    of.answered = true;
    const code = a.code ?? -32_603;
    const members = answerMembers(a.how, goodResult(a.method, of.params, a, this.setup), code);
    const id = a.how === 'string-id' ? String(of.id) : of.id;
    this.sent.push({
      k: 'answer',
      of,
      verdict: this.#verdict(a, members),
      end: this.#message({ id, ...members }, a.cut, a.hold),
    });
    if (a.how === 'twice') {
      this.sent.push({ k: 'answer', of: undefined, verdict: RESULT, end: this.#message({ id, ...members }) });
    }
    return true;
  }

  #verdict(a: Extract<AgentAction, { do: 'answer' }>, members: { result?: unknown; error?: unknown }): Verdict {
    if (a.how === 'both' || a.how === 'neither') return { type: 'bad', kind: 'protocol' };
    if (a.how === 'error')
      return { type: 'bad', kind: a.code === -32_000 ? 'auth-required' : 'agent-error', code: a.code };
    const { result = null } = members;
    const object = result === null ? {} : result;
    if (Array.isArray(object)) return { type: 'bad', kind: 'protocol' };
    const { stopReason, sessionId } = object as { stopReason?: string; sessionId?: string };
    return { type: 'result', stopReason, sessionId };
  }

  #update(a: Extract<AgentAction, { do: 'update' | 'state' }>): void {
    const session = a.session === undefined ? {} : { sessionId: a.session };
    const update = updateOf(a, this.setup.version);
    const before = this.#written;
    const end = this.#message({ method: 'session/update', params: { ...session, update } }, a.cut, a.hold);
    if (a.do === 'state') {
      this.sent.push({ k: 'state', n: a.n, session: a.session, state: a.state, stopReason: a.stopReason, end });
      return;
    }
    const text = a.kind === 'text' || a.kind === 'big' || (a.kind === 'message' && this.setup.version === 2);
    this.sent.push({
      k: 'update',
      n: a.n,
      session: a.session,
      text,
      bytes: end - before,
      ...(a.kind === 'child' ? { child: childOf(a.n) } : {}),
      ...(a.kind === 'tool' ? { tool: a.tool ?? `t-${a.n}` } : {}),
      ...(a.kind === 'tool' && a.toolKind !== undefined ? { toolKind: a.toolKind } : {}),
      end,
    });
  }

  #request(a: Extract<AgentAction, { do: 'ask' | 'request' }>): void {
    const asks = a.do === 'ask';
    const request: AgentRequest = {
      n: a.n,
      id: a.id,
      method: asks ? 'session/request_permission' : a.method,
      session: a.session,
      options: asks ? a.options : [],
      tool: asks ? (a.tool ?? `t-${a.n}`) : '',
      toolKind: asks ? a.toolKind : undefined,
      answered: false,
    };
    const params = asks
      ? permissionOf(a, this.setup.version)
      : { n: a.n, mode: 'form', path: `/n-${a.n}`, ...(a.session === undefined ? {} : { sessionId: a.session }) };
    const end = this.#message({ id: a.id, method: request.method, params }, a.cut, a.hold);
    this.sent.push({ k: 'request', request, end });
  }

  #noise(noise: Noise, cut?: number): void {
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'sim/note', params: { text: MARK } });
    const valid = (line: string | Buffer): void => void this.sent.push({ k: 'note', end: this.#line(line, cut) });
    switch (noise) {
      case 'text':
        return this.#garbageLine(`${MARK} is not JSON\n`, cut);
      case 'array':
        return this.#garbageLine(`[${note}]\n`, cut);
      case 'scalar':
        return this.#garbageLine('17\n', cut);
      case 'bare':
        return this.#garbageLine(`{"a":"${MARK}"}\n`, cut);
      case 'cut':
        return this.#garbageLine(`${note.slice(0, 30)}\n`, cut);
      case 'glued':
        return this.#garbageLine(`${MARK} ${note}\n`, cut);
      case 'deep':
        return this.#garbageLine(`{"a":${'['.repeat(900)}${']'.repeat(900)}}\n`, cut);
      case 'blank':
        this.#line('  \n\r\n', cut);
        return;
      case 'crlf':
        return valid(`${note}\r\n`);
      case 'ansi':
        return valid(`\u001b]0;${MARK}\u0007\u001b[0m${note}\n`);
      case 'no-jsonrpc':
        return valid(`{"method":"sim/note"}\n`);
      case 'not-utf8':
        this.repaired += 1;
        return valid(
          Buffer.concat([Buffer.from('{"method":"sim/note","params":"'), Buffer.from([0xff]), Buffer.from('"}\n')]),
        );
    }
  }

  /** `initialize` is answered as the setup says, at once or never. */
  #handshake(request: ClientRequest): void {
    const { handshake, version } = this.setup;
    const first = this.#offers++ === 0;
    const offered = request.params.protocolVersion as Version;
    const spoken = (handshake === 'echo' ? 1 : Math.min(version, offered)) as Version;
    this.setup.version = spoken;
    const good = { result: initialized(this.setup, spoken) };
    const members = ((): object | undefined => {
      switch (handshake) {
        case 'echo':
          return { result: { ...initialized(this.setup, spoken), protocolVersion: offered } };
        case 'refuses':
          return first ? { error: error(-32_602) } : good;
        case 'names':
          return first ? { error: { ...error(-32_022), data: { supported: [spoken, 9] } } } : good;
        case 'unsupported':
          return { result: { protocolVersion: 7 } };
        case 'error':
          return { error: error(-32_000) };
        case 'hollow':
          return {};
        case 'silent':
          return undefined;
        case 'exits':
          this.end();
          return undefined;
        case 'plain':
          return good;
      }
    })();
    if (!members) return;
    this.open.splice(this.open.indexOf(request), 1);
    request.answered = true;
    this.sent.push({ k: 'answer', of: request, verdict: RESULT, end: this.#message({ id: request.id, ...members }) });
    this.flush();
  }
}

const RESULT: Verdict = { type: 'result', stopReason: undefined, sessionId: undefined };
