import type { ToolCall, ToolPatch } from '../wire/normal.js';
import { weightOf } from './weight.js';

/** Of the calls of one session that are remembered, to merge later patches into; beyond it the oldest are forgotten. */
export const TOOL_CALLS_LIMIT = 10_000;
export const TOOL_CALLS_LIMIT_BYTES = 64 * 1024 * 1024;
/** Of the entries that chunks can add to one call: each makes a new snapshot, which copies the list. */
export const CONTENT_LIMIT = 10_000;

const FINISHED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const STATUSES: ReadonlySet<string> = new Set(['pending', 'in_progress', ...FINISHED]);

const MEMBERS = ['title', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput'] as const;
type Weights = Record<(typeof MEMBERS)[number], number>;
const WEIGHTLESS: Weights = { title: 0, kind: 0, status: 0, content: 0, locations: 0, rawInput: 0, rawOutput: 0 };

/** Absent leaves what was, `null` takes it away. */
const patched = <T>(before: T | undefined, change: T | null | undefined): T | undefined =>
  change === undefined ? before : (change ?? undefined);

/** As `patched`, for members that every call has. */
const replaced = <T>(before: T, change: T | null | undefined, cleared: T): T =>
  change === undefined ? before : (change ?? cleared);

/**
 * A call with a patch applied: absent leaves, `null` clears (the kind to `other`, the status to `pending`), lists replace,
 * `appendContent` comes last. The first mention of an id makes a call of which only the id is known.
 */
export function mergeTool(before: ToolCall | undefined, patch: ToolPatch): ToolCall {
  const { toolCallId, appendContent } = patch;
  const content: readonly unknown[] = replaced(before?.content ?? [], patch.content, []);
  const call: ToolCall = {
    toolCallId,
    status: replaced(before?.status ?? 'pending', patch.status, 'pending'),
    content: appendContent === undefined ? content : content.concat(appendContent),
    locations: replaced(before?.locations ?? [], patch.locations, []),
  };
  const title = patched(before?.title, patch.title);
  const kind = replaced(before?.kind, patch.kind, 'other');
  const rawInput = patched(before?.rawInput, patch.rawInput);
  const rawOutput = patched(before?.rawOutput, patch.rawOutput);
  if (title !== undefined) call.title = title;
  if (kind !== undefined) call.kind = kind;
  if (rawInput !== undefined) call.rawInput = rawInput;
  if (rawOutput !== undefined) call.rawOutput = rawOutput;
  if (patch.cancellable ?? before?.cancellable) call.cancellable = true;
  return call;
}

function mergeWeights(before: Weights, patch: ToolPatch): Weights {
  const weights = { ...before };
  for (const member of MEMBERS) {
    const value = patch[member];
    if (value !== undefined) weights[member] = value === null ? 0 : weightOf(value);
  }
  if (patch.appendContent !== undefined) weights.content += weightOf(patch.appendContent);
  return weights;
}

const sum = (weights: Weights): number => MEMBERS.reduce((total, member) => total + weights[member], 0);

/** How a call stands is worth keeping where what it said is too much: the patch, down to a known status. */
const lightOf = ({ toolCallId, status }: ToolPatch): ToolPatch =>
  typeof status === 'string' && STATUSES.has(status) ? { toolCallId, status } : { toolCallId };

export interface Applied {
  toolCall: ToolCall;
  /** The id was not known before. */
  first: boolean;
  /** What the call as a whole costs to keep. */
  bytes: number;
  /** The patch was more than one call may hold: only the status of it was taken. */
  clipped: boolean;
}

interface Entry {
  call: ToolCall;
  weights: Weights;
  bytes: number;
}

/** The tool calls of one session. What it hands out are snapshots: a later patch makes a new one. */
export class ToolCallStore {
  readonly #entries = new Map<string, Entry>();
  #oldest = this.#entries.keys();
  #bytes = 0;

  constructor(private readonly limits = { calls: TOOL_CALLS_LIMIT, bytes: TOOL_CALLS_LIMIT_BYTES }) {}

  get(toolCallId: string): ToolCall | undefined {
    return this.#entries.get(toolCallId)?.call;
  }

  apply(patch: ToolPatch): Applied {
    const before = this.#entries.get(patch.toolCallId);
    let taken = patch;
    let weights = mergeWeights(before?.weights ?? WEIGHTLESS, patch);
    const added = patch.appendContent?.length ?? 0;
    const clipped =
      sum(weights) > this.limits.bytes ||
      (added > 0 && (patch.content ?? before?.call.content ?? []).length + added > CONTENT_LIMIT);
    if (clipped) {
      taken = lightOf(patch);
      weights = before?.weights ?? WEIGHTLESS;
    }
    const entry: Entry = {
      call: mergeTool(before?.call, taken),
      weights,
      bytes: sum(weights) + patch.toolCallId.length,
    };
    this.#entries.set(patch.toolCallId, entry);
    this.#bytes += entry.bytes - (before?.bytes ?? 0);
    this.#forgetOldest(patch.toolCallId);
    return { toolCall: entry.call, first: before === undefined, bytes: entry.bytes, clipped };
  }

  /** Marks a call `cancelled` here unless it has ended. What the agent says of it later wins. */
  cancelUnfinished(toolCallId: string): ToolCall | undefined {
    const entry = this.#entries.get(toolCallId);
    if (entry === undefined) return undefined;
    if (!FINISHED.has(entry.call.status)) entry.call = { ...entry.call, status: 'cancelled' };
    return entry.call;
  }

  /** Goes on from where it last stopped: a new iterator would walk over the holes that the forgotten left. */
  #forgetOldest(keep: string): void {
    while ((this.#entries.size > this.limits.calls || this.#bytes > this.limits.bytes) && this.#entries.size > 1) {
      const { value: id, done } = this.#oldest.next();
      if (done === true) this.#oldest = this.#entries.keys();
      else if (id !== keep) {
        this.#bytes -= this.#entries.get(id)?.bytes ?? 0;
        this.#entries.delete(id);
      }
    }
  }
}
