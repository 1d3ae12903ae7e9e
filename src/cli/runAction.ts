/** What `run` does: what is wrong with the command line is told, then agent, session and turn. */
import type { Command } from 'commander';
import { policy, type Observer, type Policy } from '../index.js';
import { agentOf } from './agentOptions.js';
import { Person } from './askPerson.js';
import { Conversation } from './conversation.js';
import { EXIT } from './exitCodes.js';
import { type Interrupts, interruptsFor } from './interrupts.js';
import type { Invocation } from './invocation.js';
import { JsonView } from './jsonView.js';
import { readPrompt } from './readPrompt.js';
import type { RunFlags } from './flags.js';
import { TextView } from './textView.js';

function policyOf(flags: RunFlags, person: Person | undefined): Policy {
  if (person) return policy.ask(person.ask);
  const { allow } = flags;
  return allow ? policy.byKind(Object.fromEntries(allow.map((kind) => [kind, 'allow_once']))) : policy.cancel();
}

/** What `inspect` adds. */
export interface Watching {
  recorder: Observer;
  /** Called when the agent has ended and how that went has been told. */
  linger: (interrupts: Interrupts) => Promise<void>;
}

/** Without a prompt a session is opened, and nothing is asked until Ctrl-C. */
export async function run(
  prompt: string | undefined,
  flags: RunFlags,
  command: Command,
  { agent, output }: Invocation,
  watching?: Watching,
): Promise<number> {
  const stdin = process.stdin;
  const fromStdin = prompt === '-';
  const program = agentOf(command, agent);
  if (flags.ask && fromStdin) command.error('error: --ask reads your answers from stdin, and so does the prompt `-`');
  if (flags.ask && !stdin.isTTY) command.error('error: --ask needs a terminal on stdin; without one there is --allow');

  const interrupts = interruptsFor(output);
  const person = flags.ask ? new Person(stdin, output) : undefined;
  try {
    if (fromStdin && stdin.isTTY) output.note('Type the prompt; Ctrl-D on a line of its own ends it.');
    const text = fromStdin ? await readPrompt(stdin, interrupts.signal) : prompt;
    if (text?.trim() === '') command.error('error: the prompt is empty');
    const context = { agent: program, cwd: flags.cwd ?? process.cwd(), verbose: flags.verbose === true };
    const view = flags.json ? new JsonView(output, context) : new TextView(output, context);
    const permissions = policyOf(flags, person);
    if (fromStdin && text === undefined) {
      const exitCode = interrupts.exitCode ?? EXIT.cancelled;
      view.interrupted(interrupts.by, exitCode);
      return exitCode;
    }
    // What is typed while the agent ends is meant for the shell.
    const answered = (): void => person?.dispose();
    const exitCode = await new Conversation({
      agent: program,
      text,
      flags,
      permissions,
      output,
      interrupts,
      view,
      answered,
      recorder: watching?.recorder,
    }).run();
    await watching?.linger(interrupts);
    return exitCode;
  } finally {
    person?.dispose();
    interrupts.dispose();
  }
}
