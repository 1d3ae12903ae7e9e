/**
 * A chart together with its surroundings, as one logic that `xstate/graph` walks.
 *
 * The chart alone would be offered events that nobody can send: a second answer to one request, the end of a child that
 * nobody told to end. So the surroundings keep a few facts beside the chart (`Facts`) and say of each event how it comes
 * about. What they say is an assumption; where it is about a child chart, that chart's own suite shows it.
 */
import {
  __unsafe_getAllOwnEventDescriptors as ownEvents,
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate';
import { getAdjacencyMap, getShortestPaths } from 'xstate/graph';

export interface ChartEvent {
  type: string;
  [key: string]: unknown;
}

/**
 * `told`: something that happens outside makes this event. `moot`: it happens outside, and the chart must not hear of it.
 * `fault`: only a broken chart or port makes it. `never`: nothing can happen outside that would be this.
 */
export type Reach = 'told' | 'moot' | 'fault' | 'never';

export interface Facts {
  [name: string]: boolean;
}

export interface Model {
  /** Names the chart and what it was given. */
  name: string;
  chart: AnyStateMachine;
  input: object;
  /** Every event in every state: legal or not. Timers and what a state awaits of its children are added. */
  alphabet: readonly ChartEvent[];
  reach(at: AnyMachineSnapshot, facts: Facts, event: ChartEvent): Reach;
  /** What the surroundings know after an event that the chart was told of. */
  learn(facts: Facts, event: ChartEvent): Facts;
}

interface Node {
  status: 'active' | 'done' | 'error' | 'stopped';
  output: undefined;
  error: undefined;
  chart: AnyMachineSnapshot;
  facts: Facts;
}

export interface Step {
  event: ChartEvent;
  /** The chart afterwards. */
  to: AnyMachineSnapshot;
  reach: Exclude<Reach, 'never'>;
  /** The chart has a transition for it here. */
  legal: boolean;
}

/** A way through the chart: the last step is the edge that is looked at. */
export interface Path {
  name: string;
  model: Model;
  start: AnyMachineSnapshot;
  steps: readonly Step[];
}

const LIMIT = 50_000;

/** What a finished chart remembers makes no difference to what can still happen. */
const keyOf = ({ chart, facts }: Node): string =>
  JSON.stringify(chart.status === 'active' ? [chart.value, chart.context, facts] : [chart.value, facts['held']]);

function logicOf(model: Model): any {
  const node = (chart: AnyMachineSnapshot, facts: Facts): Node => ({
    status: chart.status,
    output: undefined,
    error: undefined,
    chart,
    facts,
  });
  return {
    getInitialSnapshot: () => node(initialTransition(model.chart, model.input as never)[0], {}),
    transition: (at: Node, event: ChartEvent) =>
      model.reach(at.chart, at.facts, event) === 'moot' || at.chart.status !== 'active'
        ? at
        : node(transition(model.chart, at.chart, event as never)[0], model.learn(at.facts, event)),
  };
}

function eventsAt(model: Model, at: Node): ChartEvent[] {
  const timers =
    at.chart.status === 'active' ? ownEvents(at.chart).filter((type) => type.startsWith('xstate.after.')) : [];
  return [...model.alphabet, ...timers.map((type) => ({ type }))];
}

export const describeEvent = ({ type, ...facts }: ChartEvent): string => {
  const said = Object.entries(facts)
    .filter(([name]) => name !== 'error' && name !== 'actorId')
    .map(([, value]) =>
      typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? 'undefined'),
    );
  return said.length === 0 ? type : `${type}(${said.join(', ')})`;
};

export const describeState = (chart: AnyMachineSnapshot): string =>
  chart.status === 'active' || typeof chart.value === 'string'
    ? JSON.stringify(chart.value).replaceAll('"', '')
    : 'over';

/** Every edge by its shortest way, broken charts and ports last; `pairs`: every legal edge followed by every edge. */
export function pathsOf(model: Model, { pairs = false } = {}): Path[] {
  const logic = logicOf(model);
  const options = {
    events: (at: Node) => eventsAt(model, at),
    serializeState: keyOf,
    limit: LIMIT,
    filterEvents: (at: Node, event: ChartEvent) => ['told', 'moot'].includes(model.reach(at.chart, at.facts, event)),
  };
  const nodes = getAdjacencyMap(logic, options as any) as unknown as Record<string, { state: Node }>;
  const ways = new Map<string, Step[]>();
  const start = logic.getInitialSnapshot() as Node;
  for (const path of getShortestPaths<any>(logic, options as any)) {
    // Walked anew: finished charts that differ in what they remember are one node.
    let at = start;
    const steps = path.steps.slice(1).map(({ event }): Step => {
      at = logic.transition(at, event) as Node;
      return { event: event, to: at.chart, reach: 'told', legal: true };
    });
    ways.set(keyOf(path.state as Node), steps);
  }
  const edgesFrom = (at: Node): { step: Step; next: Node }[] =>
    eventsAt(model, at).flatMap((event) => {
      const reach = model.reach(at.chart, at.facts, event);
      if (reach === 'never') return [];
      const next = logic.transition(at, event) as Node;
      const legal = reach !== 'moot' && at.chart.status === 'active' && at.chart.can(event);
      return [{ step: { event, to: next.chart, reach, legal }, next }];
    });
  const paths: Path[] = [];
  const add = (...steps: Step[]): void => {
    const before = steps.length > 1 ? steps.at(-2)!.to : start.chart;
    const { event, reach, legal } = steps.at(-1)!;
    const how = reach === 'fault' ? ' by a fault' : legal ? '' : ' changes nothing';
    const trail = steps.slice(0, -1).map((step) => describeEvent(step.event));
    const name = `${describeState(before)} + ${describeEvent(event)}${how} [${trail.join(' > ')}]`;
    paths.push({ name, model, start: start.chart, steps });
  };
  for (const [key, { state }] of Object.entries(nodes)) {
    const prefix = ways.get(key)!;
    for (const first of edgesFrom(state)) {
      if (!pairs) add(...prefix, first.step);
      else if (first.step.legal && first.step.reach === 'told') {
        for (const second of edgesFrom(first.next)) add(...prefix, first.step, second.step);
      }
    }
  }
  return paths;
}
