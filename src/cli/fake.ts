/** `acp-turnstile fake`: the agent of a case file. */
import { type Command, InvalidArgumentError } from 'commander';
import { noAgent } from './agentOptions.js';
import type { FakeFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
A case file scripts an agent: what it waits for, what it answers, how it breaks the
protocol or dies. fixtures/cases/README.md of the package's repository has the
format. At the end it says VERDICT OK, or why it failed, on stderr.

Example:
  acp-turnstile run "Hello" -- acp-turnstile fake --case 59-cancel-never-answered.json`;

function parseSegment(typed: string): number {
  if (!/^\d{1,3}$/.test(typed)) throw new InvalidArgumentError('It is a number, from 0.');
  return Number(typed);
}

export function addFake(program: Command, invocation: Invocation): void {
  const command = program.command('fake');
  command
    .summary('be the scripted agent of a case file')
    .description('Plays the agent of a case file on stdin and stdout.')
    .requiredOption('--case <file>', 'the case file')
    .option('--segment <n>', 'which process of a case that starts several (default: 0)', parseSegment)
    .addHelpText('after', HELP)
    .action(async (flags: FakeFlags) => {
      noAgent(command, invocation.agent);
      const { fake } = await import('./fakeAction.js');
      await fake(flags, command);
    });
}
