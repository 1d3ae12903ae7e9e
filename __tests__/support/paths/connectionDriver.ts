/** What happens outside of the client so that a connection hears an event. */
import type { AnyMachineSnapshot } from 'xstate';
import type { Session } from '../../../src/index.js';
import { Openings } from '../../../src/join/openings.js';
import { ProcessPort } from '../../../src/join/processPort.js';
import { settle } from '../manualClock.js';
import { AGREES, BOUND_MS, CANCEL_GRACE_MS, ConnectionWorld, MAX_FRAME_BYTES, METHOD } from './connectionWorld.js';
import type { Coverage } from './coverage.js';
import { CLOSE_GRACE_MS } from './fakeProcess.js';
import { Faults } from './faults.js';
import type { ChartEvent, Path, Step } from './model.js';
import type { Driver } from './walk.js';

const INTERNAL_ERROR = -32603;
const AUTH_REQUIRED = -32000;
const REFUSALS: Readonly<Record<string, number>> = { 'agent-error': -32600, 'auth-required': AUTH_REQUIRED };
/** The exit of an agent is told when its pipe has been quiet. */
const DRAIN_MS = 50;
const EXIT_FOLLOWS_MS = 250;
const leaves = (event: ChartEvent): string => (event['output'] as { leaves: string }).leaves;

interface Slot {
  name: string;
  /** Which `session/new` asked for it. */
  call: number;
  opening: Promise<Session>;
}

export class ConnectionDriver implements Driver<ConnectionWorld> {
  readonly #faults = new Faults();
  /** The sessions by slot, as the path counts them: a new one takes the lowest that is free. */
  #slots = new Map<number, Slot>();
  #authAt = 0;
  #calls = 0;

  readonly follows = /^xstate\.done\.actor\./;

  constructor(readonly coverage: Coverage) {}

  async begin(path: Path): Promise<ConnectionWorld> {
    const { versions, canStartAgain } = path.model.input as { versions: number[]; canStartAgain: boolean };
    const world = new ConnectionWorld(this.coverage, { versions, source: canStartAgain ? 'command' : 'streams' });
    this.#slots = new Map();
    this.#calls = 0;
    world.begin();
    if (world.source === 'streams') await settle();
    return world;
  }

  async act(world: ConnectionWorld, { event, reach }: Step, _path: Path, index: number): Promise<void> {
    const { promises, script, clock, agent } = world;
    switch (event.type) {
      case 'process.running':
        if (world.source === 'command') world.process.spawned();
        return;
      case 'process.died':
        if (reach === 'fault') return world.observation.find('connection')!.actor.send({ type: 'process.died' });
        if (reach === 'told' && !(world.offersLeft && !world.books.initialized)) world.ends('agent-exited');
        world.process.exits(false);
        return clock.run(DRAIN_MS);
      case 'xstate.done.actor.process':
        return this.#processEnds(world, event);
      case 'xstate.error.actor.process':
        return this.#processBreaks(world);
      case 'agent.initialized':
      case 'agent.offerRefused':
      case 'agent.versionUnsupported':
      case 'agent.initializeError':
        this.#initializeAnswered(world, event);
        await settle();
        // A call that stays open: its refusal can come when everything else is over.
        if (world.agent && this.#calls++ === 0) void promises.track('call', world.agent.deleteSession('s-open'));
        return;
      case 'agent.authRequired':
        return this.#authRequired(world, reach);
      case 'agent.authenticated':
      case 'agent.authError': {
        const call = script.newest('authenticate', 'auth/login');
        const well = event.type === 'agent.authenticated';
        if (reach === 'told') promises.dueAll(['auth'], well ? 'ok' : `agent-error ${INTERNAL_ERROR}`);
        script.answer(call?.id ?? 999, well ? { result: {} } : { error: { code: INTERNAL_ERROR } });
        return;
      }
      case 'user.authenticate': {
        const name = `${reach === 'told' ? 'auth' : 'second login'} ${index}`;
        void promises.track(name, agent!.authenticate(METHOD, { budget: { absoluteMs: BOUND_MS } }));
        if (reach === 'told') this.#authAt = clock.now();
        else promises.due(name, world.books.lost ? 'closed' : 'busy');
        return;
      }
      case 'user.openSession':
        return this.#openSession(world, index);
      case 'user.close':
        if (!world.books.lost) world.ends('closed', 'thrown: Error: given up');
        if (agent) {
          void promises.track(`agent.close ${index}`, agent.close());
          promises.eventually(`agent.close ${index}`, 'ok');
        } else world.giveUp.abort(new Error('given up'));
        return;
      case 'clock.bound':
        return this.#bound(world, reach);
      case 'transport.fatal':
        return this.#fatal(world, event['reason'] as string, reach);
      default: {
        const [, , kind, , slot] = event.type.split('.');
        const session = kind === 'actor' ? this.#slots.get(Number(slot)) : undefined;
        if (!session) throw new Error(`no way to make ${event.type} happen`);
        this.#slots.delete(Number(slot));
        return this.#sessionEnds(world, session, event);
      }
    }
  }

  #openSession(world: ConnectionWorld, index: number): void {
    const { promises, agent, books, script } = world;
    const name = `open ${index}`;
    const call = script.requests('session/new').length;
    const opening = promises.track(name, agent!.newSession({ cwd: '/work' }));
    if (books.lost) return promises.due(name, 'closed');
    let slot = 1;
    while (this.#slots.has(slot)) slot += 1;
    this.#slots.set(slot, { name, call, opening });
  }

  async #sessionEnds(world: ConnectionWorld, { name, call, opening }: Slot, event: ChartEvent): Promise<void> {
    const { promises, script, clock, books } = world;
    const { id } = script.requests('session/new')[call] as { id: number };
    if (event.type.startsWith('xstate.error')) {
      this.#faults.throwsOnce(Openings.prototype, 'settleOpen');
      promises.due(name, 'io');
      world.ends('io');
      script.answer(id, { error: { code: INTERNAL_ERROR } });
      return;
    }
    if (leaves(event) === 'usable') {
      promises.due(name, `agent-error ${INTERNAL_ERROR}`);
      script.answer(id, { error: { code: INTERNAL_ERROR } });
      return;
    }
    const session = books.session(`s-${id}`);
    session.phase = 'open';
    script.answer(id, { result: { sessionId: session.id } });
    promises.due(name, 'ok');
    const turn = (await opening).prompt('go');
    void promises.track(`turn of ${name}`, turn.result);
    await settle();
    session.turn!.cancelAsked = true;
    await turn.cancel();
    world.ends('cancel-unconfirmed');
    return clock.run(CANCEL_GRACE_MS);
  }

  #initializeAnswered(world: ConnectionWorld, event: ChartEvent): void {
    const { script, books } = world;
    const call = script.newest('initialize');
    const id = call?.id ?? 999;
    const offer = call?.params?.['protocolVersion'] as 1 | 2 | undefined;
    const first = !books.initialized && !books.lost;
    const reason = String(event['reason']);
    const ends = (how: string): void => {
      if (first) world.ends(how);
    };
    switch (event.type) {
      case 'agent.initialized':
        if (first) world.agrees();
        return script.answer(id, { result: AGREES[offer ?? 1] });
      case 'agent.offerRefused':
        if (reason === 'version-unsupported')
          return script.answer(id, { result: { ...AGREES[1], protocolVersion: 2 } });
        if (!world.offersLeft) ends(`agent-error ${REFUSALS[reason]!}`);
        return script.answer(id, { error: { code: REFUSALS[reason]! } });
      case 'agent.versionUnsupported': {
        const supported = event['speaks'] as number[];
        if (!(world.offersLeft && supported.length > 0)) ends('version-unsupported');
        return supported.length === 0
          ? script.answer(id, { result: { ...AGREES[1], protocolVersion: 9 } })
          : script.answer(id, { error: { code: -32022, data: { supported } } });
      }
      default: {
        if (reason === 'protocol') {
          ends('protocol');
          return script.answer(id, { result: {}, error: { code: INTERNAL_ERROR } });
        }
        const code = reason === 'auth-required' ? AUTH_REQUIRED : -1;
        ends(reason === 'auth-required' ? reason : `agent-error ${code}`);
        return script.answer(id, { error: { code } });
      }
    }
  }

  /** Some call is refused by -32000; while closing, one that was made before. */
  async #authRequired(world: ConnectionWorld, reach: string): Promise<void> {
    const { promises, script, agent } = world;
    if (reach === 'told') {
      const name = `call ${(this.#calls += 1)}`;
      void promises.track(name, agent!.deleteSession('s-gone'));
      promises.due(name, 'auth-required');
      await settle();
      script.answer(script.newest('session/delete')!.id, { error: { code: AUTH_REQUIRED } });
      return;
    }
    script.answer(script.newest('session/delete')?.id ?? 999, { error: { code: AUTH_REQUIRED } });
  }

  async #bound(world: ConnectionWorld, reach: string): Promise<void> {
    const { clock, promises, agent } = world;
    if (reach !== 'told') return clock.run(BOUND_MS);
    if (!agent) {
      world.ends('absolute');
      return clock.run(BOUND_MS - clock.now());
    }
    promises.dueAll(['auth'], 'absolute');
    return clock.run(this.#authAt + BOUND_MS - clock.now());
  }

  async #fatal(world: ConnectionWorld, reason: string, reach: string): Promise<void> {
    const { script, clock } = world;
    if (reach === 'fault') {
      world.ends(reason);
      world.observation.find('connection')!.actor.send({ type: 'transport.fatal', reason });
      return;
    }
    if (!world.books.lost) world.ends(reason);
    world.deaf = true;
    if (reason === 'frame-too-large') return script.raw(`${'x'.repeat(MAX_FRAME_BYTES + 1)}\n`);
    script.pipe.fail();
    // Over a process its exit would say more, and is waited for.
    if (world.source === 'command') return clock.run(EXIT_FOLLOWS_MS);
  }

  async #processEnds(world: ConnectionWorld, event: ChartEvent): Promise<void> {
    const { process, script, clock } = world;
    if (world.source === 'streams') {
      const unheard = world.deaf;
      world.deaf = true;
      world.ends('agent-exited');
      if (unheard) return clock.run(CLOSE_GRACE_MS);
      return script.pipe.end();
    }
    if (leaves(event) === 'neverSpawned') {
      world.ends('spawn-failed');
      return process.failed();
    }
    const startsAgain = world.offersLeft && !world.books.initialized && !world.books.lost;
    if (!startsAgain) {
      world.ends('agent-exited');
      world.deaf = true;
    }
    if (process.exitedAt === undefined) process.exits(true);
    else process.goes();
    return clock.run(DRAIN_MS);
  }

  /** A port throws: the chart of the process breaks. */
  async #processBreaks(world: ConnectionWorld): Promise<void> {
    const { process, clock, books } = world;
    const wasLost = books.lost;
    process.broken = true;
    world.ends('io');
    world.deaf = true;
    if (wasLost) {
      this.#faults.throwsOnce(ProcessPort.prototype, 'signalGroup');
      return clock.run(CLOSE_GRACE_MS);
    }
    if (!process.started) {
      this.#faults.throwsOnce(ProcessPort.prototype, 'reportRunning');
      return process.spawned();
    }
    this.#faults.throwsOnce(ProcessPort.prototype, 'reportDeath');
    process.exits(false);
    return clock.run(DRAIN_MS);
  }

  heard(world: ConnectionWorld): ReturnType<Driver['heard']> {
    return world.observation.find('connection')?.heard ?? [];
  }

  facts({ status, value, context }: AnyMachineSnapshot): unknown {
    const { offer, offeredAgain, slots, reason } = context;
    return { status, value, offer, offeredAgain, slots, reason };
  }

  async finish(world: ConnectionWorld): Promise<void> {
    await world.probe();
  }

  restore(): void {
    this.#faults.restore();
  }
}
