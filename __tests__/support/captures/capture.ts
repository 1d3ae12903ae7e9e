/** A captured transcript of a real agent: what went over its pipes, line by line, with the milliseconds since its start. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

/**
 * `frame`: a line of the agent. `call`: a request or notification of the client that recorded it. `answer`: what that
 * client gave to a request of the agent. `raw`: what it wrote to see how the agent takes malformed input.
 */
export type EntryKind = 'frame' | 'call' | 'answer' | 'raw';

export interface Entry {
  readonly index: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly line: string;
  readonly message: Message;
}

export interface Capture {
  /** `agent/scenario`. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

const FOLDER = new URL('../../../fixtures/captures/', import.meta.url);
/** Ids from here on were made up for malformed lines. */
const RAW_IDS = 900;

export function captureNames(): string[] {
  const agents = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = agents.flatMap(({ name }) => readdirSync(new URL(name, FOLDER)).map((file) => `${name}/${file}`));
  const ending = '.jsonl';
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
}

export const captureFile = (name: string): URL => new URL(`${name}.jsonl`, FOLDER);

export function loadCapture(name: string): Capture {
  const lines = readFileSync(captureFile(name), 'utf8').trim().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { t: number; dir: 'client' | 'agent'; line: string });
  const asked = new Set<unknown>();
  const entries = records.map(({ t, dir, line }, index): Entry => {
    const message = messageOf(line);
    if (dir === 'agent' && message.method !== undefined && message.id !== undefined) asked.add(message.id);
    return { index, at: t, kind: dir === 'agent' ? 'frame' : kindOf(line, message, asked), line, message };
  });
  return { name, entries };
}

function messageOf(line: string): Message {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function kindOf(line: string, { jsonrpc, id, method }: Message, asked: ReadonlySet<unknown>): EntryKind {
  if (jsonrpc !== '2.0' || line.endsWith('\r')) return 'raw';
  if (method === undefined) return asked.has(id) ? 'answer' : 'raw';
  const ours = id === undefined || (Number.isInteger(id) && (id as number) < RAW_IDS);
  return ours ? 'call' : 'raw';
}

/** The line in which the agent answers a call of the recording client. */
export const answerTo = (capture: Capture, call: Entry): Entry | undefined =>
  call.message.id === undefined
    ? undefined
    : capture.entries.find(
        ({ kind, message, index }) =>
          kind === 'frame' && index > call.index && message.method === undefined && message.id === call.message.id,
      );

/** What the recording client answered to a permission request, and whether only after it had cancelled the turn. */
export function decisionIn(capture: Capture, requestId: number | string): { optionId: string | null } | 'held' {
  const { entries } = capture;
  const request = entries.find(
    ({ kind, message }) =>
      kind === 'frame' && message.method === 'session/request_permission' && message.id === requestId,
  );
  const answer = entries.find(({ kind, message }) => kind === 'answer' && message.id === requestId);
  if (request === undefined || answer === undefined) return 'held';
  const between = entries.slice(request.index, answer.index);
  if (between.some(({ message }) => message.method === 'session/cancel')) return 'held';
  const { outcome } = (answer.message.result ?? {}) as { outcome?: { optionId?: string } };
  return { optionId: outcome?.optionId ?? null };
}

/** The versions that the recording client offered, newest first. Agents that refuse 2 were asked again for 1 or not at all. */
export function offersIn(capture: Capture): (1 | 2)[] {
  const offers = capture.entries
    .filter(({ kind, message }) => kind === 'call' && message.method === 'initialize')
    .map(({ message }) => message.params?.['protocolVersion'] as 1 | 2);
  const first = capture.entries.find(({ kind }) => kind === 'frame');
  // Whoever answers an offer of 2 may choose 1.
  const chose = (first?.message.result as { protocolVersion?: 1 | 2 } | undefined)?.protocolVersion;
  return [...new Set([...offers, ...(chose === undefined ? [] : [chose])])].sort((a, b) => b - a);
}
