/** A chart as a Mermaid state diagram, which code hosts draw. */
import type { Chart, ChartEdge, ChartState } from './chart.js';

/** Mermaid takes letters, digits and underscores for an id. */
const idOf = (id: string): string => id.replaceAll('.', '_');

function label({ event, guard, effects }: ChartEdge): string {
  const when = guard === undefined ? event : `${event} [${guard}]`;
  return effects.length === 0 ? when : `${when} / ${effects.join(', ')}`;
}

export function toMermaid(chart: Chart): string {
  const childrenOf = (parent: string): ChartState[] => chart.states.filter((state) => state.parent === parent);
  const lines: string[] = ['stateDiagram-v2'];
  const draw = (state: ChartState, depth: number): void => {
    const pad = '  '.repeat(depth);
    const id = idOf(state.id);
    const children = childrenOf(state.id);
    if (children.length === 0) {
      lines.push(`${pad}state "${state.key}" as ${id}`);
    } else {
      lines.push(`${pad}state "${state.key}" as ${id} {`);
      inside(state, children, depth + 1);
      lines.push(`${pad}}`);
    }
  };
  const inside = (state: ChartState, children: readonly ChartState[], depth: number): void => {
    const pad = '  '.repeat(depth);
    children.forEach((child, at) => {
      if (state.type === 'parallel' && at > 0) lines.push(`${pad}--`);
      if (child.initial && state.type !== 'parallel') lines.push(`${pad}[*] --> ${idOf(child.id)}`);
      draw(child, depth);
      if (child.type === 'final') lines.push(`${pad}${idOf(child.id)} --> [*]`);
    });
  };
  const [root] = chart.states;
  if (root) inside(root, childrenOf(root.id), 1);
  for (const edge of chart.edges) {
    for (const to of edge.to) lines.push(`  ${idOf(edge.from)} --> ${idOf(to)} : ${label(edge)}`);
  }
  return `${lines.join('\n')}\n`;
}
