/** XState's inspection events, read as transitions of our charts. */
import type { AnyActorRef, AnyMachineSnapshot, InspectedSnapshotEvent, InspectionEvent } from 'xstate';
import type { TransitionSeen } from './observer.js';

interface Node {
  id: string;
  type: string;
}
interface Taken {
  source: Node;
  target: readonly Node[] | undefined;
}

/** Internal events by the words that the pictures use. */
function eventName(type: string): string {
  if (type.startsWith('xstate.after.')) return `after ${type.split('.')[2] ?? ''}`;
  if (type.startsWith('xstate.done.actor.')) return `done ${type.slice('xstate.done.actor.'.length)}`;
  if (type.startsWith('xstate.error.actor.')) return `error ${type.slice('xstate.error.actor.'.length)}`;
  return type;
}

/** Slots name the actors below the root, which itself has a name of XState's making. */
export function pathOf(actor: AnyActorRef): string {
  const { _parent: parent } = actor as AnyActorRef & { _parent?: AnyActorRef };
  return parent ? `${pathOf(parent)}/${actor.id}` : 'connection';
}

export const leavesOf = (snapshot: AnyMachineSnapshot): string[] =>
  (snapshot._nodes as readonly Node[]).filter(({ type }) => type === 'atomic' || type === 'final').map(({ id }) => id);

/** A chart begins in its first states without a transition: it is told as one from nowhere. */
function begun(event: InspectedSnapshotEvent, at: number): TransitionSeen {
  const snapshot = event.snapshot as AnyMachineSnapshot;
  const states = leavesOf(snapshot);
  const actor = pathOf(event.actorRef as AnyActorRef);
  return {
    at,
    actor,
    chart: snapshot.machine.id,
    event: 'begin',
    from: [],
    to: states,
    states,
    status: snapshot.status,
  };
}

/** `undefined` for an inspection event that is no transition. */
export function transitionOf(event: InspectionEvent, at: number): TransitionSeen | undefined {
  if (event.type === '@xstate.snapshot' && event.event.type === 'xstate.init') return begun(event, at);
  if (event.type !== '@xstate.microstep') return undefined;
  const snapshot = event.snapshot as AnyMachineSnapshot;
  const taken = event._transitions as unknown as readonly Taken[];
  return {
    at,
    actor: pathOf(event.actorRef as AnyActorRef),
    chart: snapshot.machine.id,
    event: eventName(event.event.type),
    from: taken.map(({ source }) => source.id),
    to: taken.flatMap(({ target }) => (target ?? []).map(({ id }) => id)),
    states: leavesOf(snapshot),
    status: snapshot.status,
  };
}
