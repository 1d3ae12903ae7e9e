/** A chart as data: what the machine that runs says of itself, in its own order. Everything that draws starts here. */
import type { AnyStateMachine } from 'xstate';
import { connectionMachine, processMachine, sessionMachine, turnMachine } from '../../machines/index.js';

export interface ChartState {
  /** Dotted from the machine: `turn.stopping.owed`. */
  id: string;
  key: string;
  parent: string | undefined;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Of its parent. */
  initial: boolean;
  description: string;
  tags: readonly string[];
  /** The protocol method that the state is about. */
  wire: string | undefined;
  entry: readonly string[];
  exit: readonly string[];
  invokes: readonly string[];
}

export interface ChartEdge {
  from: string;
  /** Empty: the transition goes nowhere and only acts. */
  to: readonly string[];
  event: string;
  guard: string | undefined;
  effects: readonly string[];
  description: string;
}

export interface Chart {
  id: string;
  states: readonly ChartState[];
  edges: readonly ChartEdge[];
}

/** The four charts, root first. */
export const MACHINES: readonly AnyStateMachine[] = [connectionMachine, sessionMachine, turnMachine, processMachine];

type Node = AnyStateMachine['root'];
interface Named {
  type?: unknown;
  to?: unknown;
  src?: unknown;
  event?: unknown;
}

/** `after`, `done` and `error` in words that a reader of the picture knows. */
function eventName(type: string): string {
  const parts = type.split('.');
  if (type.startsWith('xstate.after.')) return `after ${parts[2] ?? ''}`;
  if (type.startsWith('xstate.done.actor.')) return `done ${parts[3] ?? ''}`;
  if (type.startsWith('xstate.error.actor.')) return `error ${parts[3] ?? ''}`;
  return type === '' ? 'always' : type;
}

/** A named effect by its name; what XState does itself by what it does. Facts that are only noted are no effect. */
function effectName(action: unknown): string | undefined {
  if (typeof action === 'string') return action;
  const { type, to, src, event } = action as Named;
  if (type === 'xstate.assign') return undefined;
  if (type === 'xstate.sendTo') {
    const sent = (event as Named | undefined)?.type;
    return `${typeof sent === 'string' ? sent : 'the event'} to ${typeof to === 'string' ? to : 'a child'}`;
  }
  if (type === 'xstate.spawnChild') return `spawn ${typeof src === 'string' ? src : 'a child'}`;
  if (type === 'xstate.stopChild') return 'forget the child';
  return typeof type === 'string' ? type : undefined;
}

const effectNames = (actions: readonly unknown[]): string[] =>
  actions.map(effectName).filter((name): name is string => name !== undefined);

function guardName(guard: unknown): string | undefined {
  if (guard === undefined) return undefined;
  return typeof guard === 'string' ? guard : String((guard as Named).type);
}

function edgesOf(node: Node): ChartEdge[] {
  const declared = [...node.transitions.values()].flat();
  return [...(node.always ?? []), ...declared].map((transition) => ({
    from: node.id,
    to: (transition.target ?? []).map(({ id }) => id),
    event: eventName(String(transition.eventType)),
    guard: guardName(transition.guard),
    effects: effectNames(transition.actions),
    description: transition.description ?? '',
  }));
}

export function chartOf(machine: AnyStateMachine): Chart {
  const states: ChartState[] = [];
  const edges: ChartEdge[] = [];
  const walk = (node: Node, parent: Node | undefined): void => {
    states.push({
      id: node.id,
      key: node.key,
      parent: parent?.id,
      type: node.type,
      initial: parent?.initial.target?.[0]?.id === node.id,
      description: node.description ?? '',
      tags: node.tags,
      wire: (node.meta as { wire?: string } | undefined)?.wire,
      entry: effectNames(node.entry),
      exit: effectNames(node.exit),
      invokes: node.invoke.map(({ id }) => id),
    });
    edges.push(...edgesOf(node));
    for (const child of Object.values(node.states)) walk(child, node);
  };
  walk(machine.root, undefined);
  return { id: machine.id, states, edges };
}
