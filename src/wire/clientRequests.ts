import * as v from 'valibot';
import { isObject, type JsonObject } from './values.js';

/**
 * The params of the agent's requests that a client may serve. Unlike what is read of an answer, nothing is made up here: one
 * member of a wrong type makes bad parameters of all, for the request is about to be carried out. Null is as good as absent.
 */
const text = v.string();
const named = v.pipe(v.string(), v.nonEmpty());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const optional = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));
const variable = v.object({ name: named, value: text });

const TERMINAL = v.object({ terminalId: named });
const PARAMS = {
  'fs/read_text_file': v.object({ path: named, line: optional(count), limit: optional(count) }),
  'fs/write_text_file': v.object({ path: named, content: text }),
  'terminal/create': v.object({
    command: named,
    args: optional(v.array(text)),
    env: optional(v.array(variable)),
    cwd: optional(named),
    outputByteLimit: optional(count),
  }),
  'terminal/output': TERMINAL,
  'terminal/wait_for_exit': TERMINAL,
  'terminal/kill': TERMINAL,
  'terminal/release': TERMINAL,
} as const;
export type ClientRequest = keyof typeof PARAMS;

export const isClientRequest = (method: string): method is ClientRequest => Object.hasOwn(PARAMS, method);

/** The members that the protocol knows. `undefined`: bad parameters. */
export function readClientRequest(method: ClientRequest, params: unknown): JsonObject | undefined {
  if (!isObject(params)) return undefined;
  const read = v.safeParse(PARAMS[method], params);
  if (!read.success) return undefined;
  return Object.fromEntries(Object.entries(read.output).filter(([, value]) => value !== null && value !== undefined));
}
