/** What happens outside of the client so that the chart of the process hears an event. */
import type { AnyMachineSnapshot } from 'xstate';
import { settle } from '../manualClock.js';
import { AGREES, ConnectionWorld } from './connectionWorld.js';
import type { Coverage } from './coverage.js';
import { CLOSE_GRACE_MS, KILL_GRACE_MS, TERM_GRACE_MS } from './fakeProcess.js';
import type { Path, Step } from './model.js';
import type { Driver } from './walk.js';

const DRAIN_MS = 50;

export class ProcessDriver implements Driver<ConnectionWorld> {
  readonly follows = /^process\.exited$/;

  constructor(readonly coverage: Coverage) {}

  async begin(path: Path): Promise<ConnectionWorld> {
    const source = path.model.name.includes('streams') ? 'streams' : 'command';
    const world = new ConnectionWorld(this.coverage, { versions: [1], source });
    world.begin(() => {
      const { script } = world;
      script.react = ({ method, id }) => {
        if (method !== 'initialize') return;
        world.agrees();
        script.answer(id as number, { result: AGREES[1] });
      };
    });
    if (source === 'streams') await settle();
    return world;
  }

  async act(world: ConnectionWorld, { event, reach }: Step, _path: Path, index: number): Promise<void> {
    const { clock, source, agent, promises, script } = world;
    switch (event.type) {
      case 'process.spawned':
        if (source === 'command') world.process.spawned();
        return;
      case 'process.spawnFailed':
        if (reach === 'told') world.ends('spawn-failed');
        return world.process.failed();
      case 'process.exited':
        if (reach === 'told') world.ends('agent-exited');
        world.deaf = true;
        if (source === 'streams') return script.pipe.end(); // a second end is none
        world.process.exits(event['groupGone'] === true);
        return clock.run(DRAIN_MS);
      case 'process.gone':
        return world.process.goes();
      case 'user.close':
        if (!world.books.lost) world.ends('closed', 'thrown: Error: given up');
        if (agent) {
          void promises.track(`agent.close ${index}`, agent.close());
          promises.eventually(`agent.close ${index}`, 'ok');
        } else world.giveUp.abort(new Error('given up'));
        return;
      default:
        return clock.run(this.#stageEnds(world, event.type) - clock.now());
    }
  }

  /** When the stage of the shut-down that is under way is over, if nobody leaves. */
  #stageEnds(world: ConnectionWorld, type: string): number {
    if (type.startsWith('xstate.after.closeGrace')) return world.script.stdinEndedAt! + CLOSE_GRACE_MS;
    const { at } = world.process.signals.at(-1)!;
    return at + (type.startsWith('xstate.after.termGrace') ? TERM_GRACE_MS : KILL_GRACE_MS);
  }

  heard(world: ConnectionWorld): ReturnType<Driver['heard']> {
    return world.observation.find('process')?.heard ?? [];
  }

  facts({ status, value, context }: AnyMachineSnapshot): unknown {
    return { status, value, spawned: context.spawned };
  }

  async finish(world: ConnectionWorld): Promise<void> {
    await world.probe();
  }
}
