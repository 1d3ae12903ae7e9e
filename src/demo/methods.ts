/** The requests that the demo agent serves, in both versions. What is wrong in them becomes an error answer. */
import { isAbsolute } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../framing/clock.js';
import { INVALID_PARAMS } from '../rpc/messages.js';
import { asRecord, Followed, methodNotFound, type Peer, Refusal } from './peer.js';
import { type DemoSession, Sessions } from './sessions.js';
import { DemoTurn } from './turn.js';
import { commandsUpdate, stateUpdate, type Words, wordsOf } from './words.js';

const INVALID_REQUEST = -32600;
const CONTEXT_SIZE = 100_000;
const LONGEST_TITLE = 60;

const invalid = (what: string): Refusal => new Refusal(INVALID_PARAMS, `Invalid params: ${what}`);

/** Plain text of a prompt. Blocks that no capability was advertised for are refused. */
function promptText(prompt: unknown): string {
  if (!Array.isArray(prompt) || prompt.length === 0) throw invalid('prompt');
  const texts = prompt.map((block) => {
    const { type, text, uri } = asRecord(block) ?? {};
    if (type === 'text' && typeof text === 'string') return text;
    if (type === 'resource_link' && typeof uri === 'string') return uri;
    throw invalid('prompt');
  });
  return texts.join('\n');
}

export interface MethodsOptions {
  readonly clock: Clock;
  readonly paceMs: number;
  readonly newestVersion: 1 | 2;
}

export class Methods {
  #words: Words | undefined;
  #sessionsAsked = false;
  readonly #sessions = new Sessions();
  readonly #options: MethodsOptions;
  readonly #peer: () => Peer;

  constructor(options: MethodsOptions, peer: () => Peer) {
    this.#options = options;
    this.#peer = peer;
  }

  request(method: string, params: unknown, id: unknown): unknown {
    const given = asRecord(params) ?? {};
    if (method === 'initialize') return this.#initialize(given);
    const words = this.#words;
    if (!words) throw new Refusal(INVALID_REQUEST, 'Not initialized');
    this.#sessionsAsked = true;
    switch (method) {
      case 'session/new':
        return this.#new(given, words);
      case 'session/load':
        if (words.version === 1) return this.#reopen(given, words, true);
        break;
      case 'session/resume':
        return this.#reopen(given, words, words.version === 2 && asRecord(given['replayFrom'])?.['type'] === 'start');
      case 'session/list':
        return this.#list(given);
      case 'session/close':
        return this.#close(given);
      case 'session/prompt':
        return this.#prompt(given, words, id);
      case 'session/set_config_option':
        return this.#setOption(given, words);
      case 'session/set_mode':
        if (words.version === 1) return this.#setMode(given, words);
        break;
    }
    throw methodNotFound();
  }

  notification(method: string, params: unknown): void {
    const given = asRecord(params) ?? {};
    if (method === 'session/cancel') this.#sessions.find(given['sessionId'])?.turn?.stop.abort();
    if (method === '$/cancel_request') {
      const turn = this.#sessions.all().find((session) => session.turn?.requestId === given['requestId'])?.turn;
      turn?.stop.abort();
    }
  }

  /** The client has gone: nobody waits for what still runs. */
  async stopAll(): Promise<void> {
    const turns = this.#sessions.all().flatMap((session) => session.turn ?? []);
    for (const turn of turns) turn.stop.abort();
    await Promise.all(turns.map((turn) => turn.done));
  }

  #initialize(given: Record<string, unknown>): object {
    const offered = given['protocolVersion'];
    if (!Number.isInteger(offered)) throw invalid('protocolVersion');
    if (this.#sessionsAsked) throw new Refusal(INVALID_REQUEST, 'Already initialized');
    const speaksTwo = this.#options.newestVersion === 2 && (offered as number) >= 2 && asRecord(given['info']);
    this.#words = wordsOf(speaksTwo ? 2 : 1);
    return this.#words.initialized();
  }

  #new(given: Record<string, unknown>, words: Words): object {
    const session = this.#sessions.create(this.#checkedCwd(given, words));
    return this.#withCommands(session, words, { sessionId: session.id });
  }

  async #reopen(given: Record<string, unknown>, words: Words, replay: boolean): Promise<object> {
    const session = this.#sessions.known(given['sessionId']);
    session.cwd = this.#checkedCwd(given, words);
    session.open = true;
    if (replay) {
      for (const update of [...session.history]) {
        this.#update(session, update);
        await this.#peer().drained();
      }
    }
    // The answer alone does not say that the session is idle: v2 wants the state before it.
    if (words.version === 2) this.#update(session, stateUpdate(session.turn ? 'running' : 'idle'));
    return this.#withCommands(session, words);
  }

  #list(given: Record<string, unknown>): object {
    const { cwd, cursor } = given;
    if (cursor !== undefined && cursor !== null) throw invalid('cursor');
    const wanted = this.#sessions.all().filter((session) => typeof cwd !== 'string' || session.cwd === cwd);
    const sessions = wanted.map(({ id, cwd, title, updatedAt }) => ({
      sessionId: id,
      cwd,
      updatedAt,
      ...(title === undefined ? {} : { title }),
    }));
    return { sessions };
  }

  async #close(given: Record<string, unknown>): Promise<object> {
    const session = this.#sessions.opened(given['sessionId']);
    session.turn?.stop.abort();
    await session.turn?.done;
    session.open = false;
    return {};
  }

  #prompt(given: Record<string, unknown>, words: Words, requestId: unknown): unknown {
    const session = this.#sessions.opened(given['sessionId']);
    if (session.turn) throw new Refusal(INVALID_REQUEST, 'A turn is running');
    const text = promptText(given['prompt']);
    const messageId = randomUUID();
    const said = words.message('user', messageId, text);
    session.history.push(said);
    if (words.version === 2) {
      this.#update(session, stateUpdate('running'));
      this.#update(session, said);
    }
    const stop = new AbortController();
    const { clock, paceMs } = this.#options;
    const turn = new DemoTurn({ peer: this.#peer(), words, session, clock, paceMs, signal: stop.signal });
    const done = this.#finished(session, words, text, turn);
    session.turn = { requestId, stop, done };
    return words.version === 1 ? done : { messageId };
  }

  /** v1 ends a turn with the answer to its prompt, v2 with an idle state. */
  async #finished(session: DemoSession, words: Words, text: string, turn: DemoTurn): Promise<object> {
    const before = session.usedTokens;
    const stopReason = await turn.run(text);
    session.updatedAt = new Date().toISOString();
    if (session.title === undefined) {
      session.title = text.trim().slice(0, LONGEST_TITLE);
      const { title, updatedAt } = session;
      this.#update(session, { sessionUpdate: 'session_info_update', title, updatedAt });
    }
    this.#update(session, { sessionUpdate: 'usage_update', used: session.usedTokens, size: CONTEXT_SIZE });
    const outputTokens = session.usedTokens - before;
    const usage = { inputTokens: text.length, outputTokens, totalTokens: text.length + outputTokens };
    session.turn = undefined;
    if (words.version === 2) this.#update(session, stateUpdate('idle', { stopReason, usage }));
    return { stopReason, usage };
  }

  #setOption(given: Record<string, unknown>, words: Words): object {
    const session = this.#sessions.opened(given['sessionId']);
    const { configId, value, type } = given;
    if (words.version === 2 && type !== 'id') throw invalid('type');
    const mode = session.settings.mode;
    if (!session.settings.choose(configId, value)) throw invalid('configId or value');
    if (words.version === 1 && session.settings.mode !== mode) {
      this.#update(session, { sessionUpdate: 'current_mode_update', currentModeId: session.settings.mode });
    }
    return { configOptions: words.configOptions(session.settings) };
  }

  #setMode(given: Record<string, unknown>, words: Words): object {
    const session = this.#sessions.opened(given['sessionId']);
    if (!session.settings.choose('mode', given['modeId'])) throw invalid('modeId');
    const configOptions = words.configOptions(session.settings);
    this.#update(session, { sessionUpdate: 'config_option_update', configOptions });
    return {};
  }

  #checkedCwd(given: Record<string, unknown>, words: Words): string {
    const { cwd, mcpServers } = given;
    if (typeof cwd !== 'string' || !isAbsolute(cwd)) throw invalid('cwd');
    // v1 requires the list; it may be empty.
    if (!Array.isArray(mcpServers) && (words.version === 1 || mcpServers !== undefined)) throw invalid('mcpServers');
    return cwd;
  }

  /** v2 has the commands in the result. Under v1 they follow it, when every client knows the id. */
  #withCommands(session: DemoSession, words: Words, first: object = {}): object {
    const result = { ...first, ...words.sessionResult(session.settings) };
    return words.version === 2 ? result : new Followed(result, () => this.#update(session, commandsUpdate()));
  }

  #update(session: DemoSession, update: object): void {
    this.#peer().notify('session/update', { sessionId: session.id, update });
  }
}
