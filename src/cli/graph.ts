/** `acp-turnstile graph`: the charts that run, drawn. */
import { Argument, type Command, Option } from 'commander';
import { chartOf, MACHINES, type Chart } from '../inspect/chart.js';
import { toMermaid } from '../inspect/mermaid.js';
import { toPage } from '../inspect/page.js';
import { noAgent } from './agentOptions.js';
import type { Invocation } from './invocation.js';

type Format = 'mermaid' | 'markdown' | 'json';

const HELP = `
Example:
  acp-turnstile graph turn --format mermaid`;

function drawn(chart: Chart, format: Format): string {
  if (format === 'json') return `${JSON.stringify(chart)}\n`;
  return format === 'mermaid' ? toMermaid(chart) : toPage(chart, '');
}

export function addGraph(program: Command, invocation: Invocation): void {
  const command = program.command('graph');
  const names = MACHINES.map(({ id }) => id);
  command
    .summary('draw the charts that run')
    .description('Draws the state charts of the library: what runs is exactly what is drawn.')
    .addArgument(new Argument('[chart]', 'which one; left out: all').choices(names))
    .addOption(new Option('--format <format>', 'how').choices(['mermaid', 'markdown', 'json']).default('mermaid'))
    .addHelpText('after', HELP)
    .action((only: string | undefined, { format }: { format: Format }) => {
      noAgent(command, invocation.agent);
      const chosen = MACHINES.filter(({ id }) => only === undefined || id === only);
      process.stdout.write(chosen.map((machine) => drawn(chartOf(machine), format)).join('\n'));
    });
}
