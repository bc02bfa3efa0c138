// Defines the shells' completion scripts: each passes the typed words to tollgate, and executes nothing of the answer.

import { COMMANDS } from '../../../policies/facts/tools.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const NAMES = ['tollgate', ...Object.values(COMMANDS), 'preflight', 'wait_parallel_tasks'].join(' ');

/** If tollgate has no completion, each script completes file names, as the shell would without it. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `# tollgate completion for bash: source <(tollgate completion bash)
_tollgate() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(command tollgate completion --line -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -o default -F _tollgate ${NAMES}
`,
  zsh: `#compdef ${NAMES}
# tollgate completion for zsh: source <(tollgate completion zsh), behind compinit
_tollgate() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(command tollgate completion --line -- "\${(@)words[1,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe tollgate found; else _files; fi
}
if [ "\${funcstack[1]}" = _tollgate ]; then _tollgate; else compdef _tollgate ${NAMES}; fi
`,
  fish: `# tollgate completion for fish: tollgate completion fish > ~/.config/fish/completions/tollgate.fish
function __tollgate_complete
    set -l typed (commandline -opc) (commandline -ct)
    command tollgate completion --line -- $typed 2>/dev/null
end
for name in ${NAMES}
    complete -c $name -a '(__tollgate_complete)'
end
`,
};
