/** `acp-turnstile inspect`: as `run`, with a page that shows what goes on. */
import { type Command, InvalidArgumentError } from 'commander';
import type { InspectFlags } from './flags.js';
import type { Invocation } from './invocation.js';
import { addRunOptions } from './run.js';

const HELP = `
The page shows the charts with the states that are lit, the frames between client
and agent, permissions, both clocks of each wait, and counters. It is served on
127.0.0.1 alone, under an address that holds a secret, and asks nothing of the
internet. Prompts, answers and file text are not in it, only their sizes, unless
you say --with-text. A recording of \`record\` can be dropped on it.

It takes all options of \`run\`. Without a prompt a session is opened, and nothing
is asked. When the turn is over the page stays up until Ctrl-C; what it shows
stays in the browser after that. The exit code is that of \`run\`.

With --json the first line is {"event":"inspector","url":…}.

Examples:
  acp-turnstile inspect "Say what this folder is for." -- codex-acp
  acp-turnstile inspect --ask "plan and write" -- acp-turnstile demo-agent --pace 300
  acp-turnstile inspect --port 7777 --with-text "Hello" -- gemini --acp`;

function parsePort(typed: string): number {
  const port = Number(typed);
  if (!/^\d+$/.test(typed) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('It is a number from 1 to 65535.');
  return port;
}

export function addInspect(program: Command, invocation: Invocation): void {
  const command = program.command('inspect');
  command
    .usage('[options] [prompt] -- <command> [args...]')
    .summary('run an agent and watch it on a page in the browser')
    .description('Runs an agent as `run` does, and serves a page that shows what goes on.')
    .argument('[prompt]', 'what to say; `-` reads it from stdin; left out: only a session is opened')
    .option('--port <number>', 'serve the page on this port (default: one that is free)', parsePort)
    .option('--with-text', 'show the text of prompts, answers and files on the page');
  addRunOptions(command)
    .addHelpText('after', HELP)
    .action(async (prompt: string | undefined, flags: InspectFlags) => {
      const { inspect } = await import('./inspectAction.js');
      invocation.exitCode = await inspect(prompt, flags, command, invocation);
    });
}
