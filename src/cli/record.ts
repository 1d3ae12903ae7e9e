/** `acp-turnstile record`: between a client and its agent, and nothing of it is changed. */
import type { Command } from 'commander';
import type { RecordFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
Put it before the agent's command wherever that is configured, in an editor or an
orchestrator: the client notices nothing. Bytes, stderr, signals and the exit code
pass as they are.

Without --with-text the recording holds ids, kinds, sizes and times, and no word of
prompts, files, tools, environments, headers or logins. It ends at 64 MiB. Each
start writes the file anew; give a folder, and each start has its own.

Examples:
  acp-turnstile record -o run.jsonl -- codex-acp
  acp-turnstile record -o ~/recordings --with-text -- gemini --acp
  acp-turnstile lint run.jsonl`;

export function addRecord(program: Command, invocation: Invocation): void {
  const command = program.command('record');
  command
    .usage('[options] -- <command> [args...]')
    .summary('record what a client and its agent say to each other')
    .description('Passes everything between a client and its agent, and records it beside.')
    .option('-o, --output <file>', 'the file, or a folder (default: a new file in this folder)')
    .option('--with-text', 'record the text of prompts, answers, files and tools too')
    .addHelpText('after', HELP)
    .action(async (flags: RecordFlags) => {
      const { record } = await import('./recordAction.js');
      invocation.exitCode = await record(flags, command, invocation);
    });
}
