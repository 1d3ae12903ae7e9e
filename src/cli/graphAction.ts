/** What `graph` prints. */
import { readFileSync } from 'node:fs';
import { type Chart, chartOf, MACHINES } from '../inspect/chart.js';
import { toMermaid } from '../inspect/mermaid.js';
import { ownFile } from '../inspect/ownPackage.js';
import { toPage } from '../inspect/page.js';
import type { GraphFormat } from './flags.js';
import type { Output } from './output.js';

/** Laid out by `npm run docs`, which needs more than the package does; a test holds them to the machines. */
function picture({ id }: Chart): string {
  return readFileSync(ownFile(`docs/machines/${id}.svg`), 'utf8');
}

function drawn(chart: Chart, format: GraphFormat): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(chart)}\n`;
    case 'svg':
      return picture(chart);
    case 'markdown':
      return toPage(chart, '');
    case 'mermaid':
      return toMermaid(chart);
  }
}

export async function graph(only: string | undefined, format: GraphFormat, output: Output): Promise<void> {
  const chosen = MACHINES.filter(({ id }) => only === undefined || id === only);
  // JSON is one object a line, and nothing between them.
  const separator = format === 'json' ? '' : '\n';
  await output.styled(chosen.map((machine) => drawn(chartOf(machine), format)).join(separator));
}
