/** What the charts of one connection did, as `connect({ inspect })` shows it. */
import type { AnyActorRef, AnyMachineSnapshot, InspectionEvent } from 'xstate';
import type { Coverage } from './coverage.js';
import type { ChartEvent } from './model.js';

export interface Heard {
  event: ChartEvent;
  snapshot: AnyMachineSnapshot;
}

export class Observation {
  readonly #heard = new Map<AnyActorRef, Heard[]>();

  constructor(readonly coverage: Coverage) {}

  readonly inspect = (seen: InspectionEvent): void => {
    const actor = seen.actorRef as AnyActorRef;
    if (seen.type === '@xstate.microstep') this.coverage.walked(seen._transitions);
    if (seen.type !== '@xstate.snapshot') return;
    const entry = { event: seen.event, snapshot: seen.snapshot as AnyMachineSnapshot };
    const list = this.#heard.get(actor);
    if (list) list.push(entry);
    else this.#heard.set(actor, [entry]);
  };

  /** The first actor of a chart that fits, and what it heard. */
  find(
    chart: string,
    fits: (context: any) => boolean = () => true,
  ): { actor: AnyActorRef; heard: Heard[] } | undefined {
    for (const [actor, heard] of this.#heard) {
      const { snapshot } = heard[0]!;
      if (snapshot.machine.id === chart && fits(snapshot.context)) return { actor, heard };
    }
    return undefined;
  }
}
