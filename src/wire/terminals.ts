import type { NormalUpdate, TerminalPatch } from './normal.js';
import { isObject, textOf, type JsonObject } from './values.js';

type Patched = NormalUpdate | undefined;

/** The agent's own terminals, which only v2 has. Absent is unchanged, null clears, bytes are base64. */
function word(value: unknown): string | null | undefined {
  return value === null ? null : textOf(value);
}

/** Lenient as Node is: what is no base64 is passed over. */
const bytesOf = (value: unknown): Buffer | undefined =>
  typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;

function exitOf(value: unknown): TerminalPatch['exitStatus'] {
  if (!isObject(value)) return value === null ? null : undefined;
  const { exitCode, signal } = value;
  return { exitCode: Number.isSafeInteger(exitCode) ? (exitCode as number) : null, signal: textOf(signal) ?? null };
}

/** `capabilities` of a tool call or a terminal: `cancel` present means that the client may cancel it. Malformed is none. */
export function cancellableBy(value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  return isObject(value) && isObject(value['cancel']);
}

export function terminalUpdate(update: JsonObject): Patched {
  const { terminalId, command, cwd, output, exitStatus, capabilities } = update;
  if (typeof terminalId !== 'string') return undefined;
  const patch: TerminalPatch = { terminalId };
  const bytes = isObject(output) ? bytesOf(output['data']) : output === null ? null : undefined;
  const read = { command: word(command), cwd: word(cwd), output: bytes, exitStatus: exitOf(exitStatus) };
  const members = { ...read, cancellable: cancellableBy(capabilities) };
  Object.assign(patch, Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
  return { kind: 'terminal', patch, raw: update };
}

export function terminalOutputChunk(update: JsonObject): Patched {
  const { terminalId, data } = update;
  const appendOutput = bytesOf(data);
  if (typeof terminalId !== 'string' || appendOutput === undefined) return undefined;
  return { kind: 'terminal', patch: { terminalId, appendOutput }, raw: update };
}
