import type { CompletedProgram, Value } from './completionShape.js';

/** For bash 3.2, which macOS has, and newer. */
export function bashCompletion({ name, options, commands }: CompletedProgram): string {
  const wordsOf = (flags: readonly { flags: readonly string[] }[], more: readonly string[] = []): string =>
    [...more, ...flags.flatMap((option) => option.flags)].join(' ');
  const offer = ({ words, files }: Value): string => {
    if (files !== 'none') return `_acp_turnstile_names ${files === 'folders' ? '-d' : '-f'}`;
    return words.length > 0 ? `_acp_turnstile_words "${words.join(' ')}"` : ':';
  };
  const values = commands.flatMap((command) =>
    command.options.flatMap(({ flags, value }) =>
      value ? [`    ${flags.map((flag) => `'${command.name} ${flag}'`).join(' | ')}) ${offer(value)}; return ;;`] : [],
    ),
  );
  const ofCommands = commands.map(({ name: command, options: own, argument }) => {
    const words = `_acp_turnstile_words "${wordsOf(own, argument.words)}"`;
    const files = argument.files === 'none' ? '' : `; [[ $cur == -* ]] || ${offer(argument)}`;
    return `    ${command}) ${words}${files} ;;`;
  });
  return `# bash completion for ${name}, written by \`${name} completion bash\`

_acp_turnstile_words() {
  local word
  for word in $1; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}

_acp_turnstile_names() {
  local found
  compopt -o filenames 2>/dev/null
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$1" -- "$cur")
}

_acp_turnstile() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command= i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      # The agent's own command line.
      if ((i == COMP_CWORD - 1)); then _acp_turnstile_names -c; else _acp_turnstile_names -f; fi
      return
    fi
    [[ -z $command && $word != -* ]] && command=$word
  done
  # \`--format=svg\` comes in three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $prev" in
${values.join('\n')}
  esac
  case $command in
    '') _acp_turnstile_words "${wordsOf(
      options,
      commands.map((command) => command.name),
    )}" ;;
${ofCommands.join('\n')}
  esac
}

complete -F _acp_turnstile ${name}
`;
}
