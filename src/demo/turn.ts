/** One turn of the demo agent: what it says and does for which word of the prompt, and how it stops half-way. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../framing/clock.js';
import { demoFile, writeDemoFile } from './file.js';
import { asRecord, type Peer } from './peer.js';
import type { DemoSession } from './sessions.js';
import { type DemoTool, PERMISSION_OPTIONS, type PlanEntry, type Speaker, stateUpdate, type Words } from './words.js';

export interface TurnContext {
  readonly peer: Peer;
  readonly words: Words;
  readonly session: DemoSession;
  readonly clock: Clock;
  /** Between two updates. */
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/** Thrown at the next pause once the client cancelled. */
class Stopped extends Error {}

const WORDS_A_CHUNK = 2;
const SLOW_WORDS = 120;
const ANSWER = 'Hello from the demo agent. I think nothing and know nothing, but I speak the protocol.';

export class DemoTurn {
  readonly #at: TurnContext;

  constructor(context: TurnContext) {
    this.#at = context;
  }

  /** Never rejects but for faults of our own. Gives the stop reason; every update of the turn was sent before. */
  async run(text: string): Promise<'end_turn' | 'refusal' | 'cancelled'> {
    try {
      await this.#pause();
      return await this.#perform(text.toLowerCase());
    } catch (error) {
      if (error instanceof Stopped) return 'cancelled';
      throw error;
    }
  }

  async #perform(text: string): Promise<'end_turn' | 'refusal'> {
    const { effort } = this.#at.session.settings;
    const asked = (word: string): boolean => text.includes(word);
    if (asked('refuse')) return 'refusal';
    let acted = false;
    const act = async (wanted: boolean, what: () => Promise<void>): Promise<void> => {
      if (wanted) await what();
      acted ||= wanted;
    };
    if (asked('think') || effort === 'high' || effort === 'max') {
      await this.#speak('thought', 'The prompt holds a word that I know. I do what the word says.');
    }
    await act(asked('plan'), () => this.#plan());
    await act(asked('tool'), () => this.#search());
    await act(asked('write'), () => this.#write());
    await act(asked('slow'), () => this.#slow());
    if (!acted) await this.#speak('agent', `${ANSWER} (${this.#at.session.settings.model}, effort ${effort})`);
    return 'end_turn';
  }

  async #plan(): Promise<void> {
    const steps = ['Read the prompt', 'Make a plan of it', 'Say that it is done'];
    const entriesAt = (current: number): PlanEntry[] =>
      steps.map((content, i) => ({
        content,
        priority: i === 1 ? 'high' : 'medium',
        status: i < current ? 'completed' : i === current ? 'in_progress' : 'pending',
      }));
    for (let current = 0; current <= steps.length; current++) {
      this.#send(this.#at.words.plan(entriesAt(current)));
      await this.#pause();
    }
    this.#at.session.history.push(this.#at.words.plan(entriesAt(steps.length)));
    await this.#speak('agent', 'The plan is worked off.');
  }

  async #search(): Promise<void> {
    const tool = this.#newTool('search', 'Look for nothing in particular', this.#at.session.cwd);
    await this.#withTool(tool, async () => {
      await this.#toolIs(tool, 'in_progress');
      await this.#toolIs(tool, 'completed', 'Found it.');
    });
    await this.#speak('agent', 'The tool found what it looked for.');
  }

  async #write(): Promise<void> {
    const { session } = this.#at;
    const path = demoFile(session.cwd);
    if (session.settings.mode === 'plan') {
      return this.#speak('agent', 'In this mode I only plan. I wrote nothing.');
    }
    await this.#speak('agent', 'I would like to write a file. ');
    const tool = this.#newTool('edit', `Write ${path}`, path);
    const outcome = await this.#withTool(tool, async () => {
      const allowed = session.mayWrite || (await this.#ask(tool));
      if (!allowed) {
        await this.#toolIs(tool, 'cancelled');
        return 'Nobody allowed it. I wrote nothing.';
      }
      await this.#toolIs(tool, 'in_progress');
      const written = await writeDemoFile(session.cwd);
      await this.#toolIs(tool, written ? 'completed' : 'failed');
      return written ? 'The file is written.' : 'The file could not be written.';
    });
    await this.#speak('agent', outcome);
  }

  async #slow(): Promise<void> {
    await this.#speak('agent', Array.from({ length: SLOW_WORDS }, (_, i) => `word${i}`).join(' '));
  }

  /** Only an offered option of an allowing kind allows; an error, a dismissal or anything odd does not. */
  async #ask(tool: DemoTool): Promise<boolean> {
    const { peer, words, session, signal } = this.#at;
    if (words.version === 2) this.#send(stateUpdate('requires_action'));
    const { id, answer } = peer.request('session/request_permission', words.permission(session.id, tool));
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const given = signal.aborted ? undefined : await Promise.race([answer, stopped]);
    if (signal.aborted) {
      // Withdrawn, so that a client that keeps questions open over a cancel can close this one.
      if (!given) peer.notify('$/cancel_request', { requestId: id });
      throw new Stopped();
    }
    if (words.version === 2) this.#send(stateUpdate('running'));
    const outcome = asRecord(asRecord(given?.result)?.['outcome']);
    const option = PERMISSION_OPTIONS.find((one) => one.optionId === outcome?.['optionId']);
    if (outcome?.['outcome'] !== 'selected' || !option || option.kind === 'reject_once') return false;
    if (option.kind === 'allow_always') session.mayWrite = true;
    return true;
  }

  #newTool(kind: DemoTool['kind'], title: string, path: string): DemoTool {
    return { toolCallId: `call-${randomUUID()}`, title, kind, status: 'pending', path };
  }

  /** A tool call that is cut off is reported as such: none stays unfinished behind the turn. */
  async #withTool<T>(tool: DemoTool, work: () => Promise<T>): Promise<T> {
    this.#send(this.#at.words.tool(tool, true));
    try {
      await this.#pause();
      return await work();
    } catch (error) {
      if (tool.status === 'pending' || tool.status === 'in_progress') {
        tool.status = 'cancelled';
        this.#send(this.#at.words.tool(tool, false));
      }
      throw error;
    } finally {
      this.#at.session.history.push(this.#at.words.tool(tool, true));
    }
  }

  async #toolIs(tool: DemoTool, status: DemoTool['status'], content?: string): Promise<void> {
    tool.status = status;
    if (content !== undefined) tool.content = content;
    this.#send(this.#at.words.tool(tool, false));
    await this.#pause();
  }

  async #speak(speaker: Speaker, text: string): Promise<void> {
    const messageId = randomUUID();
    const pieces = text.match(/\S+\s*/g) ?? [];
    let said = '';
    try {
      for (let i = 0; i < pieces.length; i += WORDS_A_CHUNK) {
        const piece = pieces.slice(i, i + WORDS_A_CHUNK).join('');
        this.#send(this.#at.words.chunk(speaker, messageId, piece));
        said += piece;
        await this.#pause();
      }
    } finally {
      this.#at.session.history.push(this.#at.words.message(speaker, messageId, said));
    }
  }

  #send(update: object): void {
    this.#at.session.usedTokens += 1;
    this.#at.peer.notify('session/update', { sessionId: this.#at.session.id, update });
  }

  async #pause(): Promise<void> {
    const { clock, paceMs, peer, signal } = this.#at;
    await peer.drained();
    if (signal.aborted) throw new Stopped();
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clock.clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = clock.setTimeout(done, paceMs);
      signal.addEventListener('abort', done, { once: true });
    });
    if (signal.aborted) throw new Stopped();
  }
}
