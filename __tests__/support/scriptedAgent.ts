/**
 * An agent in memory that does exactly what a test says and keeps its own books of what it received. It knows nothing of
 * the library's charts, so that its books can judge them.
 */
import { connect, type Agent, type ConnectOptions } from '../../src/index.js';
// What `connect` loads when it is first called: that is not to take of a test's time.
import '../../src/join/hub.js';
import { manualClock, settle, type ManualClock } from './manualClock.js';
import { memoryPipe, type MemoryPipe } from './memoryPipe.js';

export interface ClientFrame {
  jsonrpc: '2.0';
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

export class ScriptedAgent {
  readonly pipe: MemoryPipe;
  /** Everything that the client wrote, in order. */
  readonly received: ClientFrame[] = [];
  /** The client closed the agent's stdin. */
  stdinEnded = false;
  /** End stdout when stdin ends, as a well-behaved agent does. */
  leavesOnEof = true;
  /** Called for each frame as it arrives, before `received` is looked at by anybody else. */
  onFrame: (frame: ClientFrame) => void = () => {};
  #tail = '';
  #decoder = new TextDecoder();

  constructor() {
    this.pipe = memoryPipe(
      (chunk) => this.#take(chunk),
      () => {
        this.stdinEnded = true;
        if (this.leavesOnEof) this.pipe.end();
      },
    );
  }

  get transport(): { readable: MemoryPipe['readable']; writable: MemoryPipe['writable'] } {
    return { readable: this.pipe.readable, writable: this.pipe.writable };
  }

  #take(chunk: Uint8Array): void {
    this.#tail += this.#decoder.decode(chunk, { stream: true });
    for (let end = this.#tail.indexOf('\n'); end >= 0; end = this.#tail.indexOf('\n')) {
      const frame = JSON.parse(this.#tail.slice(0, end)) as ClientFrame;
      this.#tail = this.#tail.slice(end + 1);
      this.received.push(frame);
      this.onFrame(frame);
    }
  }

  send(...frames: object[]): void {
    this.pipe.push(frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join(''));
  }

  raw(text: string): void {
    this.pipe.push(text);
  }

  requests(method: string): ClientFrame[] {
    return this.received.filter((frame) => frame.method === method);
  }

  /** The newest request of a method. */
  last(method: string): ClientFrame {
    const found = this.requests(method).at(-1);
    if (!found) throw new Error(`the agent received no ${method}`);
    return found;
  }

  /** Every answer that it received for one of its own request ids (type included). */
  answers(id: number | string | null): ClientFrame[] {
    return this.received.filter((frame) => frame.method === undefined && frame.id === id);
  }

  /** Answers the newest request of a method. */
  reply(method: string, result: unknown): void {
    this.send({ id: this.last(method).id, result });
  }

  refuse(method: string, code: number, data?: unknown): void {
    this.send({ id: this.last(method).id, error: { code, message: 'agent text', data } });
  }

  update(sessionId: string, update: object): void {
    this.send({ method: 'session/update', params: { sessionId, update } });
  }

  chunk(sessionId: string, text: string): void {
    this.update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  /** v2. */
  state(sessionId: string, state: string, stopReason?: string): void {
    this.update(sessionId, { sessionUpdate: 'state_update', state, ...(stopReason ? { stopReason } : {}) });
  }

  ask(id: number | string, sessionId: string, kinds = ['allow_once', 'reject_once']): void {
    this.send({
      id,
      method: 'session/request_permission',
      params: {
        sessionId,
        title: 'May I?',
        toolCall: { toolCallId: `t-${id}`, title: 'May I?', kind: 'edit' },
        options: kinds.map((kind, i) => ({ optionId: `o-${i}-${kind}`, name: 'label', kind })),
      },
    });
  }
}

export interface World {
  agent: Agent;
  script: ScriptedAgent;
  clock: ManualClock;
}

export const INITIALIZED = {
  1: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] as unknown[] },
  2: { protocolVersion: 2, info: { name: 'scripted', version: '0' }, capabilities: { session: {} }, authMethods: [] },
};

/** Connects to a scripted agent; the handshake is answered with `initialized`. */
export async function connected(
  options: Partial<ConnectOptions> = {},
  initialized: object = INITIALIZED[1],
  script = new ScriptedAgent(),
): Promise<World> {
  const clock = manualClock();
  const onFrame = script.onFrame;
  script.onFrame = (frame) => {
    if (frame.method === 'initialize') script.send({ id: frame.id, result: initialized });
    onFrame(frame);
  };
  const agent = await connect({
    client: { name: 'test', version: '0' },
    clock,
    ...options,
    transport: script.transport,
  } as ConnectOptions);
  return { agent, script, clock };
}

/** Opens a session `id` on it. */
export async function opened(
  world: World,
  id = 's-1',
  result: object = {},
): Promise<Awaited<ReturnType<Agent['newSession']>>> {
  const opening = world.agent.newSession({ cwd: '/work' });
  await settle();
  world.script.reply('session/new', { sessionId: id, ...result });
  return opening;
}
