/** Drives the demo agent with raw frames over in-memory streams and a stepping clock. */
import { PassThrough } from 'node:stream';
import { runDemoAgent } from '../../src/demo/demoAgent.js';
import { manualClock, settle } from './manualClock.js';

/** Parsed and not looked at: what a test expects of it is checked by its matchers. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Frame {
  id?: number | string | null;
  method?: string;
  params?: Record<string, Json>;
  result?: Json;
  error?: { code: number; message: string; data?: Json };
}

export const PACE_MS = 10;
const MOST_STEPS = 2_000;

export function demoClient(protocolVersion?: 1 | 2) {
  const clock = manualClock();
  const input = new PassThrough();
  const output = new PassThrough();
  const frames: Frame[] = [];
  let text = '';
  let nextId = 1;
  let ended = false;
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) frames.push(JSON.parse(line) as Frame);
  });
  const run = runDemoAgent({ input, output, clock, paceMs: PACE_MS, protocolVersion }).then(() => {
    ended = true;
  });

  /** Lets time pass until the question is answered with something; fails where it never is. */
  const until = async <T>(what: () => T | undefined | false): Promise<T> => {
    for (let i = 0; i < MOST_STEPS; i++) {
      const found = what();
      if (found !== undefined && found !== false) return found;
      await clock.run(i % 3 === 0 ? PACE_MS : 0);
    }
    throw new Error(`never happened; frames: ${JSON.stringify(frames.slice(-5))}`);
  };
  const raw = (line: string): void => void input.write(line);
  const write = (frame: object): void => raw(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  const send = (method: string, params?: unknown): number => {
    const id = nextId++;
    write({ id, method, params });
    return id;
  };
  const answerTo = (id: number): Promise<Frame> => until(() => frames.find((f) => f.id === id && !f.method));

  const client = {
    clock,
    frames,
    raw,
    send,
    answerTo,
    until,
    settled: async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await settle();
    },
    notify: (method: string, params: object): void => write({ method, params }),
    answer: (id: unknown, rest: object): void => write({ id, ...rest }),
    call: (method: string, params?: unknown): Promise<Frame> => answerTo(send(method, params)),
    updates: (): Json[] => frames.filter((f) => f.method === 'session/update').map((f) => f.params?.['update']),
    permission: (): Promise<Frame> => until(() => frames.find((f) => f.method === 'session/request_permission')),
    textOf: (kind = 'agent_message_chunk'): string =>
      client
        .updates()
        .filter((u) => u.sessionUpdate === kind)
        .map((u) => u.content.text)
        .join(''),
    initialize: (version: number = 2): Promise<Frame> =>
      client.call('initialize', {
        protocolVersion: version,
        info: { name: 'test', version: '1' },
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
        clientCapabilities: {},
      }),
    open: async (cwd = '/demo', version = 2): Promise<string> => {
      await client.initialize(version);
      return (await client.call('session/new', { cwd, mcpServers: [] })).result.sessionId;
    },
    prompt: (sessionId: string, words: string): number =>
      client.send('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] }),
    idle: (): Promise<Json> =>
      until(() => client.updates().find((u) => u.sessionUpdate === 'state_update' && u.state === 'idle')),
    end: async (): Promise<void> => {
      input.end();
      await until(() => ended);
      await run;
    },
  };
  return client;
}
