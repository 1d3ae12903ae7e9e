/** The command line as commander knows it, in the words of a shell. */
import type { Argument, Command, Option } from 'commander';
import { bashCompletion } from './completionBash.js';
import { fishCompletion } from './completionFish.js';
import type { CompletedOption, Shell, Value } from './completionShape.js';
import { zshCompletion } from './completionZsh.js';

const COMPLETIONS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

function valueOf(name: string, words: readonly string[] = []): Value {
  const files = /\b(dir|folder)\b/i.test(name) ? 'folders' : /\b(file|recording)\b/i.test(name) ? 'files' : 'none';
  return { words, files: words.length > 0 ? 'none' : files };
}

function optionOf({ short, long, flags, description, required, optional, argChoices }: Option): CompletedOption {
  const takesValue = required || optional;
  return {
    flags: [long, short].filter((flag) => flag !== undefined),
    says: description,
    value: takesValue ? valueOf(flags, argChoices) : undefined,
  };
}

const argumentOf = (argument: Argument | undefined): Value =>
  argument ? valueOf(argument.name(), argument.argChoices) : { words: [], files: 'none' };

function optionsOf(command: Command): CompletedOption[] {
  return command.createHelp().visibleOptions(command).map(optionOf);
}

export function completion(program: Command, shell: Shell): string {
  const all = program.createHelp().visibleCommands(program);
  const commands = all.map((command) => ({
    name: command.name(),
    says: command.summary() || command.description(),
    options: optionsOf(command),
    argument:
      command.name() === 'help'
        ? { words: all.map((one) => one.name()), files: 'none' as const }
        : argumentOf(command.registeredArguments[0]),
  }));
  return COMPLETIONS[shell]({ name: program.name(), options: optionsOf(program), commands });
}
