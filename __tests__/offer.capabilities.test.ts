/** What the agent says that it can do: asked by v1's paths in either version, and what we do not model said by name. */
import { describe, expect, it } from '@jest/globals';
import { decisionLines, policy, type Decision } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened } from './support/scriptedAgent.js';

const V1 = {
  ...INITIALIZED[1],
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: null },
    mcpCapabilities: { http: {}, sse: 'true' },
    sessionCapabilities: { list: {}, resume: null, close: [], fork: {}, title: {} },
    auth: { logout: {} },
    providers: {},
    _meta: { vendor: { anything: true } },
  },
};
const V2 = {
  ...INITIALIZED[2],
  capabilities: {
    session: { prompt: { image: {}, audio: null }, mcp: { http: {} }, fork: {}, title: {} },
    auth: {},
    providers: {},
  },
};

describe('advertises', () => {
  // prettier-ignore
  it.each([
    // path                                       v1     v2
    ['loadSession',                               true,  true],
    ['promptCapabilities.image',                  true,  true],
    ['promptCapabilities.audio',                  false, false],
    ['promptCapabilities.embeddedContext',        false, false],
    ['mcpCapabilities.stdio',                     true,  false],
    ['mcpCapabilities.http',                      true,  true],
    ['mcpCapabilities.sse',                       false, false],
    ['sessionCapabilities.list',                  true,  true],
    ['sessionCapabilities.resume',                false, true],
    ['sessionCapabilities.close',                 false, true],
    ['sessionCapabilities.delete',                false, false],
    ['sessionCapabilities.fork',                  true,  true],
    ['auth.logout',                               true,  false],
    ['providers',                                 true,  true],
    ['constructor',                               false, false],
    ['sessionCapabilities.list.toString',         false, false],
    ['',                                          false, false],
  ])('%s', async (path, v1, v2) => {
    const one = await connected({}, V1);
    const two = await connected({}, V2);
    expect([one.agent.advertises(path), two.agent.advertises(path)]).toEqual([v1, v2]);
    expect(one.agent.advertises(7 as never)).toBe(false);
  });

  it('says by name what the agent has and we do not model', async () => {
    expect((await connected({}, V1)).agent.info.narrower).toEqual(['sessionCapabilities.title', 'providers']);
    expect((await connected({}, V2)).agent.info.narrower).toEqual(['session.title', 'providers']);
  });

  it.each([
    [1, 'session/load'],
    [2, 'session/resume'],
  ] as const)('of a load in version %d is refused locally once %s was found missing', async (version, method) => {
    const world = await connected({}, version === 1 ? V1 : V2);
    const first = failed(world.agent.loadSession('old', { cwd: '/work' }));
    await settle();
    world.script.refuse(method, -32601);
    expect(await first).toMatchObject({ kind: 'agent-error', agentCode: -32601 });
    const again = await failed(world.agent.loadSession('old', { cwd: '/work' }));
    expect(again).toMatchObject({ kind: 'capability-absent', capability: 'loadSession' });
    expect(world.script.requests(method)).toHaveLength(1);
  });

  it('of a close is remembered as missing too: the session is closed for us all the same', async () => {
    const world = await connected({}, V2);
    const one = await opened(world, 's-1');
    const two = await opened(world, 's-2');
    const closing = failed(one.close());
    await settle();
    world.script.refuse('session/close', -32601);
    expect(await closing).toMatchObject({ kind: 'agent-error', agentCode: -32601 });
    expect(await failed(two.close())).toMatchObject({
      kind: 'capability-absent',
      capability: 'sessionCapabilities.close',
    });
    await two[Symbol.asyncDispose]();
    expect(world.script.requests('session/close')).toHaveLength(1);
    expect([one.state, two.state]).toEqual(['closed', 'closed']);
  });
});

describe('the ledger', () => {
  const parsed = (decisions: readonly Decision[]): Decision[] =>
    decisionLines(decisions)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Decision);

  it('is exported as JSON lines: request, policy, decision, latency and cause, and none of the agent’s words', async () => {
    const world = await connected({
      permissions: policy.ask((request) =>
        request.title === 'May I?' ? (request.options[0]?.optionId ?? null) : null,
      ),
    });
    await opened(world);
    world.script.ask(1, 's-1', ['allow_once', 'an odd kind']);
    await world.clock.run(0);
    world.script.ask('two', 's-1', ['an odd kind']);
    world.script.ask(3, 'nobody');
    await settle();
    const { decisions } = world.agent;
    const lines = new Map(parsed(decisions).map((line) => [line.requestId, line]));
    const asked = { sessionId: 's-1', outcome: 'selected', policy: 'ask', cause: 'answer', latencyMs: 0 };
    expect(lines.get(1)).toEqual({
      requestId: 1,
      toolCallId: 't-1',
      optionId: 'o-0-allow_once',
      optionKind: 'allow_once',
      ...asked,
    });
    expect(lines.get('two')).toMatchObject({ ...asked, optionKind: 'other' });
    expect(lines.get(3)).toEqual({
      ...asked,
      requestId: 3,
      sessionId: 'nobody',
      outcome: 'cancelled',
      cause: 'scope',
    });
    expect(decisionLines(decisions)).not.toMatch(/May I|label/);
    expect(decisionLines([])).toBe('');
  });

  it('says how long a decision took, and that its time ran out', async () => {
    const permissions = policy.ask(() => new Promise(() => {}), { timeoutMs: 5_000, onTimeout: 'reject_once' });
    const world = await connected({ permissions });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 's-1');
    await world.clock.run(5_000);
    expect(world.script.answers(1)).toMatchObject([{ result: { outcome: { optionId: 'o-1-reject_once' } } }]);
    expect(parsed(world.agent.decisions)).toMatchObject([
      { outcome: 'selected', optionKind: 'reject_once', cause: 'timeout', latencyMs: 5_000 },
    ]);
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
  });
});
