/** `acp-turnstile demo-agent`: the agent of this package, on stdin and stdout. */
import { type Command, InvalidArgumentError } from 'commander';
import { noAgent, protocolOption } from './agentOptions.js';
import { parseDuration } from './durations.js';
import type { Invocation } from './invocation.js';

const HELP = `
Words in a prompt tell it what to do: think, plan, tool, write (asks first),
slow, refuse. Any other prompt gets a short answer. It ends when stdin does.

Example:
  acp-turnstile run --ask "plan and write" -- acp-turnstile demo-agent`;

/** Milliseconds, or a duration with its unit. */
function parsePace(typed: string): number {
  if (!/^\d+$/.test(typed)) return parseDuration(typed);
  const ms = Number(typed);
  if (ms > LONGEST_PACE_MS) throw new InvalidArgumentError(`It can be ${LONGEST_PACE_MS} at most.`);
  return ms;
}
const LONGEST_PACE_MS = 60_000;

export function addDemoAgent(program: Command, invocation: Invocation): void {
  const command = program.command('demo-agent');
  command
    .summary('be the small agent that comes with the package')
    .description('A small agent to try things on: it speaks the protocol on stdin and stdout, and needs no model.')
    .option('--pace <ms>', 'milliseconds between two updates (default: 30)', parsePace)
    .addOption(protocolOption('the newest version of the protocol that it speaks (default: 2)'))
    .addHelpText('after', HELP)
    .action(async ({ pace, protocol }: { pace?: number; protocol?: 1 | 2 }) => {
      noAgent(command, invocation.agent);
      const { runDemoAgent } = await import('../demo/demoAgent.js');
      await runDemoAgent({ input: process.stdin, output: process.stdout, paceMs: pace, protocolVersion: protocol });
    });
}
