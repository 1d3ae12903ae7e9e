import type { CompletedOption, CompletedProgram, Value } from './completionShape.js';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** `word:what it is`, as \`_describe\` takes it. */
const described = (word: string, says: string): string => quoted(`${word.replaceAll(':', '\\:')}:${says}`);

export function zshCompletion({ name, options, commands }: CompletedProgram): string {
  const offer = ({ words, files }: Value): string => {
    if (files !== 'none') return files === 'folders' ? '_files -/' : '_files';
    return words.length > 0 ? `compadd -- ${words.map(quoted).join(' ')}` : ':';
  };
  const lines = (all: readonly CompletedOption[]): string =>
    all.flatMap(({ flags, says }) => flags.map((flag) => described(flag, says))).join(' ');
  const values = commands.flatMap((command) =>
    command.options.flatMap(({ flags, value }) =>
      value ? [`    ${flags.map((flag) => `'${command.name} ${flag}'`).join(' | ')}) ${offer(value)}; return ;;`] : [],
    ),
  );
  const ofCommands = commands.map(
    ({ name: command, options: own, argument }) =>
      `    ${command}) found=(${lines(own)}); [[ $cur == -* ]] || ${offer(argument)} ;;`,
  );
  const first = commands.map((command) => described(command.name, command.says)).join(' ');
  return `#compdef ${name}
# zsh completion for ${name}, written by \`${name} completion zsh\`

_acp_turnstile() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT - 1]} command= i word
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -- ]]; then
      # The agent's own command line.
      if ((i == CURRENT - 1)); then _command_names -e; else _files; fi
      return
    fi
    [[ -z $command && $word != -* ]] && command=$word
  done
  case "$command $prev" in
${values.join('\n')}
  esac
  case $command in
    '') found=(${lines(options)}); [[ $cur == -* ]] || found=(${first}) ;;
${ofCommands.join('\n')}
  esac
  ((\${#found})) && _describe -o ${name} found
}

if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _acp_turnstile "$@"
elif (($+functions[compdef])); then
  compdef _acp_turnstile ${name}
fi
`;
}
