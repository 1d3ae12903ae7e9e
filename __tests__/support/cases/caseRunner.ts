/**
 * Runs one case of `fixtures/cases` as its README defines it: the library drives a real process that plays the script.
 * The one runner of `__tests__/cases.test.ts` and of `npm run cases -- DIR`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCase } from './caseFile.js';
import { type Api, Host } from './host.js';
import { judge, type Observed } from './judge.js';
import { carryOutPlan, Happenings, Sleeper } from './plan.js';
import { kill, livingOf } from './processes.js';
import { Report } from './report.js';

const POLL_MS = 20;
const VERDICT_MS = 5_000;
const SETTLING_MS = 100;
/** A failed connection ends its process in the background: three stages of close, each with its grace. */
const GONE_MS = 10_000;

export interface RunnerOptions {
  readonly api: Api;
  /** `fixtures/cases/launch.mjs`. */
  readonly launcher: string;
  /** The compiled `src/fake/caseAgent.ts`. */
  readonly player: string;
}

/** Gives every difference between the run and what the case expects: none is a pass. */
export async function runCase(casePath: string, { api, launcher, player }: RunnerOptions): Promise<string[]> {
  const file = readCase(casePath);
  const folder = await mkdtemp(join(tmpdir(), 'wire-case-'));
  const report = new Report(join(folder, 'report.jsonl'));
  const sleeper = new Sleeper();
  const happenings = new Happenings();
  const sleep = (ms: number): Promise<void> => sleeper.sleep(ms);
  const until = async (what: () => boolean, ms: number): Promise<void> => {
    for (const end = performance.now() + ms; !what() && performance.now() < end;) await sleep(POLL_MS);
  };
  const host = new Host(api, file, casePath, launcher, report, player, (name) => happenings.fire(name), sleep);
  const failures: unknown[] = [];
  try {
    const outcomes = await carryOutPlan(file, host, happenings, failures);
    if (host.agent?.state === 'ready') {
      await until(() => report.hasVerdict(), VERDICT_MS);
      await sleep(SETTLING_MS);
    }
    const state = await stateOf(host, sleep, failures);
    await host.agent?.close();
    const agents = (): number[] => livingOf([...report.pids, ...report.grandchildren]);
    await until(() => agents().length === 0, GONE_MS);
    const seen: Observed = {
      ...state,
      outcomes,
      outOfTurnText: host.outOfTurnText,
      permissions: report.permissionAnswers(file.agentScript),
      living: agents(),
      verdicts: report.verdicts(),
      failures,
      resolveId: (id) => report.resolve(id),
    };
    return judge(file.expected, seen);
  } finally {
    sleeper.stop();
    kill(livingOf([...report.pids, ...report.grandchildren]));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Counters, session and connection, read before the connection is closed. */
async function stateOf(
  host: Host,
  sleep: (ms: number) => Promise<void>,
  failures: unknown[],
): Promise<Pick<Observed, 'stats' | 'sessionState' | 'connection'>> {
  const { agent, failed, session } = host;
  const stats = agent?.stats ?? failed?.stats;
  const sessionState = session && {
    configValue: Object.fromEntries(session.options.config.map((option) => [option.id, option.value])),
    modeId: session.options.modes.current,
    commands: session.commands,
  };
  let connection: string = failed?.kind ?? 'never made';
  if (agent?.state === 'ready') connection = 'open';
  else if (agent) {
    const info = await Promise.race([agent.closed, sleep(GONE_MS)]);
    if (info?.error) failures.push(info.error);
    connection = info?.reason ?? 'never closed';
  }
  return { stats: stats && { ...stats }, sessionState, connection };
}
