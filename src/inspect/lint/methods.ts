/** Whose each method is to call, in which form and version, and whether the other side had said that it serves it. */
import { advertisesV1, advertisesV2, CAPABILITY_OF_CALL } from '../../wire/capabilities.js';
import { isExtension, methodOf, type Side } from '../../wire/methods.js';
import { readInitialize } from '../../wire/negotiate.js';
import { isObject, type JsonObject } from '../../wire/values.js';
import { memberOf, other, type Rules, type Seen, type Tell } from './breach.js';

const SERVED_BY_CLIENT: ReadonlyMap<string, string> = new Map([
  ['fs/read_text_file', 'fs.readTextFile'],
  ['fs/write_text_file', 'fs.writeTextFile'],
  ...['create', 'output', 'release', 'wait_for_exit', 'kill'].map((name): [string, string] => [
    `terminal/${name}`,
    'terminal',
  ]),
]);
const SERVED_BY_AGENT: ReadonlyMap<string, string> = new Map(Object.entries(CAPABILITY_OF_CALL));
const capabilitiesIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export class MethodRules implements Rules {
  readonly #tell: Tell;
  /** Agreed; undefined before. */
  version: 1 | 2 | undefined;
  #clientCan: JsonObject = {};
  #agentCan: JsonObject = {};

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  frame(seen: Seen): void {
    const { envelope } = seen;
    if (envelope.kind === 'request' || envelope.kind === 'notification') this.#called(seen, envelope.method);
    if (envelope.kind === 'response' && seen.asked?.method === 'initialize' && envelope.answer.kind === 'result') {
      this.#agreed(seen.asked.params, envelope.answer.result);
    }
  }

  #agreed(params: unknown, result: unknown): void {
    const reading = readInitialize(result, memberOf(params, 'protocolVersion') === 2 ? 2 : 1);
    if (reading.kind === 'unsupported') return;
    this.version = reading.facts.version;
    this.#agentCan = reading.facts.capabilities;
    this.#clientCan = capabilitiesIn(memberOf(params, 'clientCapabilities') ?? memberOf(params, 'capabilities'));
  }

  #called({ line, by, session, envelope }: Seen, name: string): void {
    const breach = (rule: string, says: string): void => this.#tell({ line, by, session, rule, says });
    const method = methodOf(name);
    if (!method) {
      if (!isExtension(name)) breach('unknown-method', `${name} is no method of the protocol`);
      return;
    }
    const { from, form, only } = method;
    if (from !== 'either' && from !== by) {
      return breach('wrong-side', `${name} is the ${from}'s to send, not the ${by}'s`);
    }
    if (form !== 'either' && form !== envelope.kind) {
      return breach('wrong-form', `${name} is a ${form}, and was sent as a ${envelope.kind}`);
    }
    if (this.version === undefined) {
      if (name.startsWith('session/')) breach('before-initialize', `${name} before the version was agreed`);
      return;
    }
    if (only !== undefined && only !== this.version) {
      return breach('wrong-version', `${name} is of version ${only}; agreed is ${this.version}`);
    }
    this.#advertised(name, by, breach);
  }

  #advertised(name: string, by: Side, breach: (rule: string, says: string) => void): void {
    const path = (by === 'agent' ? SERVED_BY_CLIENT : SERVED_BY_AGENT).get(name);
    if (path === undefined) return;
    const can = by === 'agent' ? this.#clientCan : this.#agentCan;
    const advertised = this.version === 2 ? advertisesV2(can, path) : advertisesV1(can, path);
    if (!advertised) breach('not-advertised', `${name}, and the ${other(by)} does not advertise ${path}`);
  }
}
