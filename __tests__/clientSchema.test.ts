/** Everything the client really writes, through the public API, conforms to the published JSON schemas. */
import { describe, expect, it } from '@jest/globals';
import { policy, type ConnectOptions } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { faultsOfFrame, isPublished } from './support/publishedSchema.js';
import { connected, INITIALIZED, ScriptedAgent, type ClientFrame, type World } from './support/scriptedAgent.js';
import { runSeed } from './support/simulation/run.js';

type Frame = ClientFrame & { method?: string };

const V1 = {
  ...INITIALIZED[1],
  authMethods: [{ id: 'login', name: 'Log in' }],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, additionalDirectories: {} },
    auth: { logout: {} },
  },
};
const V2 = {
  ...INITIALIZED[2],
  authMethods: [{ methodId: 'login', name: 'Log in' }],
  capabilities: {
    session: {
      prompt: { image: {}, audio: {}, embeddedContext: {} },
      mcp: { stdio: {}, http: {} },
      delete: {},
      fork: {},
      additionalDirectories: {},
    },
    auth: {},
  },
};

const choice = (version: 1 | 2, id: string, values: string[]): object => ({
  [version === 1 ? 'id' : 'configId']: id,
  name: id,
  type: 'select',
  currentValue: values[0],
  options: values.map((value) => ({ value, name: value })),
});
const configOptions = (version: 1 | 2): object[] => [
  choice(version, 'model', ['fast', 'deep']),
  { [version === 1 ? 'id' : 'configId']: 'web', name: 'web', type: 'boolean', currentValue: false },
];
const legacy = {
  modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
  models: { currentModelId: 'm', availableModels: [{ modelId: 'm', name: 'M' }] },
};

/** Answers every call at once, and prompts when told to. */
function obliging(version: 1 | 2): ScriptedAgent {
  const script = new ScriptedAgent();
  let sessions = 0;
  const opened = (): object => ({ sessionId: `s-${++sessions}`, configOptions: configOptions(version) });
  const results: Record<string, (params: any) => unknown> = {
    'session/new': opened,
    'session/fork': () => ({ ...legacy, sessionId: 'forked' }),
    'session/load': () => ({ configOptions: configOptions(version) }),
    'session/resume': () => ({ configOptions: configOptions(version) }),
    'session/list': ({ cursor }) => ({ sessions: [], ...(cursor === undefined ? { nextCursor: 'next' } : {}) }),
    'session/set_config_option': () => ({ configOptions: configOptions(version) }),
  };
  script.onFrame = ({ id, method, params }) => {
    if (method === undefined || id === undefined || method === 'initialize' || method === 'session/prompt') return;
    script.send({ id, result: results[method]?.(params) ?? {} });
  };
  return script;
}

const mcpServers = [
  { name: 'bare', command: '/bin/bare' },
  { type: 'stdio', name: 'typed', command: '/bin/typed', args: ['-v'], env: [{ name: 'A', value: '1' }] },
  { type: 'http', name: 'http', url: 'https://example.test/mcp' },
];
const prompts: [string | unknown[], unknown][] = [
  ['plain', undefined],
  ['with context', ['prepared', { uri: 'file:///x', mimeType: 'text/plain', text: 'y' }]],
  [[{ type: 'image', mimeType: 'image/png', data: 'AAAA' }], undefined],
  [[{ type: 'resource_link', uri: 'file:///x', name: 'x' }], 'prepared'],
];

/** One program that makes every call there is. Gives the frames and, by id, what the agent asked for. */
async function everything(version: 1 | 2, options: Partial<ConnectOptions> = {}): Promise<World> {
  const script = obliging(version);
  const world = await connected({ protocolVersions: [version], ...options }, version === 1 ? V1 : V2, script);
  const { agent, clock } = world;
  await agent.authenticate('login');
  const dirs = { cwd: '/work', mcpServers, additionalDirectories: ['/more'] };
  const session = await agent.newSession(dirs);
  const loading = agent.loadSession('old', dirs);
  await clock.run(2_000);
  const loaded = await loading;
  const resumed = await agent.resumeSession('older', { cwd: '/work' });
  const forked = await agent.forkSession('old', dirs);
  for await (const _ of agent.listSessions({ cwd: '/work' }));
  for await (const _ of agent.listSessions());
  await agent.deleteSession('gone');
  await session.select({ model: 'deep' });
  await session.setConfigOption('web', true);
  await forked.select({ mode: 'ask', model: 'm' });
  for (const [prompt, context] of prompts) {
    const turn = session.prompt(prompt, { context });
    await settle();
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
  }
  const turn = loaded.prompt('to be cancelled');
  await settle();
  script.ask(1, 'old');
  script.ask('two', 'old', ['allow_always']);
  await settle();
  await turn.cancel();
  script.reply('session/prompt', { stopReason: 'cancelled' });
  await turn.result;
  const asking = session.prompt('asked');
  await settle();
  script.ask(3, session.id);
  script.ask(4, 'unknown');
  script.send({ id: 5, method: 'x/unknown', params: {} });
  script.send({ id: 6, method: 'session/request_permission', params: [] });
  await settle();
  script.reply('session/prompt', { stopReason: 'end_turn' });
  await asking.result;
  await resumed.close();
  await session[Symbol.asyncDispose]();
  await agent.logout();
  return world;
}

/** Methods of the agent's requests by id, as the books of a scripted agent have them. */
const ASKED: Record<string, string> = {
  ...Object.fromEntries(['1', '"two"', '3', '4', '6'].map((id) => [id, 'session/request_permission'])),
  ...{ '5': 'x/unknown', '10': 'fs/read_text_file', '11': 'fs/write_text_file', '12': 'terminal/create' },
  ...{ '13': 'terminal/output', '14': 'terminal/wait_for_exit', '15': 'terminal/kill', '16': 'terminal/release' },
  ...{ '17': 'elicitation/create', '18': 'elicitation/create', '19': 'fs/read_text_file', '20': 'fs/read_text_file' },
};

function faults(version: 1 | 2, frames: readonly Frame[], asked: (id: unknown) => string | undefined): string[] {
  return frames.flatMap((frame) =>
    faultsOfFrame(version, frame, asked(frame.id)).map(
      (fault) => `${frame.method ?? `answer to ${asked(frame.id)}`}: ${fault}`,
    ),
  );
}
const byBook = (id: unknown): string | undefined => ASKED[JSON.stringify(id)];

/** v2 has no such words: they are written for an agent alone that offered what they set. */
const LEGACY = ['session/set_mode', 'session/set_model'];
const isLegacy = ({ method }: Frame): boolean => LEGACY.includes(method ?? '');
/** The offer has the members of both versions; it is judged apart. */
const isOffer = ({ method }: Frame): boolean => method === 'initialize';

describe.each([1, 2] as const)('a program that makes every call, in version %d', (version) => {
  const first = policy.ask(({ options }) => options[0]?.optionId ?? null);

  it('writes nothing that the published schema does not know', async () => {
    const { script, agent } = await everything(version, { permissions: first });
    await agent.close();
    const { received } = script;
    expect(
      faults(
        version,
        received.filter((frame) => !isLegacy(frame) && !(version === 2 && isOffer(frame))),
        byBook,
      ),
    ).toEqual([]);
    const methods = new Set(received.map(({ method }) => method ?? 'answer'));
    const dialect = version === 1 ? ['authenticate', 'logout', 'session/load'] : ['auth/login', 'auth/logout'];
    expect([...methods].sort()).toEqual(
      [
        ...['initialize', 'session/new', 'session/resume', 'session/fork', 'session/list', 'session/delete', 'answer'],
        ...['session/prompt', 'session/cancel', 'session/close', 'session/set_config_option', ...LEGACY, ...dialect],
      ].sort(),
    );
  });

  it('answers permissions by selections, cancellations and errors alike', async () => {
    const { script, agent } = await everything(version, { permissions: first });
    await agent.close();
    const answers = script.received.filter(({ method }) => method === undefined);
    const outcomes = answers.map(({ result, error }) => error?.code ?? (result as any).outcome.outcome);
    expect(new Set(outcomes)).toEqual(new Set(['selected', 'cancelled', -32_601, -32_602]));
  });
});

describe('what handlers answer, in version 1', () => {
  it('conforms, whatever they return or throw', async () => {
    let calls = 0;
    const handlers: NonNullable<ConnectOptions['handlers']> = {
      fs: {
        readTextFile: async () => {
          if (++calls === 1) return { content: 'text' };
          throw new Error('no');
        },
        writeTextFile: async () => {},
      },
      terminal: {
        create: async () => ({ terminalId: 't' }),
        output: async () => ({ output: '', truncated: false, exitStatus: { exitCode: 0, signal: null } }),
        waitForExit: async () => ({ exitCode: null, signal: 'SIGTERM' }),
        kill: async () => {},
        release: async () => {},
      },
      elicitation: {
        form: async () => ({ action: 'accept', content: { name: 'x' } }),
        url: async () => ({ action: 'decline' }),
      },
    };
    const { script, agent } = await everything(1, { handlers });
    const session = await agent.newSession({ cwd: '/work' });
    const of = { sessionId: session.id };
    const terminal = { ...of, terminalId: 't' };
    const form = { mode: 'form', message: 'm', requestedSchema: { type: 'object', properties: {} } };
    script.send(
      { id: 10, method: 'fs/read_text_file', params: { ...of, path: '/x' } },
      { id: 11, method: 'fs/write_text_file', params: { ...of, path: '/x', content: '' } },
      { id: 12, method: 'terminal/create', params: { ...of, command: 'x' } },
      ...['output', 'wait_for_exit', 'kill', 'release'].map((call, i) => ({
        id: 13 + i,
        method: `terminal/${call}`,
        params: terminal,
      })),
      { id: 17, method: 'elicitation/create', params: { ...of, ...form } },
      {
        id: 18,
        method: 'elicitation/create',
        params: { ...of, mode: 'url', message: 'm', elicitationId: 'e', url: 'x:' },
      },
      { id: 19, method: 'fs/read_text_file', params: { ...of, path: '/x' } },
      { id: 20, method: 'fs/read_text_file', params: { ...of, path: 5 } },
    );
    await settle();
    await settle();
    await agent.close();
    const answers = script.received.filter(({ id, method }) => method === undefined && Number(id) >= 10);
    expect(answers).toHaveLength(11);
    expect(answers.map(({ error }) => error?.code).filter((code) => code !== undefined)).toEqual([-32_602, -32_603]);
    expect(
      faults(
        1,
        script.received.filter((frame) => !isLegacy(frame)),
        byBook,
      ),
    ).toEqual([]);
  });
});

describe('the offer of both versions at once', () => {
  it('conforms to both, each with the members of the other beside its own', async () => {
    const { script, agent } = await connected({}, INITIALIZED[2]);
    const [offer] = script.requests('initialize');
    expect(faultsOfFrame(2, offer!)).toEqual(['clientInfo is not known', 'clientCapabilities is not known']);
    expect(faultsOfFrame(1, offer!)).toEqual(['info is not known', 'capabilities is not known']);
    await agent.close();
  });
});

describe('simulated worlds', () => {
  /** Calls by hand are the caller's own words. */
  const BY_HAND = ['x/do', 'x/note', 'session/info'];

  it('write only what conforms, whatever agent and caller do', async () => {
    const counted = { 1: 0, 2: 0 };
    for (let seed = 1; seed <= 150; seed += 1) {
      const { world } = await runSeed(seed, 60);
      const { received, setup } = world.agentSide;
      const asked = (id: unknown): string | undefined => {
        const all = world.books.requests.get(JSON.stringify(id))?.all ?? [];
        return all.length === 1 ? all[0]!.method : undefined;
      };
      const judged = received.filter(
        (frame) =>
          frame.method !== 'initialize' &&
          !BY_HAND.includes(frame.method ?? '') &&
          !isLegacy(frame as Frame) &&
          !(frame.result !== undefined && [undefined, 'sim/ask'].includes(asked(frame.id))),
      );
      counted[setup.version] += judged.length;
      expect(faults(setup.version, judged as Frame[], asked)).toEqual([]);
    }
    expect(Math.min(counted[1], counted[2])).toBeGreaterThan(300);
  }, 60_000);
});

describe('the check itself', () => {
  const frame = { jsonrpc: '2.0', id: 1, method: 'session/close', params: { sessionId: 's' } } as const;

  it('finds what is missing, of a wrong type, or not known, in the envelope and below', () => {
    expect(faultsOfFrame(1, frame)).toEqual([]);
    expect(faultsOfFrame(1, { ...frame, params: {} })).toEqual([" must have required property 'sessionId'"]);
    expect(faultsOfFrame(1, { ...frame, params: { sessionId: 's', force: true } })).toEqual(['force is not known']);
    expect(faultsOfFrame(1, { ...frame, id: 1.5 })).not.toEqual([]);
    expect(faultsOfFrame(1, { ...frame, more: 1 } as typeof frame)).toEqual(['more is no member of such a frame']);
    expect(faultsOfFrame(2, { ...frame, method: 'session/set_mode' })).toEqual(['not in the schema']);
    const selected = { jsonrpc: '2.0', id: 1, result: { outcome: { outcome: 'selected' } } } as const;
    expect(faultsOfFrame(1, selected, 'session/request_permission')).not.toEqual([]);
  });

  it('knows that the older words for modes and models are not in version 2', () => {
    expect(LEGACY.map((method) => isPublished(2, method))).toEqual([false, false]);
    expect(LEGACY.map((method) => isPublished(1, method))).toEqual([true, false]);
  });
});
