/** `acp-turnstile run`: one prompt, one turn. */
import { type Command, Option } from 'commander';
import { addAgentOptions, jsonOption } from './agentOptions.js';
import { parseDuration } from './durations.js';
import type { Invocation } from './invocation.js';
import { parseKinds } from './permissionFlags.js';
import type { RunFlags } from './flags.js';

const HELP = `
Examples:
  acp-turnstile run "Say what this folder is for." -- codex-acp
  acp-turnstile run --allow read --max 10m "Find the bug." -- gemini --acp
  git diff | acp-turnstile run - -- claude-agent-acp
  acp-turnstile run --json "Hello" -- acp-turnstile demo-agent | jq -r .event

Permissions: without --allow and --ask every request is answered \`cancelled\`.
The kind that --allow goes by is what the agent itself says of its tool.

Durations are written 300ms, 30s, 5m, 2h. Without --idle and --max a turn has
15 minutes of silence and 4 hours in all, and each call before it one minute.

With --json each line of stdout is an object with a member \`event\`: connected,
session, state, update, decision, and one result or error. What is too large for
a line is cut, and the line then has \`"cut": true\`.

Ctrl-C cancels the turn and waits for the agent to stop; a second one kills it.
\`acp-turnstile --help\` lists the exit codes.`;

/** What `run` and `inspect` take beside the prompt. */
export function addRunOptions(command: Command): Command {
  command
    .addOption(
      new Option('--allow <kinds>', 'allow these kinds of tool, each time anew, and no others')
        .argParser(parseKinds)
        .conflicts('ask'),
    )
    .option('--ask', 'be asked at this terminal')
    .option('--idle <duration>', 'give up after this long without a word of the agent', parseDuration)
    .option('--max <duration>', 'give up after this long in all', parseDuration)
    .option('--model <id>', "choose a model, in the agent's spelling")
    .option('--effort <level>', 'choose how hard it thinks')
    .option('--mode <id>', "choose a mode, in the agent's spelling")
    .option('--load <id>', 'go on with this session of the agent')
    .addOption(jsonOption('print events to stdout, a JSON object a line'));
  return addAgentOptions(command);
}

export function addRun(program: Command, invocation: Invocation): void {
  const command = program
    .command('run')
    .usage('[options] <prompt> -- <command> [args...]')
    .summary('send one prompt to an agent and stream its answer')
    .description('Sends one prompt to an agent and streams its answer to stdout.')
    .argument('<prompt>', 'what to say; `-` reads it from stdin');
  addRunOptions(command)
    .addHelpText('after', HELP)
    .action(async (prompt: string, flags: RunFlags) => {
      const { run } = await import('./runAction.js');
      invocation.exitCode = await run(prompt, flags, command, invocation);
    });
}
