/** What happens outside of the client so that a session or a turn hears an event. */
import type { AnyMachineSnapshot } from 'xstate';
import { Turns } from '../../../src/join/turns.js';
import type { Coverage } from './coverage.js';
import { Faults } from './faults.js';
import type { ChartEvent, Path, Step } from './model.js';
import { GRACE_MS, QUIET_MS, SessionWorld } from './sessionWorld.js';
import type { Driver } from './walk.js';

const BOUND_MS = 10_000;
const LONG_MS = 45_000;
/** Before replay has been quiet for long enough. */
const QUIETING_BOUND_MS = 1_000;
const INTERNAL_ERROR = -32603;
const V2_ONLY = ['agent.promptAccepted', 'agent.working', 'agent.idle'];

const promptsFrom = (path: Path, index: number): Step[] => {
  const rest = path.steps.slice(index);
  const end = rest.findIndex(({ event }) => event.type === 'xstate.done.actor.turn');
  return end < 0 ? rest : rest.slice(0, end);
};

/** The bound that the path lets a turn run into, if it does. */
function turnBudget(path: Path, index: number): { absoluteMs?: number; idleMs?: number } {
  const bound = promptsFrom(path, index).find(({ event, reach }) => event.type === 'clock.bound' && reach !== 'moot');
  if (!bound) return { absoluteMs: LONG_MS };
  return bound.event['bound'] === 'idle' ? { idleMs: BOUND_MS } : { absoluteMs: BOUND_MS };
}

const dispose = async (session: AsyncDisposable): Promise<void> => session[Symbol.asyncDispose]();

export class SessionDriver implements Driver<SessionWorld> {
  readonly #faults = new Faults();
  #openBudgetMs = LONG_MS;
  #boundMs = LONG_MS;
  #closedAt = 0;

  readonly follows = /^xstate\.done\.actor\./;

  constructor(
    readonly coverage: Coverage,
    readonly chart: 'session' | 'turn',
  ) {}

  async begin(path: Path): Promise<SessionWorld> {
    const types = path.steps.map(({ event }) => event.type);
    const inQuieting = path.steps.some(({ event }, i) => {
      const before = path.steps[i - 1]?.to;
      return event.type === 'clock.bound' && before?.status === 'active' && before.matches({ opening: 'quieting' });
    });
    const close = path.steps.find(({ event }) => event.type === 'user.close');
    this.#openBudgetMs = inQuieting ? QUIETING_BOUND_MS : LONG_MS;
    const world = new SessionWorld(this.coverage, {
      version: types.some((type) => V2_ONLY.includes(type)) ? 2 : 1,
      closes: close?.event['asks'] !== false,
      loads: (path.model.input as { replays?: boolean }).replays === true,
      openBudgetMs: this.#openBudgetMs,
    });
    await world.start();
    if (this.chart === 'turn') {
      this.#opened(world);
      await world.clock.run(0);
      this.#prompt(world, path, 0);
      await world.clock.run(0);
    }
    return world;
  }

  chatter(world: SessionWorld): void {
    world.chatter(world.main);
    world.chatter(world.other);
  }

  async act(world: SessionWorld, { event, reach }: Step, path: Path, index: number): Promise<void> {
    const { script, promises, main, words, books } = world;
    const request = event['request'];
    switch (event.type) {
      case 'agent.opened':
        return this.#opened(world);
      case 'agent.openError':
        return this.#openFailed(world);
      case 'clock.replayQuiet':
        if (reach === 'told') {
          await world.clock.run(QUIET_MS - 1);
          world.check();
          promises.due('open', 'ok');
          main.phase = 'open';
          return world.clock.run(1);
        }
        return world.clock.run(QUIET_MS);
      case 'agent.permission':
        return script.question(world.newId(request as number), main);
      case 'agent.withdraw': {
        const id = world.idOf(request as number);
        books.question(id)!.withdrawn = true;
        return script.withdraw(id);
      }
      case 'user.decide':
      case 'user.dismiss': {
        const id = world.idOf(request as number);
        const said = event.type === 'user.decide' ? (event['option'] as string) : null;
        if (reach === 'told') books.question(id)!.said = said;
        words.get(id)?.(said);
        return;
      }
      case 'agent.working':
        return world.state(main, 'running');
      case 'agent.idle':
        return this.#idle(world, event);
      case 'agent.promptAccepted':
        return this.#answer(world, { result: {} }, undefined);
      case 'agent.promptResult': {
        const stopReason = event['stopReason'] as string;
        const outcome = stopReason === 'end_turn' ? 'completed' : 'cancelled';
        return this.#answer(world, { result: { stopReason } }, `ok: ${outcome} ${stopReason}`);
      }
      case 'agent.promptError':
        return this.#promptError(world, event['failure'] as string);
      case 'agent.sessionClosed': {
        const call = script.newest('session/close');
        if (reach === 'told') promises.due('close', 'ok');
        script.answer(call?.id ?? 999, { result: {} });
        return;
      }
      case 'user.prompt':
        return this.#prompt(world, path, index);
      case 'user.cancel':
        if (world.entry && !world.entry.over) world.entry.cancelAsked = true;
        void promises.track(`cancel at ${index}`, world.turn!.cancel());
        promises.due(`cancel at ${index}`, 'ok');
        return;
      case 'user.close':
        return this.#close(world, reach);
      case 'clock.bound':
        return this.#bound(world, reach, event['bound'] as string);
      case 'transport.closed':
        return this.#lose(world, event['reason'] as string);
      case 'xstate.done.actor.turn':
        return this.#turnEnds(world, reach, (event['output'] as { leaves: string }).leaves);
      case 'xstate.error.actor.turn':
        return this.#turnBreaks(world);
      default:
        if (!event.type.startsWith('xstate.after.cancelGrace')) throw new Error(`no way to make ${event.type} happen`);
        return this.#wedge(world, world.entry!.cancelledAt! + GRACE_MS);
    }
  }

  #opened(world: SessionWorld): void {
    const { main, setup, promises } = world;
    const call = setup.loads
      ? world.script.newest('session/load', 'session/resume')!
      : world.script.newest('session/new')!;
    const first = !world.books.calls.get(call.id)!.answered;
    const waited = promises.isOpen('open');
    world.script.answer(call.id, { result: setup.loads ? null : { sessionId: main.id } });
    if (!first) return;
    if (!waited) {
      // Nobody waits any more: the client closes what was opened, or forgets it.
      main.phase = setup.closes ? 'late' : 'closed';
      world.resolveKept('closedUpdates');
    } else if (!setup.loads) {
      // One with a history is not there before that has been told.
      main.phase = 'open';
      promises.due('open', 'ok');
      world.resolveKept('between');
    }
  }

  #openFailed(world: SessionWorld): void {
    const { main, setup, promises, script } = world;
    const call = setup.loads ? script.newest('session/load', 'session/resume')! : script.newest('session/new')!;
    const first = !world.books.calls.get(call.id)!.answered;
    script.answer(call.id, { error: { code: INTERNAL_ERROR } });
    if (!first) return;
    promises.due('open', `agent-error ${INTERNAL_ERROR}`);
    main.phase = 'unknown';
    world.resolveKept('strayUpdates');
  }

  #prompt(world: SessionWorld, path: Path, index: number): void {
    const { main, books, promises } = world;
    const state = books.publicState(main);
    const budget = turnBudget(path, index);
    this.#boundMs = budget.absoluteMs ?? budget.idleMs!;
    const before = main.turns.length;
    const name = world.prompt(budget);
    promises.due(`sent ${world.turns}`, state === 'idle' ? 'ok' : 'ok: false');
    if (state === 'idle') {
      // The frame is on its way before anybody else has a turn.
      world.entry = main.turns[before];
    } else {
      promises.due(name, state === 'closed' ? 'closed' : 'busy');
    }
  }

  #idle(world: SessionWorld, event: ChartEvent): void {
    const { main, entry } = world;
    const stopReason = event['stopReason'] as string | undefined;
    const running = entry !== undefined && !entry.over;
    const wasStopping = entry?.cancelledAt !== undefined;
    const told = entry?.told === true;
    world.state(main, 'idle', stopReason);
    if (!running || !entry.over || told) return;
    const failed = stopReason === 'error';
    const outcome = stopReason === 'end_turn' ? 'completed' : 'other';
    if (failed && wasStopping && entry.begun) this.#turnSettles(world, 'ok: cancelled cancelled');
    else if (failed && entry.begun) this.#turnSettles(world, `agent-error ${INTERNAL_ERROR}`);
    else this.#turnSettles(world, `ok: ${outcome} ${String(stopReason)}`);
  }

  #turnSettles(world: SessionWorld, how: string): void {
    world.promises.due(`turn ${world.turns}`, how);
  }

  #answer(world: SessionWorld, answer: { result?: unknown; error?: { code: number } }, how: string | undefined): void {
    const { entry, script } = world;
    const ends = entry !== undefined && !entry.over && !entry.answered;
    script.answer(entry!.id, answer);
    if (ends && how !== undefined && !entry.told) this.#turnSettles(world, how);
    if (ends && how !== undefined) this.#afterTurn(world);
  }

  #promptError(world: SessionWorld, failure: string): void {
    const stopping = world.entry!.cancelledAt !== undefined;
    const code = failure === 'auth-required' ? -32000 : INTERNAL_ERROR;
    const how = failure === 'agent-error' ? `agent-error ${code}` : failure;
    const answer = failure === 'protocol' ? { result: 'no object' } : { error: { code } };
    this.#answer(world, answer, stopping ? 'ok: cancelled cancelled' : how);
  }

  /** A session that was to be forgotten is, once its turn is over. */
  #afterTurn(world: SessionWorld): void {
    if (world.main.closeAsked === 'forgets') world.promises.due('close', 'ok');
  }

  #close(world: SessionWorld, reach: string): void {
    const { main, promises, session, setup } = world;
    if (!session) {
      if (reach !== 'moot') {
        promises.due('open', 'thrown: Error: given up');
        this.#openGivenUp(world);
      }
      world.abortOpening.abort(new Error('given up'));
      return;
    }
    const asks = setup.closes;
    const closed = main.phase === 'closed';
    if (!closed && !world.books.lost) main.closeAsked ??= asks ? 'asks' : 'forgets';
    const closing = asks ? session.close({ budget: { absoluteMs: BOUND_MS } }) : dispose(session);
    void promises.track('close', closing);
    if (reach !== 'moot') this.#closedAt = world.clock.now();
    if (world.books.lost) promises.due('close', asks ? 'closed' : 'ok');
    else if (!main.turn && (closed || !asks)) {
      main.phase = 'closed';
      promises.due('close', 'ok');
    }
  }

  /** What the agent has opened by then is closed, or forgotten; what it has not is not there. */
  #openGivenUp({ main, setup, script, books }: SessionWorld): void {
    if (!main.named) return;
    const { id } = script.newest('session/load', 'session/resume')!;
    main.phase = !books.calls.get(id)!.answered ? 'unknown' : setup.closes ? 'late' : 'closed';
  }

  async #bound(world: SessionWorld, reach: string, bound: string): Promise<void> {
    const { clock, main, promises, entry } = world;
    if (reach === 'moot') return clock.run(QUIETING_BOUND_MS);
    if (main.phase === 'opening' || promises.isOpen('open')) {
      promises.due('open', 'absolute');
      this.#openGivenUp(world);
      return clock.run(this.#openBudgetMs - clock.now());
    }
    if (entry && !entry.over) {
      entry.told = true;
      this.#turnSettles(world, bound);
      return this.#run(world, entry.sentAt + this.#boundMs);
    }
    promises.due('close', 'absolute');
    main.phase = 'closed';
    return clock.run(main.closingAt + BOUND_MS - clock.now());
  }

  #run(world: SessionWorld, until: number): Promise<void> {
    this.#closeBound(world, until);
    return world.clock.run(until - world.clock.now());
  }

  /** Whoever closes the session waits no longer than the bounds of the call, a turn that must end first included. */
  #closeBound({ promises, setup }: SessionWorld, until: number): void {
    if (setup.closes && until >= this.#closedAt + BOUND_MS) promises.due('close', 'absolute');
  }

  #lose(world: SessionWorld, reason: string): void {
    const { script, promises, books, agent } = world;
    books.lose();
    promises.dueAll(['open', 'turn', 'other turn'], reason);
    promises.dueAll(['close'], this.#disposes(world) ? 'ok' : reason);
    promises.eventually('agent.closed', `ok: ${reason}`);
    if (reason === 'closed') {
      void promises.track('agent.close', agent!.close());
      promises.eventually('agent.close', 'ok');
      return;
    }
    world.deaf = true;
    if (reason === 'io') script.pipe.fail();
    else script.pipe.end();
  }

  /** `await using` never rejects. */
  #disposes({ setup }: SessionWorld): boolean {
    return !setup.closes;
  }

  async #turnEnds(world: SessionWorld, reach: string, leaves: string): Promise<void> {
    const { entry, clock } = world;
    if (leaves === 'gone') return; // of the end of the connection, in the same step
    if (leaves === 'usable')
      return this.#answer(world, { result: { stopReason: 'end_turn' } }, 'ok: completed end_turn');
    if (reach !== 'fault') return this.#wedge(world, entry!.cancelledAt! + GRACE_MS);
    // A turn that is told to stop behind the back of its session: no session/cancel is written.
    const { actor } = world.observation.find('turn', (context) => context.turn !== 0 && context.session === 2)!;
    actor.send({ type: 'user.cancel' });
    return this.#wedge(world, clock.now() + GRACE_MS);
  }

  /** The grace passes: the agent is past trusting, and its connection ends. */
  async #wedge(world: SessionWorld, at: number): Promise<void> {
    const { books, promises, clock } = world;
    books.lose();
    this.#turnSettles(world, 'cancel-unconfirmed');
    this.#closeBound(world, at);
    promises.dueAll(['other turn'], 'cancel-unconfirmed');
    promises.dueAll(['close'], this.#disposes(world) ? 'ok' : 'cancel-unconfirmed');
    promises.eventually('agent.closed', 'ok: cancel-unconfirmed');
    return clock.run(at - clock.now());
  }

  /** The port that tells the caller throws: the chart of the turn breaks. */
  #turnBreaks(world: SessionWorld): void {
    this.#faults.throwsOnce(Turns.prototype, 'settleTurn');
    const { entry, script, books, promises } = world;
    books.lose();
    if (!entry!.told) this.#turnSettles(world, 'io');
    promises.dueAll(['other turn'], 'cancel-unconfirmed');
    promises.dueAll(['close'], this.#disposes(world) ? 'ok' : 'cancel-unconfirmed');
    promises.eventually('agent.closed', 'ok: cancel-unconfirmed');
    script.answer(entry!.id, { result: { stopReason: 'end_turn' } });
  }

  heard(world: SessionWorld): ReturnType<Driver['heard']> {
    return world.observation.find(this.chart, (context) => context.session === 2)?.heard ?? [];
  }

  facts(snapshot: AnyMachineSnapshot, world: SessionWorld | undefined): unknown {
    const { context, status, value } = snapshot;
    if (this.chart === 'turn') {
      const { begun, cancelRequested, settled } = context;
      return { status, value, begun, cancelRequested, settled };
    }
    const { replays, turn, questions, works, asksToClose, loss } = context;
    const open = (questions as { request: number; turn: number }[]).map((question) => ({
      request: world ? world.numberOf(question.request) : question.request,
      inTurn: question.turn !== 0,
    }));
    return { status, value, replays, inTurn: turn !== 0, open, works, asksToClose, loss };
  }

  async finish(world: SessionWorld): Promise<void> {
    if (!world.books.lost) await world.bystander();
    await world.probe();
  }

  restore(): void {
    this.#faults.restore();
  }
}
