/** `acp-turnstile doctor`: whether an agent can be driven at all, step by step. */
import type { Command } from 'commander';
import { addAgentOptions, jsonOption } from './agentOptions.js';
import { parseDuration } from './durations.js';
import type { DoctorFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
In each version of the protocol it starts the agent, initializes, opens a
session in an empty temporary folder, closes it, ends the agent, and looks for
processes that are left. It prints the time of each step.

It changes nothing, and so does not prompt: what cancelling does is only seen
with --prompt. That sends one prompt, which asks for no work, and cancels it at
once. It may cost a call of the model; every permission is answered
\`cancelled\`; the folder is empty, and removed afterwards.

Whether anybody is asked for permission is read from the mode that the session
starts in. Where its words do not tell, the answer is \`unknown\`.

Exit codes:
  0    it can be driven in every version that it speaks
  1    a step failed, or something was left running; or used wrongly
  2    it does not speak ACP
  3    it asks for a login first

Examples:
  acp-turnstile doctor -- codex-acp
  acp-turnstile doctor --prompt --auth gemini-api-key -- gemini --acp`;

export function addDoctor(program: Command, invocation: Invocation): void {
  const command = program.command('doctor');
  command
    .usage('[options] -- <command> [args...]')
    .summary('check whether an agent works, step by step')
    .description('Checks whether an agent works, step by step, in both versions of the protocol.')
    .option('--prompt', 'send one prompt, too, and cancel it')
    .option('--limit <duration>', 'give up on a step after this long (default: 30s)', parseDuration)
    .addOption(jsonOption('print one JSON object'));
  addAgentOptions(command, 'the folder that the agent is started in (default: this one)')
    .addHelpText('after', HELP)
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('./doctorAction.js');
      invocation.exitCode = await doctor(flags, command, invocation);
    });
}
