/** What every command that starts an agent takes: the agent's own command line, and the options that go with it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ConnectOptions } from '../index.js';
import type { ToolServer } from '../session/tools.js';
import { toolsOption } from './toolsFile.js';
import { CLIENT_NAME, VERSION } from './version.js';

export interface AgentCommand {
  command: string;
  args: readonly string[];
}

export interface AgentFlags {
  cwd?: string;
  protocol?: 1 | 2;
  auth?: string;
  tools?: readonly ToolServer[];
  json?: boolean;
  verbose?: boolean;
}

function existingFolder(typed: string): string {
  const path = resolve(typed);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new InvalidArgumentError('There is no such folder.');
  }
  return path;
}

export const jsonOption = (description: string): Option => new Option('--json', description);

export const protocolOption = (description: string): Option =>
  new Option('--protocol <version>', description).choices(['1', '2']).argParser((typed: string) => {
    if (typed !== '1' && typed !== '2') throw new InvalidArgumentError('It is 1 or 2.');
    return Number(typed);
  });

const WORKS_IN = 'the folder that the agent works in (default: this one)';

export function addAgentOptions(command: Command, cwdSays = WORKS_IN): Command {
  return command
    .option('--cwd <dir>', cwdSays, existingFolder)
    .addOption(protocolOption('offer only this version of the protocol'))
    .option('--auth <method>', 'log in by this method of the agent first')
    .addOption(toolsOption())
    .option('--verbose', 'show what the agent says of an error, and the end of its stderr');
}

/** The command after `--`. Without one the command line is at fault, and says so. */
export function agentOf(command: Command, agent: readonly string[] | undefined): AgentCommand {
  const [first, ...args] = agent ?? [];
  if (first === undefined || first === '') {
    const usage = `acp-turnstile ${command.name()} ${command.usage()}`;
    return command.error(`error: missing the agent's command: put it last, after \`--\`\n  ${usage}`);
  }
  return { command: first, args };
}

/** A command without an agent of its own choosing refuses one. */
export function noAgent(command: Command, agent: readonly string[] | undefined): void {
  if (agent !== undefined) command.error(`error: ${command.name()} takes no agent: leave out \`--\` and what follows`);
}

/** What `connect` is given by every command. */
export function connectOptions(
  agent: AgentCommand,
  { cwd, protocol, tools, verbose }: AgentFlags,
  env?: NodeJS.ProcessEnv,
): ConnectOptions {
  return {
    ...agent,
    cwd,
    env,
    client: { name: CLIENT_NAME, title: 'acp-turnstile command line', version: VERSION },
    tools,
    protocolVersions: protocol === undefined ? undefined : [protocol],
    exposeAgentText: verbose,
  };
}
