/** The commands, and what is common to them all. */
import { Command, CommanderError } from 'commander';
import { addCompletion } from './completion.js';
import { addDemo } from './demo.js';
import { addDemoAgent } from './demoAgent.js';
import { addDoctor } from './doctor.js';
import { EXIT, EXIT_HELP } from './exitCodes.js';
import { addFake } from './fake.js';
import { addGraph } from './graph.js';
import { addInspect } from './inspect.js';
import type { Invocation } from './invocation.js';
import { Output } from './output.js';
import { addLint } from './lint.js';
import { addProbe } from './probe.js';
import { addRecord } from './record.js';
import { addReplay } from './replay.js';
import { addRun } from './run.js';
import { VERSION } from './version.js';

/** In the order in which the help lists them. */
const COMMANDS: readonly ((program: Command, invocation: Invocation) => void)[] = [
  addRun,
  addProbe,
  addDoctor,
  addInspect,
  addRecord,
  addLint,
  addReplay,
  addFake,
  addDemo,
  addDemoAgent,
  addGraph,
  addCompletion,
];

const HELP = `
The agent's own command always comes last, after \`--\`:
  acp-turnstile run "Say what this folder is for." -- codex-acp

\`acp-turnstile help <command>\` tells more.

${EXIT_HELP}`;

/** What a mistake at the command line is more often than not. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['commander.excessArguments', "Quote the prompt, and put the agent's command after `--`."],
  ['commander.unknownOption', "The agent's own options stand after `--`, behind its command."],
]);
const MISTAKES: ReadonlySet<string> = new Set([
  ...['commander.missingArgument', 'commander.unknownCommand', 'commander.unknownOption'],
  ...['commander.optionMissingArgument', 'commander.excessArguments'],
]);

/** What to do next, after an error of commander's. */
function nextStep({ code, message }: CommanderError, command: string | undefined, agent: unknown): string | undefined {
  if (!MISTAKES.has(code)) return undefined;
  const hint = code === 'commander.unknownOption' && agent !== undefined ? undefined : HINTS.get(code);
  if (message.includes('Did you mean')) return undefined;
  const help = `\`acp-turnstile help${command === undefined ? '' : ` ${command}`}\` tells more.`;
  return hint === undefined ? help : `${hint} ${help}`;
}

/** Everything up to the first `--` is ours, and everything after it the agent's. */
function parted(args: readonly string[]): { own: readonly string[]; agent: readonly string[] | undefined } {
  const at = args.indexOf('--');
  return at < 0 ? { own: args, agent: undefined } : { own: args.slice(0, at), agent: args.slice(at + 1) };
}

/** Gives the exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  const { own, agent } = parted(args);
  const output = new Output({ stdout: process.stdout, stderr: process.stderr, env: process.env });
  const invocation: Invocation = { agent, output, exitCode: EXIT.completed };
  const program = new Command('acp-turnstile')
    .description('Drives a coding agent that speaks the Agent Client Protocol (ACP).')
    .usage('<command> [options] [-- <agent> [args...]]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP)
    .exitOverride();
  for (const add of COMMANDS) add(program, invocation);
  try {
    await program.parseAsync(own, { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const known = program.commands.map((command) => command.name()).find((name) => name === own[0]);
    const hint = nextStep(error, known, agent);
    if (hint !== undefined) output.note(hint);
    return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  }
}
