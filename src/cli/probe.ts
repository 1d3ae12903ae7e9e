/** `acp-turnstile probe`: what an agent says of itself and offers in a session. */
import type { Command } from 'commander';
import { addAgentOptions, jsonOption } from './agentOptions.js';
import type { ProbeFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
It starts the agent, opens one session, prints what is offered, and closes both.

Examples:
  acp-turnstile probe -- codex-acp
  acp-turnstile probe --json --auth api-key -- codex-acp`;

export function addProbe(program: Command, invocation: Invocation): void {
  const command = program.command('probe');
  command
    .usage('[options] -- <command> [args...]')
    .summary('show what an agent can do and offers')
    .description('Shows what an agent says of itself and offers in a session. It is never prompted.')
    .option('--all', 'show long lists in full')
    .addOption(jsonOption('print one JSON object'));
  addAgentOptions(command)
    .addHelpText('after', HELP)
    .action(async (flags: ProbeFlags) => {
      const { probe } = await import('./probeAction.js');
      invocation.exitCode = await probe(flags, command, invocation);
    });
}
