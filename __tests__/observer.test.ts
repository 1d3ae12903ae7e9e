/** What watches a connection sees every frame, transition and decision, and can break none of them. */
import { describe, expect, it } from '@jest/globals';
import { policy, type FrameSeen, type Observer, type Source, type TransitionSeen } from '../src/index.js';
import { settle } from './support/manualClock.js';
import { connected, opened } from './support/scriptedAgent.js';

interface Books extends Observer {
  frames: FrameSeen[];
  transitions: TransitionSeen[];
  rest: string[];
}

function books(): Books {
  const kept: Books = {
    frames: [],
    transitions: [],
    rest: [],
    frame: (seen) => void kept.frames.push(seen),
    transition: (seen) => void kept.transitions.push(seen),
    skipped: ({ line }) => void kept.rest.push(`skipped ${line}`),
    decision: ({ decision }) => void kept.rest.push(`decision ${decision.outcome}`),
    closed: ({ reason }) => void kept.rest.push(`closed ${reason}`),
  };
  return kept;
}

describe('an observer', () => {
  it('sees the frames of both directions in order, with their sizes', async () => {
    const seen = books();
    const world = await connected({ recorder: seen });
    await opened(world);
    const words = seen.frames.map(
      ({ direction, message }) => `${direction} ${(message as { method?: string }).method ?? 'answer'}`,
    );
    expect(words).toEqual(['out initialize', 'in answer', 'out session/new', 'in answer']);
    const { bytesIn, bytesOut } = world.agent.stats;
    const sum = (direction: string): number =>
      seen.frames.filter((frame) => frame.direction === direction).reduce((total, { bytes }) => total + bytes + 1, 0);
    expect([sum('in'), sum('out')]).toEqual([bytesIn, bytesOut]);
  });

  it('sees each transition of every chart, by the names of the pictures', async () => {
    const seen = books();
    const world = await connected({ recorder: seen, permissions: policy.unattended({ select: 'allow_once' }) });
    const session = await opened(world);
    const turn = session.prompt('go');
    await settle();
    world.script.ask(1, 's-1');
    world.script.raw('noise\n');
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    await world.agent.close();
    const steps = seen.transitions.map(({ actor, event, to }) => `${actor} ${event} ${to.join(' ')}`.trim());
    expect(steps).toEqual(
      expect.arrayContaining([
        'connection process.running connection.live.initializing',
        'connection agent.initialized connection.live.ready',
        'connection/process process.spawned process.running',
        'connection/session.1 agent.opened session.open',
        'connection/session.1 user.prompt session.open.turns.prompting',
        'connection/session.1/turn agent.promptResult turn.ended',
        'connection/session.1 done turn session.open.turns.idle',
        'connection user.close connection.live.closing',
      ]),
    );
    expect(seen.rest).toEqual(['decision selected', 'skipped noise', 'closed closed']);
    const turns = seen.transitions.filter(({ actor }) => actor.endsWith('/turn'));
    expect(turns.map(({ event, states }) => `${event}: ${states.join(' ')}`)).toEqual([
      'begin: turn.running',
      'agent.promptResult: turn.ended',
    ]);
  });

  it('is given a source to look up counters and what is left of the clocks of each wait', async () => {
    let source: Source | undefined;
    const world = await connected({ recorder: { opened: (seen) => void (source = seen.source) } });
    const session = await opened(world);
    const turn = session.prompt('go', { budget: { idleMs: 1_000, absoluteMs: 5_000 } });
    await settle();
    world.clock.advance(400);
    world.script.chunk('s-1', 'still here');
    await settle();
    world.clock.advance(250);
    expect(source?.stats().framesIn).toBe(3);
    expect(source?.waits()).toEqual([
      {
        phase: 'turn',
        sessionId: 's-1',
        idle: { ms: 1_000, leftMs: 750 },
        absolute: { ms: 5_000, leftMs: 4_350 },
        paused: false,
      },
    ]);
    world.script.ask(7, 's-1');
    await settle();
    world.script.reply('session/prompt', { stopReason: 'end_turn' });
    await turn.result;
    expect(source?.waits()).toEqual([]);
    await world.agent.close();
  });

  it('that throws is counted, and breaks nothing', async () => {
    const bad = (): never => {
      throw new Error('mine');
    };
    const world = await connected({ recorder: { frame: bad, transition: bad }, inspect: bad });
    const session = await opened(world);
    expect(session.state).toBe('idle');
    expect(world.agent.stats.listenerErrors).toBeGreaterThan(4);
  });
});
