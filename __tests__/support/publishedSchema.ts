/** Whole frames against the JSON schemas that the reference SDK publishes. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ClientFrame } from './scriptedAgent.js';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  'x-method'?: string;
  'x-side'?: string;
}
type Published = Schema & { $defs: Record<string, Schema> };

const SCHEMAS = '../../node_modules/@agentclientprotocol/sdk/schema';
const published = (version: 1 | 2, file: string): Published =>
  JSON.parse(readFileSync(new URL(`${SCHEMAS}/v${version}/${file}.json`, import.meta.url), 'utf8'));

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
/** The stable schema first; what only the unstable one knows is looked up there. */
const BOOKS = ([1, 2] as const).flatMap((version) =>
  ['schema', 'schema.unstable'].map((file) => {
    const schema = published(version, file);
    const key = `v${version}-${file}`;
    ajv.addSchema(schema, key);
    return { version, key, schema };
  }),
);

/** The definition of what goes under a method: `side` is who serves the method; some both do. */
function definition(version: 1 | 2, method: string, side: 'agent' | 'client', ending: RegExp) {
  for (const { version: of, key, schema } of BOOKS) {
    if (of !== version) continue;
    const name = Object.keys(schema.$defs).find((each) => {
      const { 'x-method': named, 'x-side': served } = schema.$defs[each]!;
      return named === method && (served === side || served === 'protocol') && ending.test(each);
    });
    if (name !== undefined) return { key, schema, name };
  }
  return undefined;
}

/** The members that a definition knows, in all its branches. */
const membersOf = (schema: Published, at: Schema): string[] => [
  ...Object.keys(at.properties ?? {}),
  ...[...(at.anyOf ?? []), ...(at.allOf ?? []), ...(at.oneOf ?? [])].flatMap((branch) => membersOf(schema, branch)),
  ...(at.$ref === undefined ? [] : membersOf(schema, schema.$defs[at.$ref.split('/').at(-1)!]!)),
];

function faultsOf(found: ReturnType<typeof definition>, value: unknown): string[] {
  if (!found) return ['not in the schema'];
  const validate = ajv.getSchema(`${found.key}#/$defs/${found.name}`)!;
  if (!validate(value)) return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const known = membersOf(found.schema, found.schema.$defs[found.name]!);
  return Object.keys(value as object)
    .filter((member) => !known.includes(member))
    .map((member) => `${member} is not known`);
}

const named = (version: 1 | 2, name: string): ReturnType<typeof definition> => {
  const { key, schema } = BOOKS.find(({ version: of }) => of === version)!;
  return { key, schema, name };
};

const unknownMembers = (frame: object, known: readonly string[]): string[] =>
  Object.keys(frame)
    .filter((member) => !known.includes(member))
    .map((member) => `${member} is no member of such a frame`);

/** Whether a method that the client calls is in the schemas of a version, the unstable ones included. */
export const isPublished = (version: 1 | 2, method: string): boolean =>
  definition(version, method, 'agent', /(Request|Notification)$/) !== undefined;

/**
 * What is wrong with a frame that the client wrote. `asked`: the method of the agent's request that it answers. Empty: it
 * conforms, and has no member that the schema does not know.
 */
export function faultsOfFrame(version: 1 | 2, frame: ClientFrame, asked?: string): string[] {
  const { id, method, params, result, error } = frame;
  const envelope = (frame as { jsonrpc: unknown }).jsonrpc === '2.0' ? [] : ['jsonrpc is not 2.0'];
  if (method !== undefined && id !== undefined) {
    const odd = unknownMembers(frame, ['jsonrpc', 'id', 'method', 'params']);
    const request = definition(version, method, 'agent', /Request$/);
    return [...envelope, ...odd, ...faultsOf(named(version, 'RequestId'), id), ...faultsOf(request, params)];
  }
  if (method !== undefined) {
    const odd = unknownMembers(frame, ['jsonrpc', 'method', 'params']);
    return [...envelope, ...odd, ...faultsOf(definition(version, method, 'agent', /Notification$/), params)];
  }
  if (error !== undefined) {
    const odd = unknownMembers(frame, ['jsonrpc', 'id', 'error']);
    return [...envelope, ...odd, ...faultsOf(named(version, 'Error'), error)];
  }
  const odd = unknownMembers(frame, ['jsonrpc', 'id', 'result']);
  const response = definition(version, asked ?? '', 'client', /Response$/);
  return [...envelope, ...odd, ...faultsOf(response, result)];
}
