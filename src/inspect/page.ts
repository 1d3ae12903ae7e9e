/** The page of a chart: its theory of operation, its diagram, and every transition as a row. */
import type { Chart, ChartState } from './chart.js';
import { toMermaid } from './mermaid.js';

/** A cell may hold no pipe; states and effects are code. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${cell(text)}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

function short(chart: Chart, id: string): string {
  return id === chart.id ? chart.id : id.slice(chart.id.length + 1);
}

function facts(state: ChartState): string[] {
  const lines: string[] = [];
  if (state.description) lines.push(state.description);
  if (state.wire !== undefined) lines.push(`On the wire: ${code(state.wire)}.`);
  if (state.tags.length > 0) lines.push(`Tags: ${codes(state.tags)}.`);
  if (state.entry.length > 0) lines.push(`On entry: ${codes(state.entry)}.`);
  if (state.exit.length > 0) lines.push(`On exit: ${codes(state.exit)}.`);
  if (state.invokes.length > 0) lines.push(`Runs: ${codes(state.invokes)}.`);
  return lines;
}

function section(chart: Chart, state: ChartState): string {
  const edges = chart.edges.filter(({ from }) => from === state.id);
  const kind = state.type === 'atomic' || state.type === 'compound' ? '' : ` (${state.type})`;
  const lines = [`### ${code(short(chart, state.id))}${kind}`, '', ...facts(state).flatMap((line) => [line, ''])];
  if (edges.length === 0) {
    const nothing = state.type === 'compound' || state.type === 'parallel' ? '' : 'Nothing is legal here.';
    return [...lines, ...(nothing ? [nothing, ''] : [])].join('\n');
  }
  lines.push('| event | if | next | effects |', '|---|---|---|---|');
  for (const { event, guard, to, effects } of edges) {
    const next = to.length === 0 ? 'stays' : codes(to.map((id) => short(chart, id)));
    lines.push(`| ${code(event)} | ${guard === undefined ? '' : code(guard)} | ${next} | ${codes(effects)} |`);
  }
  return [...lines, ''].join('\n');
}

/** `theory`: the head comments of the chart's files, as prose. */
export function toPage(chart: Chart, theory: string): string {
  const states = chart.states.slice(1).map((state) => section(chart, state));
  return [
    `# The ${chart.id} chart`,
    '',
    '<!-- Written by `npm run docs` from the machine that runs. Do not edit. -->',
    '',
    theory,
    '',
    `![The ${chart.id} chart](${chart.id}.svg)`,
    '',
    '```mermaid',
    toMermaid(chart).trimEnd(),
    '```',
    '',
    '## States and transitions',
    '',
    ...states,
  ].join('\n');
}
