/** A connection from its first moment on: to a process that the path plays, or over streams. */
import { settle } from '../manualClock.js';
import type { Coverage } from './coverage.js';
import { CLOSE_GRACE_MS, FakeProcess } from './fakeProcess.js';
import { launchWith } from './fakeSpawn.js';
import { World } from './world.js';

export const BOUND_MS = 1_000;
export const CANCEL_GRACE_MS = 200;
export const MAX_FRAME_BYTES = 4_096;
export const METHOD = 'login';

const authMethods = [{ id: METHOD, name: 'Log in' }];
export const AGREES: Readonly<Record<number, object>> = {
  1: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { delete: {} } }, authMethods },
  2: {
    protocolVersion: 2,
    info: { name: 'scripted', version: '0' },
    capabilities: { session: { delete: {} } },
    authMethods: [{ methodId: METHOD, type: 'agent', name: 'Log in' }],
  },
};

export class ConnectionWorld extends World {
  readonly giveUp = new AbortController();
  readonly versions: readonly (1 | 2)[];
  readonly source: 'command' | 'streams';

  constructor(coverage: Coverage, options: { versions: readonly number[]; source: 'command' | 'streams' }) {
    super(coverage);
    this.versions = options.versions as (1 | 2)[];
    this.source = options.source;
  }

  get process(): FakeProcess {
    return this.processes.at(-1)!;
  }

  begin(prepare: () => void = () => {}): void {
    const options = {
      protocolVersions: this.versions,
      budget: { absoluteMs: BOUND_MS },
      signal: this.giveUp.signal,
      cancelGraceMs: CANCEL_GRACE_MS,
      closeGraceMs: CLOSE_GRACE_MS,
      maxFrameBytes: MAX_FRAME_BYTES,
    };
    launchWith((spawning) => {
      const process = new FakeProcess(spawning, this.newScript());
      process.script.leavesOnEof = false;
      this.processes.push(process);
      prepare();
      return process;
    });
    if (this.source === 'command') void this.connect({ ...options, command: 'agent' });
    else {
      const script = this.newScript();
      script.leavesOnEof = false;
      prepare();
      void this.connect({ ...options, transport: script.transport });
    }
  }

  /** What ended the connection; the first reason stays the reason. */
  ends(reason: string, connecting = reason): void {
    this.books.lose();
    this.promises.due('connect', connecting);
    this.promises.dueAll(['open', 'turn', 'auth', 'call'], reason);
    this.promises.eventually('agent.closed', `ok: ${reason.split(' ')[0]}`);
  }

  /** The agent is about to say what both can speak. */
  agrees(): void {
    this.books.initialized = true;
    this.promises.due('connect', 'ok');
  }

  /** By the rules of negotiation there is a lower version left to offer. */
  get offersLeft(): boolean {
    const offers = this.books.offers;
    return offers.length === 1 && this.versions.some((version) => version < offers[0]!);
  }

  /** A connection that is not over serves: a session is opened and a turn runs in it. */
  async probe(): Promise<void> {
    const { agent, promises, books, script } = this;
    if (!agent || books.lost) return;
    const session = books.session('s-probe');
    const opening = promises.track('probe', agent.newSession({ cwd: '/probe' }));
    await settle();
    const call = script.newest('session/new')!;
    session.phase = 'open';
    script.answer(call.id, { result: { sessionId: session.id } });
    promises.due('probe', 'ok');
    await settle();
    this.check();
    const { result } = (await opening).prompt('go');
    void promises.track('probed', result);
    await settle();
    script.answer(session.turn!.id, { result: { stopReason: 'end_turn' } });
    promises.due('probed', 'ok: completed end_turn');
    await settle();
    this.check();
  }
}
