/** `acp-turnstile lint`: breaches of the protocol in a recording. */
import type { Command } from 'commander';
import { jsonOption, noAgent } from './agentOptions.js';
import type { LintFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
It reads what \`acp-turnstile record\` writes and \`connect({ recorder })\`, with or
without text. The exit code is 0 where both sides kept to the protocol, and 8
where not. docs/recordings.md tells of each rule.

Examples:
  acp-turnstile lint run.jsonl
  acp-turnstile lint --json run.jsonl | jq -r .rule | sort | uniq -c`;

export function addLint(program: Command, invocation: Invocation): void {
  const command = program.command('lint');
  command
    .summary('find breaches of the protocol in a recording')
    .description('Tells where client or agent broke the protocol in a recording, line by line.')
    .argument('<file...>', 'recordings')
    .addOption(jsonOption('print a JSON object a line for each breach'))
    .addHelpText('after', HELP)
    .action(async (files: string[], flags: LintFlags) => {
      noAgent(command, invocation.agent);
      const { lintFiles } = await import('./lintAction.js');
      invocation.exitCode = lintFiles(files, flags, command, invocation);
    });
}
