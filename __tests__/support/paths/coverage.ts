/** Which declared transitions of a chart were taken. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

const nameOf = (t: AnyTransitionDefinition): string => {
  const { source, eventType, guard, target } = t;
  const same = eventType === '' ? (source.always ?? []) : (source.transitions.get(eventType) ?? []);
  // A guard is its name, or a name with parameters.
  const guarded: unknown = typeof guard === 'object' && guard !== null && 'type' in guard ? guard.type : guard;
  const when = guard === undefined ? '' : ` [${String(guarded)}]`;
  const to = target?.map(({ id }) => id).join(', ') ?? 'stays';
  return `${source.id} + ${eventType === '' ? 'always' : eventType}${when} #${same.indexOf(t as never)} -> ${to}`;
};

export class Coverage {
  /** Each declared transition, and how it was taken. */
  readonly #declared = new Map<string, 'not' | 'by faults' | 'walked'>();
  /** What is walked now was made by a fault. */
  byFault = false;

  constructor(readonly chart: AnyStateMachine) {
    this.#declare(chart.root);
  }

  #declare(node: AnyStateNode): void {
    for (const transitions of node.transitions.values()) {
      for (const transition of transitions) this.#declared.set(nameOf(transition), 'not');
    }
    for (const transition of node.always ?? []) this.#declared.set(nameOf(transition), 'not');
    for (const child of Object.values(node.states)) this.#declare(child);
  }

  /** Those of other charts are none of ours. */
  walked(transitions: readonly AnyTransitionDefinition[]): void {
    for (const transition of transitions) {
      const name = nameOf(transition);
      const before = this.#declared.get(name);
      if (before === 'not' || (before === 'by faults' && !this.byFault)) {
        this.#declared.set(name, this.byFault ? 'by faults' : 'walked');
      }
    }
  }

  get declared(): number {
    return this.#declared.size;
  }

  /** Those that no path took, or none without a fault. */
  taken(how: 'not' | 'by faults'): string[] {
    return [...this.#declared].filter(([, taken]) => taken === how).map(([name]) => name);
  }
}
