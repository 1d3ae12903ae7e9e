/** `acp-turnstile completion`: what a shell needs to complete our command line, out of the commands themselves. */
import { Argument, type Command } from 'commander';
import { noAgent } from './agentOptions.js';
import type { Shell } from './completionShape.js';
import type { Invocation } from './invocation.js';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

const HELP = `
For this shell only, or in its start-up file for all:
  source <(acp-turnstile completion bash)
  source <(acp-turnstile completion zsh)
  acp-turnstile completion fish | source`;

export function addCompletion(program: Command, invocation: Invocation): void {
  const command = program.command('completion');
  command
    .summary('print what a shell needs to complete this command line')
    .description('Prints a script that makes a shell complete commands, options and their values.')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      noAgent(command, invocation.agent);
      const { completion } = await import('./completionAction.js');
      await invocation.output.styled(completion(program, shell));
    });
}
