import { readCommands } from './configOptions.js';
import { chunk, wholeMessage } from './messages.js';
import type { NormalUpdate } from './normal.js';
import { readConfig, readUsage } from './results.js';
import { readContentChunk, readToolPatch, type Nulls } from './toolCalls.js';
import { terminalOutputChunk, terminalUpdate } from './terminals.js';
import { isObject, textOf, type JsonObject } from './values.js';

/** Reads one kind of `session/update`. `undefined`: of that kind, and not to be read. */
type Reader = (update: JsonObject) => NormalUpdate | undefined;

const tool =
  (nulls: Nulls): Reader =>
  (update) => {
    const patch = readToolPatch(update, nulls);
    return patch && { kind: 'tool', patch, raw: update };
  };

const toolContent: Reader = (update) => {
  const patch = readContentChunk(update);
  return patch && { kind: 'tool', patch, raw: update };
};

type PlanEntries = Extract<NormalUpdate, { kind: 'plan' }>['entries'];

/** A plan replaces the one before, so that a list which cannot be read must not pass for an empty one. */
function entriesOf(value: unknown): PlanEntries | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries: PlanEntries = [];
  for (const entry of value as unknown[]) {
    if (!isObject(entry) || typeof entry['content'] !== 'string') continue;
    const { content, status, priority } = entry;
    entries.push({ content, status: textOf(status) ?? '', priority: textOf(priority) ?? '' });
  }
  return entries;
}

const plan: Reader = (update) => {
  const entries = entriesOf(update['entries']);
  return entries && { kind: 'plan', entries, raw: update };
};

/** Plans of another type than `items` (a file, markdown) are known by their id and have no entries; `raw` has the rest. */
const planUpdate: Reader = (update) => {
  const { plan: body } = update;
  if (!isObject(body)) return undefined;
  const entries = body['type'] === 'items' ? entriesOf(body['entries']) : [];
  if (entries === undefined) return undefined;
  const planId = textOf(body['planId']);
  return planId === undefined ? { kind: 'plan', entries, raw: update } : { kind: 'plan', entries, planId, raw: update };
};

const planRemoved: Reader = (update) => {
  const planId = textOf(update['planId']);
  return planId === undefined ? undefined : { kind: 'plan', entries: [], planId, raw: update };
};

const commands: Reader = (update) => {
  const list = update['availableCommands'];
  return Array.isArray(list) ? { kind: 'commands', commands: readCommands(list), raw: update } : undefined;
};

/** The schema says `currentModeId`, v1's page on modes says `modeId`. */
const mode: Reader = (update) => {
  const modeId = textOf(update['currentModeId']) ?? textOf(update['modeId']);
  return modeId === undefined ? undefined : { kind: 'mode', modeId, raw: update };
};

const config: Reader = (update) => {
  const options = readConfig(update);
  return options && { kind: 'config', config: options, raw: update };
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Agents send a null `used`, and a cost without a currency: what cannot be read is as good as absent. */
const usage: Reader = (update) => {
  const { used, size, cost } = update;
  const read: Extract<NormalUpdate, { kind: 'usage' }> = { kind: 'usage', raw: update };
  if (isCount(used) && isCount(size)) read.context = { used, size };
  if (cost === null) read.cost = null;
  if (isObject(cost) && Number.isFinite(cost['amount']) && typeof cost['currency'] === 'string') {
    read.cost = { amount: cost['amount'] as number, currency: cost['currency'] };
  }
  return read;
};

/** Absent is unchanged, null clears, in both versions. */
const sessionInfo: Reader = (update) => {
  const { title, updatedAt } = update;
  const read: Extract<NormalUpdate, { kind: 'info' }> = { kind: 'info', raw: update };
  if (title === null || typeof title === 'string') read.title = title;
  if (updatedAt === null || typeof updatedAt === 'string') read.updatedAt = updatedAt;
  return read;
};
const info: Reader = (update) => ({ kind: 'info', raw: update });
const child: Reader = (update) => {
  const childId = textOf(update['sessionId']);
  return childId === undefined || childId === '' ? undefined : { kind: 'info', childId, raw: update };
};
const notice: Reader = (update) => ({ kind: 'notice', raw: update });

const state: Reader = (update) => {
  const name = update['state'];
  if (typeof name !== 'string') return undefined;
  const read: Extract<NormalUpdate, { kind: 'state' }> = { kind: 'state', state: name, raw: update };
  const stopReason = textOf(update['stopReason']);
  if (stopReason !== undefined) read.stopReason = stopReason;
  const { error } = update;
  if (stopReason === 'error' && isObject(error) && Number.isSafeInteger(error['code'])) {
    read.errorCode = error['code'] as number;
  }
  const tokens = readUsage(update['usage']);
  if (tokens !== undefined) read.usage = tokens;
  return read;
};

const AGENT_TEXT = 'agent_message_chunk';
const agentText = chunk('text');

/** Words of either version that are safe to read in both: the drafts overlap, and agents mix them. */
const shared = (nulls: Nulls): [string, Reader][] => [
  [AGENT_TEXT, agentText],
  ['agent_thought_chunk', chunk('thought')],
  ['user_message_chunk', chunk('user')],
  ['tool_call', tool(nulls)],
  ['tool_call_update', tool(nulls)],
  ['tool_call_content_chunk', toolContent],
  ['plan', plan],
  ['plan_update', planUpdate],
  ['plan_removed', planRemoved],
  ['available_commands_update', commands],
  ['current_mode_update', mode],
  ['config_option_update', config],
  ['usage_update', usage],
  ['session_info_update', sessionInfo],
  ['terminal_update', terminalUpdate],
  ['terminal_output_chunk', terminalOutputChunk],
  ['subagent_update', child],
  ['session_message', info],
  ['session_message_chunk', info],
  ['notice', notice],
  ['compaction_update', notice],
  ['compaction_summary_chunk', notice],
];

/** What ends a turn or takes text back is read only where v2 was agreed. */
const v2Only: [string, Reader][] = [
  ['agent_message', wholeMessage('text')],
  ['agent_thought', wholeMessage('thought')],
  ['user_message', wholeMessage('user')],
  ['state_update', state],
];

const V1_WORDS: ReadonlyMap<string, Reader> = new Map(shared('unchanged'));
const V2_WORDS: ReadonlyMap<string, Reader> = new Map([...shared('clear'), ...v2Only]);

function readUpdate(words: ReadonlyMap<string, Reader>, update: unknown): NormalUpdate {
  if (!isObject(update)) return { kind: 'unknown', known: false, raw: update };
  const word = update['sessionUpdate'];
  // Most of all frames: to compare is cheaper than to hash a string that was never seen before.
  const read = word === AGENT_TEXT ? agentText : typeof word === 'string' ? words.get(word) : undefined;
  if (read === undefined) return { kind: 'unknown', known: false, raw: update };
  return read(update) ?? { kind: 'unknown', known: true, raw: update };
}

export const readUpdateV1 = (update: unknown): NormalUpdate => readUpdate(V1_WORDS, update);
export const readUpdateV2 = (update: unknown): NormalUpdate => readUpdate(V2_WORDS, update);

/** Whether a kind of update is one that this version, or a draft of it, has. */
export const isUpdateKind = (version: 1 | 2, word: string): boolean => (version === 1 ? V1_WORDS : V2_WORDS).has(word);
