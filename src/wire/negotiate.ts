import { readAuthMethods } from './authMethods.js';
import { readModels } from './configOptions.js';
import type { AgentFacts, Implementation, InitializeReading } from './normal.js';
import { InitializeSchema, readAs, SupportedVersionsSchema } from './schemas.js';
import { isObject, own, type JsonObject } from './values.js';

/** Which agent requests somebody answers here. What is absent or false is not advertised. */
export interface HandlerPresence {
  fs?: { read?: boolean | undefined; write?: boolean | undefined } | undefined;
  terminal?: boolean | undefined;
  elicitation?: { form?: boolean | undefined; url?: boolean | undefined } | undefined;
}

/** `{}` as elicitation advertises no mode, so that it is left out instead. Both versions write it alike. */
function elicitationOf(handlers: HandlerPresence): JsonObject {
  const { form = false, url = false } = handlers.elicitation ?? {};
  if (!form && !url) return {};
  return { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } };
}

/** v2 has no fs and no terminal methods, hence no words for them. */
const capabilitiesV2 = elicitationOf;

/** False is said, not left out: a v1 agent that takes an absent member for yes would block its turn on a request nobody serves. */
const capabilitiesV1 = (handlers: HandlerPresence): JsonObject => ({
  fs: { readTextFile: handlers.fs?.read ?? false, writeTextFile: handlers.fs?.write ?? false },
  terminal: handlers.terminal ?? false,
  ...elicitationOf(handlers),
});

/**
 * The params of `initialize`. An offer of 2 carries the members of both versions: v2 agents refuse a body without `info`, v1
 * agents read `clientInfo` and `clientCapabilities`, and either ignores the other's. An offer of 1 is pure v1.
 */
export function initializeParams(
  version: 1 | 2,
  client: Implementation,
  handlers: HandlerPresence = {},
): Record<string, unknown> {
  const { name, title, version: release } = client;
  const info = { name, ...(title === undefined ? {} : { title }), version: release };
  const v1 = { clientInfo: info, clientCapabilities: capabilitiesV1(handlers) };
  if (version === 1) return { protocolVersion: 1, ...v1 };
  return { protocolVersion: 2, info, capabilities: capabilitiesV2(handlers), ...v1 };
}

/** The word of both codex-acp and claude-agent-acp, outside of the capability object. */
function steersBy(meta: unknown): boolean {
  const steering = isObject(meta) ? own(meta, 'steering') : undefined;
  return isObject(steering) && own(steering, 'supported') === true;
}

/**
 * Reads an `initialize` answer. Which version the agent speaks is told by the members, not by the number: some agents echo any
 * number and speak v1.
 *
 * @param asked the version offered in the request that this answers. An echo of 2 is `echo` (ask again, for 1); in answer
 *   to 1 it is agreed as 1.
 * @param accepted the versions that the caller is ready to speak. Any other that the agent chooses is `unsupported`.
 */
export function readInitialize(
  result: unknown,
  asked: 1 | 2,
  accepted: readonly (1 | 2)[] = [1, 2],
): InitializeReading {
  const answer = readAs(InitializeSchema, result);
  if (answer === undefined || !isObject(result)) return { kind: 'unsupported' };
  const { info, capabilities, agentCapabilities } = answer;
  const shapedAsV2 = info !== undefined || (capabilities !== undefined && agentCapabilities === undefined);
  const version = answer.protocolVersion === 2 && shapedAsV2 ? 2 : 1;
  if (!accepted.includes(version)) return { kind: 'unsupported' };
  const who = version === 2 ? info : answer.agentInfo;
  const facts: AgentFacts = {
    version,
    name: who?.name ?? '',
    agentVersion: who?.version ?? '',
    capabilities: (version === 2 ? capabilities : agentCapabilities) ?? {},
    authMethods: readAuthMethods(answer.authMethods),
    steers: steersBy(result['_meta']),
  };
  const models = readModels(result);
  if (models !== undefined) facts.models = models;
  if (who?.title !== undefined) facts.title = who.title;
  return { kind: version === 1 && answer.protocolVersion === 2 && asked === 2 ? 'echo' : 'agreed', facts };
}

/** The versions that a refusal by `-32022` names and this library speaks, newest first. `data` is the error's. */
export function supportedVersions(data: unknown): (1 | 2)[] {
  const named = readAs(SupportedVersionsSchema, data)?.supported ?? [];
  return ([2, 1] as const).filter((version) => named.includes(version));
}
