/** Carries out one call of a host plan on the public API and records what came of it. */
import type { PlannedCall } from './caseFile.js';
import type { Host, Library, Tally } from './host.js';

export interface Outcome {
  call: string;
  /** `ok`, an error kind, or what went wrong with the run itself. */
  outcome: string;
  /** From the start of the call to its settlement. */
  ms: number;
  protocolVersion?: number;
  sessionId?: string;
  stopReason?: string | undefined;
  text?: string;
  updates?: number;
  cancelRequested?: boolean;
  agentErrorCode?: number;
  capability?: string;
}
type Fields = Omit<Outcome, 'call' | 'outcome' | 'ms'>;

/** Nothing to make the call on, because an earlier one failed. */
const NOTHING = Symbol('nothing');
type Done = Fields | typeof NOTHING;

export async function carryOut(host: Host, call: PlannedCall, sent: () => void, failures: unknown[]): Promise<Outcome> {
  const start = performance.now();
  const tally: Tally = { updates: 0, delayMs: call.consumerDelayMs ?? 0 };
  const record = (outcome: string, fields: Fields): Outcome => ({
    call: call.call,
    outcome,
    ms: performance.now() - start,
    ...(call.call === 'prompt' ? { updates: tally.updates } : {}),
    ...fields,
  });
  try {
    const done = await perform(host, call, sent, tally);
    return done === NOTHING ? record('closed', {}) : record('ok', done);
  } catch (error) {
    failures.push(error);
    if (!(error instanceof host.api.AcpError)) return record(`an untyped failure: ${String(error)}`, {});
    return record(error.kind, fieldsOf(error));
  }
}

function fieldsOf(error: Library.AcpError): Fields {
  const { turn } = error;
  return {
    ...(turn ? { text: turn.text, cancelRequested: turn.cancelRequested } : {}),
    ...(error.kind === 'agent-error' ? { agentErrorCode: error.agentCode } : {}),
    ...(error.kind === 'capability-absent' ? { capability: error.capability } : {}),
  };
}

async function perform(host: Host, call: PlannedCall, sent: () => void, tally: Tally): Promise<Done> {
  const { agent, session } = host;
  const bounds = { budget: host.boundsFor(call.call) };
  switch (call.call) {
    case 'initialize':
      return { protocolVersion: (await host.connect()).info.protocolVersion };
    case 'newSession': {
      if (!agent) return NOTHING;
      const { id } = host.opened(await agent.newSession({ cwd: call.cwd, mcpServers: call.mcpServers, ...bounds }));
      return { sessionId: id };
    }
    case 'loadSession': {
      if (!agent) return NOTHING;
      const { id } = host.opened(await agent.loadSession(call.sessionId ?? '', { cwd: '/work', ...bounds }));
      return { sessionId: id };
    }
    case 'closeSession': {
      const closing = host.sessions.get(call.sessionId ?? '');
      if (!closing) return NOTHING;
      await closing.close();
      return {};
    }
    case 'prompt':
      return session ? prompt(host, session, call, sent, tally) : NOTHING;
    case 'cancel':
      if (!session) return NOTHING;
      await (session.turn ?? host.turn)?.cancel();
      return {};
    case 'setMode':
      if (!session) return NOTHING;
      await session.select({ mode: call.modeId });
      return {};
    case 'setConfig':
      return session ? setConfig(session, call) : NOTHING;
    case 'authenticate':
      if (!agent) return NOTHING;
      await agent.authenticate(call.methodId ?? '');
      return {};
    case 'resolvePermission':
      return host.decide(call) ? {} : NOTHING;
    case 'wait':
      await host.sleep(call.ms ?? 0);
      return {};
    case 'close':
      if (!agent) return NOTHING;
      await agent.close();
      return {};
    case 'respawn':
      await host.drop();
      return {};
    default:
      throw new Error(`no such call: ${call.call}`);
  }
}

async function prompt(
  host: Host,
  session: Library.Session,
  call: PlannedCall,
  sent: () => void,
  tally: Tally,
): Promise<Fields> {
  const content = call.content ?? (call.text ?? '').repeat(call.repeatBytes ?? 1);
  const first = !host.tallies.has(session.id);
  if (first) host.tallies.set(session.id, tally);
  try {
    const turn = session.prompt(content, { budget: call.budget ?? host.boundsFor('prompt') });
    host.turn = turn;
    void turn.sent.then((wasSent) => {
      if (wasSent) sent();
    });
    const { stopReason, text, cancelRequested } = await turn.result;
    return { stopReason, text, cancelRequested };
  } finally {
    if (first) host.tallies.delete(session.id);
  }
}

/** A category of our own words goes through `select`, which normalises; `select` alone would also drive legacy models. */
async function setConfig(session: Library.Session, call: PlannedCall): Promise<Fields> {
  const { category = '', value = '' } = call;
  const option = session.options.config.find((one) => one.category === category);
  const choice = { model: 'model', thought_level: 'effort', mode: 'mode' }[category];
  if (option && choice !== undefined && typeof value === 'string') await session.select({ [choice]: value });
  else await session.setConfigOption(option?.id ?? category, value);
  return {};
}
