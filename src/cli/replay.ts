/** `acp-turnstile replay`: either side of a recording, played to the other. */
import { type Command, Option } from 'commander';
import { jsonOption } from './agentOptions.js';
import { parseDuration } from './durations.js';
import type { ReplayFlags } from './flags.js';
import type { Invocation } from './invocation.js';

const HELP = `
--as agent speaks on stdin and stdout as the recorded agent did, for as long as the
client says what it said then. --as client starts an agent, says to it what the
client had said, and tells where it answers otherwise: by method, form and kind,
never by its text. The exit code is 0 where both went the same way, 8 where not.

In a recording without text every prompt is a placeholder, and an agent may well
do something else on it: record --with-text to play what was said.

Examples:
  acp-turnstile run "Hello" -- acp-turnstile replay run.jsonl --as agent
  acp-turnstile replay run.jsonl --as client -- codex-acp`;

export function addReplay(program: Command, invocation: Invocation): void {
  const command = program.command('replay');
  command
    .usage('<file> --as <agent|client> [-- <command> [args...]]')
    .summary('play a recording as an agent, or to an agent')
    .description('Plays one side of a recording, and tells where the other goes another way.')
    .argument('<file>', 'a recording')
    .addOption(new Option('--as <side>', 'which side to play').choices(['agent', 'client']).makeOptionMandatory())
    .option('--wait <duration>', 'how long the other side may be silent (default: 30s)', parseDuration)
    .addOption(jsonOption('print the outcome as one JSON object (as client)'))
    .addHelpText('after', HELP)
    .action(async (file: string, flags: ReplayFlags) => {
      const { replay } = await import('./replayAction.js');
      invocation.exitCode = await replay(file, flags, command, invocation);
    });
}
