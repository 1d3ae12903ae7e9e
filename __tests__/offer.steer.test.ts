/** Putting words into the turn that runs: only where it is advertised, with a verdict, and without making a turn endless. */
import { describe, expect, it } from '@jest/globals';
import { budget, type PromptOptions, type Session, type Turn } from '../src/index.js';
import { failed } from './support/failed.js';
import { settle } from './support/manualClock.js';
import { connected, INITIALIZED, opened, type World } from './support/scriptedAgent.js';

const STEERS = { ...INITIALIZED[1], _meta: { steering: { supported: true } } };
const METHOD = '_session/steering';

interface Running extends World {
  session: Session;
  turn: Turn;
}
async function running(options: PromptOptions = {}, initialized: object = STEERS): Promise<Running> {
  const world = await connected({ cancelGraceMs: 1_000_000 }, initialized);
  const session = await opened(world);
  const turn = session.prompt('go', options);
  turn.result.catch(() => {});
  await settle();
  return { ...world, session, turn };
}

describe('steer', () => {
  // prettier-ignore
  it.each([
    [{ outcome: 'injected' },                                'delivered'],
    [{ outcome: 'startedNewTurn' },                          'delivered'],
    [{ outcome: 'promptRequired', reason: 'noRunningTurn' }, 'not-delivered'],
    [{ outcome: 'failed' },                                  'not-delivered'],
    [{ outcome: 'maybe' },                                   'unknown'],
    [{ outcome: '__proto__' },                               'unknown'],
    [{ outcome: null },                                      'unknown'],
    [{},                                                     'unknown'],
    [null,                                                   'unknown'],
    ['injected',                                             'unknown'],
  ])('answered by %j is %s', async (result, verdict) => {
    const { turn, script } = await running();
    const steering = turn.steer('and this');
    await settle();
    expect(script.last(METHOD).params).toEqual({
      sessionId: 's-1',
      prompt: [{ type: 'text', text: 'and this' }],
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    script.reply(METHOD, result);
    expect(await steering).toBe(verdict);
  });

  it.each([-32602, -32603, -32000, 7])('refused by %i is not delivered, and the turn goes on', async (code) => {
    const { turn, script, session } = await running();
    const steering = turn.steer('and this');
    await settle();
    script.refuse(METHOD, code);
    expect(await steering).toBe('not-delivered');
    expect(session.state).toBe('running');
    script.reply('session/prompt', { stopReason: 'end_turn' });
    await expect(turn.result).resolves.toMatchObject({ outcome: 'completed' });
  });

  it('without an answer is unknown: by its bound, by the end of the connection, by nonsense', async () => {
    const { turn, script, clock, agent } = await running();
    const late = turn.steer('one', { budget: { absoluteMs: 1_000 } });
    await clock.run(1_000);
    expect(await late).toBe('unknown');
    const odd = turn.steer('two');
    await settle();
    script.send({ id: script.last(METHOD).id, result: {}, error: { code: 1, message: '' } });
    expect(await odd).toBe('unknown');
    const lost = turn.steer('three');
    await settle();
    script.pipe.end();
    expect(await lost).toBe('unknown');
    expect(agent.stats.strayResponses).toBe(0);
  });

  it('rejects with the reason of its signal', async () => {
    const { turn } = await running();
    const controller = new AbortController();
    const steering = failed(turn.steer('x', { signal: controller.signal }));
    await settle();
    controller.abort(new Error('mine'));
    expect(await steering).toMatchObject({ message: 'mine' });
  });

  // prettier-ignore
  it.each([
    ['nothing',             INITIALIZED[1]],
    ['a string',            { ...INITIALIZED[1], _meta: { steering: { supported: 'true' } } }],
    ['it elsewhere',        { ...INITIALIZED[1], agentCapabilities: { _meta: { steering: { supported: true } } } }],
  ])('is never tried where the agent advertises %s', async (_name, initialized) => {
    const { turn, script } = await running({}, initialized);
    expect(await failed(turn.steer('x'))).toMatchObject({ kind: 'capability-absent', capability: '_meta.steering' });
    expect(script.requests(METHOD)).toEqual([]);
  });

  it('is tried no more after the method was found missing', async () => {
    const { turn, script } = await running();
    const steering = turn.steer('x');
    await settle();
    script.refuse(METHOD, -32601);
    expect(await steering).toBe('not-delivered');
    expect(await failed(turn.steer('y'))).toMatchObject({ kind: 'capability-absent' });
  });

  it('is refused for a turn that is over, is being cancelled, or waits, and while another is under way', async () => {
    const { turn, script, session } = await running();
    const queued = session.prompt('next', { queue: true });
    expect(await failed(queued.steer('x'))).toMatchObject({ kind: 'illegal-transition' });
    const steering = turn.steer('x');
    expect(await failed(turn.steer('y'))).toMatchObject({ kind: 'busy', state: 'steering' });
    await settle();
    script.reply(METHOD, { outcome: 'injected' });
    await steering;
    await turn.cancel();
    expect(await failed(turn.steer('x'))).toMatchObject({ kind: 'illegal-transition', state: 'cancelling' });
    script.reply('session/prompt', { stopReason: 'cancelled' });
    await turn.result;
    expect(await failed(turn.steer('x'))).toMatchObject({ kind: 'illegal-transition' });
    expect(script.requests(METHOD)).toHaveLength(1);
  });

  it('is checked like a prompt before anything is sent', async () => {
    const { turn, script } = await running();
    expect(await failed(turn.steer(''))).toMatchObject({ kind: 'invalid-argument', argument: 'prompt' });
    expect(await failed(turn.steer([{ type: 'image', data: '', mimeType: 'image/png' }]))).toMatchObject({
      kind: 'capability-absent',
      capability: 'promptCapabilities.image',
    });
    expect(script.requests(METHOD)).toEqual([]);
  });

  it('works in version 2 alike', async () => {
    const { turn, script } = await running({}, { ...INITIALIZED[2], _meta: { steering: { supported: true } } });
    const steering = turn.steer('x');
    await settle();
    script.reply(METHOD, { outcome: 'injected' });
    expect(await steering).toBe('delivered');
  });
});

describe('the absolute bound of a steered turn', () => {
  const bounds = { absoluteMs: 10_000 };
  async function steered({ turn, script }: Running, outcome = 'injected'): Promise<void> {
    const steering = turn.steer('more');
    await settle();
    script.reply(METHOD, { outcome });
    await steering;
  }
  /** When it ends the turn, in ms after now. */
  async function endsAfter({ session, clock, turn }: Running): Promise<number> {
    const from = clock.now();
    while (session.state === 'running') await clock.run(1_000);
    expect(await failed(turn.result)).toMatchObject({ kind: 'absolute' });
    return clock.now() - from;
  }

  it('is not set back, unless the caller allowed it', async () => {
    const world = await running({ budget: bounds });
    await world.clock.run(6_000);
    await steered(world);
    expect(await endsAfter(world)).toBe(4_000);
  });

  it('is set back by each delivered steer, as often as the caller allowed', async () => {
    const world = await running({ budget: bounds, steerRenewals: 2 });
    for (let i = 0; i < 3; i += 1) {
      await world.clock.run(6_000);
      await steered(world);
    }
    expect(await endsAfter(world)).toBe(4_000);
    expect(world.clock.now()).toBe(22_000);
  });

  it.each(['startedNewTurn', 'promptRequired', 'odd'])('is not set back by %s', async (outcome) => {
    const world = await running({ budget: bounds, steerRenewals: 5 });
    await world.clock.run(6_000);
    await steered(world, outcome);
    expect(await endsAfter(world)).toBe(4_000);
  });

  it('of a budget that calls share is never set back', async () => {
    const world = await running({ budget: budget(bounds), steerRenewals: 5 });
    await world.clock.run(6_000);
    await steered(world);
    expect(await endsAfter(world)).toBe(4_000);
  });

  it.each([-1, 11, 1.5, Number.NaN, '2'])('cannot be set back %p times', async (steerRenewals) => {
    const world = await connected({}, STEERS);
    const session = await opened(world);
    const turn = session.prompt('go', { steerRenewals: steerRenewals as number });
    expect(await failed(turn.result)).toMatchObject({ kind: 'invalid-argument', argument: 'steerRenewals' });
    expect(world.script.requests('session/prompt')).toEqual([]);
  });
});
