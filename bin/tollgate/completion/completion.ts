// Implements tollgate completion: prints a shell's completion script, and answers its request at each TAB.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { COMMANDS } from '../../../policies/facts/tools.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { candidatesFor } from './candidates.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/** Each wrapper also has its historical name. */
const BOTH = [...Object.values(COMMANDS), 'preflight', 'wait_parallel_tasks'];

const NAMES = ['tollgate', ...BOTH, ...BOTH.map((name) => `${name}.sh`)].join(' ');

/** If tollgate has no completion, each script completes file names, as the shell would without it. */
const SCRIPTS: Record<Shell, string> = {
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

const SPEC: CommandSpec = {
  name: 'tollgate completion',
  usage: SHELLS.join('|'),
  about:
    'Prints the script by which a shell completes commands, flags, their values, tasks, stages, tools and sessions. The shell calls it at each TAB, so it offers what exists now.',
  flags: {
    line: {
      takes: 'nothing',
      about: 'for the script: print the candidates for the last word behind --, one per line',
    },
  },
  words: { min: 1, max: Number.MAX_SAFE_INTEGER, called: SHELLS.join(', ') },
  examples: [
    ['source <(tollgate completion bash)', 'in ~/.bashrc'],
    ['source <(tollgate completion zsh)', 'in ~/.zshrc, behind compinit'],
    ['tollgate completion fish > ~/.config/fish/completions/tollgate.fish', 'once, for fish'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'printed; also where nothing fits'],
    [TOLLGATE_EXIT.badInput, 'usage'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given, words } = read.args;
  if (given.has('line')) {
    const found = await candidatesFor(words).catch(() => []);
    if (given.has('json')) return { exit: 0, out: `${JSON.stringify({ schema: 1, candidates: found })}\n` };
    return { exit: 0, out: found.map(({ word, about }) => `${word}\t${about}\n`).join('') };
  }
  const [shell, more] = words as [string, string | undefined];
  if (more !== undefined || !SHELLS.includes(shell as Shell))
    return badInputOf(SPEC.name)(`"${more ?? shell}" is not one of ${SHELLS.join(', ')}`);
  const script = SCRIPTS[shell as Shell];
  return { exit: 0, out: given.has('json') ? `${JSON.stringify({ schema: 1, shell, script })}\n` : script };
}
