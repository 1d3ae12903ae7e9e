/** `acp-turnstile demo`: one turn against the agent of this package, with every state on the way. */
import type { Command } from 'commander';
import { jsonOption, noAgent, protocolOption } from './agentOptions.js';
import type { DemoFlags } from './flags.js';
import type { Invocation } from './invocation.js';

export function addDemo(program: Command, invocation: Invocation): void {
  const command = program.command('demo');
  command
    .summary('watch one turn against that agent, state by state')
    .description('Runs one turn against the demo agent and prints each state on the way.')
    .addOption(protocolOption('offer only this version of the protocol'))
    .addOption(jsonOption('print a JSON object a line'))
    .action(async (flags: DemoFlags) => {
      noAgent(command, invocation.agent);
      const { demo } = await import('./demoAction.js');
      invocation.exitCode = await demo(flags, invocation.output);
    });
}
