/** The host program of a case: one connection at a time, what it is handed, and how it decides permissions. */
import { fileURLToPath } from 'node:url';
import type * as Library from '../../../src/index.js';
import { type CaseFile, type PlannedCall, segmentsOf } from './caseFile.js';
import type { Report } from './report.js';

export type { Library };
/** The part of the library that the runner needs: from `src` under jest, from `dist` in `npm run cases`. */
export type Api = Pick<typeof Library, 'connect' | 'policy' | 'AcpError'>;
type Agent = Library.Agent;
type Session = Library.Session;
type Turn = Library.Turn;
type PermissionRequest = Library.PermissionRequest;

/** Updates of one prompt whose handling has finished. */
export interface Tally {
  updates: number;
  readonly delayMs: number;
}

export class Host {
  agent: Agent | undefined;
  /** Of the newest connection, where it was never made. */
  failed: Library.AcpError | undefined;
  readonly sessions = new Map<string, Session>();
  /** Opened or loaded successfully last. */
  session: Session | undefined;
  turn: Turn | undefined;
  readonly outOfTurnText: string[] = [];
  /** Per session: the prompt whose turn runs. */
  readonly tallies = new Map<string, Tally>();
  readonly #held = new Map<string, (optionId: string | null) => void>();
  #updates = 0;
  #permissions = 0;
  #asked = 0;

  constructor(
    readonly api: Api,
    readonly file: CaseFile,
    readonly casePath: string,
    readonly launcher: string,
    readonly report: Report,
    /** `build/src/fake/caseAgent.js`, or where else it was built. */
    readonly player: string,
    /** Fires an event of the plan. */
    readonly fire: (event: string) => void,
    readonly sleep: (ms: number) => Promise<void>,
  ) {}

  boundsFor(call: string): { idleMs?: number; absoluteMs?: number } | undefined {
    const { idleMs, absoluteMs, budgetAppliesTo } = this.file.options;
    if (budgetAppliesTo !== call) return undefined;
    return { ...(idleMs === undefined ? {} : { idleMs }), ...(absoluteMs === undefined ? {} : { absoluteMs }) };
  }

  async connect(): Promise<Agent> {
    const { requestLimitMs, cancelGraceMs, maxFrameBytes, scope } = this.file.options;
    const steps = segmentsOf(this.file.agentScript)[this.report.segment] ?? [];
    const unstartable = steps.some((step) => 'spawnFails' in step);
    if (unstartable) this.report.addUnstartable();
    this.agent = undefined;
    this.failed = undefined;
    try {
      this.agent = await this.api.connect({
        command: unstartable ? fileURLToPath(new URL('./no-such-agent', import.meta.url)) : process.execPath,
        args: [this.launcher, this.casePath, this.player],
        env: { ...process.env, NODE_OPTIONS: undefined, FAKE_AGENT_REPORT: this.report.path },
        client: { name: 'wire-cases', version: '1.0.0' },
        budget: this.boundsFor('initialize'),
        permissions: this.#policy(),
        on: { update: (update, where) => this.#onUpdate(update, where), permission: () => this.#onPermission() },
        ...(requestLimitMs === undefined ? {} : { requestLimitMs }),
        ...(cancelGraceMs === undefined ? {} : { cancelGraceMs }),
        ...(maxFrameBytes === undefined ? {} : { maxFrameBytes }),
        ...(scope === undefined ? {} : { scope }),
      });
      return this.agent;
    } catch (error) {
      if (error instanceof this.api.AcpError) this.failed = error;
      throw error;
    }
  }

  async drop(): Promise<void> {
    await this.agent?.close();
    this.agent = undefined;
    this.session = undefined;
    this.turn = undefined;
    this.sessions.clear();
  }

  opened(session: Session): Session {
    this.sessions.set(session.id, session);
    this.session = session;
    return session;
  }

  /** false where no such request was ever asked. */
  decide(call: PlannedCall): boolean {
    const held = this.#held.get(JSON.stringify(this.report.resolve(call.id)));
    held?.(call.optionId ?? null);
    return held !== undefined;
  }

  #policy(): Library.Policy | undefined {
    const { policy } = this.api;
    const { permission } = this.file.options;
    switch (permission?.policy) {
      case undefined:
        return undefined;
      case 'allowOnceByKind':
        return policy.unattended({ select: 'allow_once' });
      case 'sequence':
        return policy.ask(() => permission.answers?.[this.#asked++] ?? null);
      case 'hold':
        return policy.ask((request) => this.#hold(request));
      case 'deferred':
        return policy.ask(async (request) => {
          const decision = permission.decisions?.[JSON.stringify(request.requestId)];
          if (!decision) return this.#hold(request);
          await this.sleep(decision.afterMs);
          return decision.optionId;
        });
    }
  }

  #hold(request: PermissionRequest): Promise<string | null> {
    return new Promise((resolve) => this.#held.set(JSON.stringify(request.requestId), resolve));
  }

  #onPermission(): void {
    this.fire(`permission:${++this.#permissions}`);
  }

  #onUpdate(update: Library.Update, where: Library.Where): void | Promise<void> {
    if (where.phase === 'between' && update.kind === 'text') this.outOfTurnText.push(update.text);
    const tally = where.phase === 'turn' ? this.#tallyOf(where.sessionId) : undefined;
    this.fire(`update:${++this.#updates}`);
    if (!tally) return;
    if (tally.delayMs === 0) tally.updates++;
    else
      return this.sleep(tally.delayMs).then(() => {
        tally.updates++;
      });
  }

  /** Under the scope `accept` a turn is handed updates with foreign ids too. */
  #tallyOf(sessionId: string): Tally | undefined {
    const only = this.tallies.size === 1 ? [...this.tallies.values()][0] : undefined;
    return this.tallies.get(sessionId) ?? only;
  }
}
