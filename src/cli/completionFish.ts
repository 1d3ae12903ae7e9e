import type { CompletedOption, CompletedProgram, Value } from './completionShape.js';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fishCompletion({ name, options, commands }: CompletedProgram): string {
  const line = (when: string, rest: string): string => `complete -c ${name} -n ${quoted(when)} ${rest}`;
  const offer = ({ words, files }: Value): string => {
    if (files === 'files') return '-F';
    if (files === 'folders') return "-f -a '(__fish_complete_directories)'";
    return words.length > 0 ? `-f -a ${quoted(words.join(' '))}` : '-f';
  };
  const option = (when: string, { flags, says, value }: CompletedOption): string => {
    const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
    return line(when, `${names.join(' ')} ${value ? `-r ${offer(value)} ` : ''}-d ${quoted(says)}`);
  };
  const first = '__acp_turnstile_command ""';
  return `# fish completion for ${name}, written by \`${name} completion fish\`

# Whether this is the command that is typed, before any \`--\`.
function __acp_turnstile_command
    set -l words (commandline -opc)
    set -l command ''
    for word in $words[2..]
        test $word = --; and return 1
        if test -z "$command"; and not string match -q -- '-*' $word
            set command $word
        end
    end
    test "$command" = "$argv[1]"
end

complete -c ${name} -f
# The agent's own command line.
${line('contains -- -- (commandline -opc)', '-F')}
${line('test (commandline -opc)[-1] = --', "-a '(__fish_complete_command)'")}
${commands.map((command) => line(first, `-a ${command.name} -d ${quoted(command.says)}`)).join('\n')}
${options.map((one) => option(first, one)).join('\n')}
${commands
  .flatMap((command) => {
    const when = `__acp_turnstile_command ${command.name}`;
    const argument = command.argument;
    const offered = argument.files === 'none' && argument.words.length === 0 ? [] : [line(when, offer(argument))];
    return [...offered, ...command.options.map((one) => option(when, one))];
  })
  .join('\n')}
`;
}
