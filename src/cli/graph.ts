/** `acp-turnstile graph`: the charts that run, drawn. */
import { Argument, type Command, Option } from 'commander';
import { jsonOption, noAgent } from './agentOptions.js';
import type { GraphFlags } from './flags.js';
import type { Invocation } from './invocation.js';

/** Named here, so that no other command has to load the charts to know what this one is called with. */
export const CHART_NAMES = ['connection', 'session', 'turn', 'process'] as const;

const HELP = `
Examples:
  acp-turnstile graph turn
  acp-turnstile graph session --format svg > session.svg`;

export function addGraph(program: Command, invocation: Invocation): void {
  const command = program.command('graph');
  command
    .summary('draw the charts that run')
    .description('Draws the state charts of the library: what runs is exactly what is drawn.')
    .addArgument(new Argument('[chart]', 'which one; left out: all').choices(CHART_NAMES))
    .addOption(
      new Option('--format <format>', 'how').choices(['mermaid', 'markdown', 'svg', 'json']).default('mermaid'),
    )
    .addOption(jsonOption('the same as --format json').implies({ format: 'json' }))
    .addHelpText('after', HELP)
    .action(async (only: string | undefined, flags: GraphFlags) => {
      noAgent(command, invocation.agent);
      if (flags.format === 'svg' && only === undefined) {
        command.error(`error: a picture is of one chart: graph ${CHART_NAMES[0]} --format svg\n  ${CHARTS}`);
      }
      const { graph } = await import('./graphAction.js');
      await graph(only, flags.format, invocation.output);
    });
}
const CHARTS = `The charts: ${CHART_NAMES.join(', ')}.`;
