// Implements tollgate completion: prints a shell's completion script, and answers its request at each TAB.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { candidatesFor } from './candidates.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

const SPEC: CommandSpec = {
  name: 'tollgate completion',
  usage: SHELLS.join('|'),
  about:
    'Prints the script by which a shell completes commands, flags, their values, tasks, stages, tools and sessions. The shell calls it at each TAB, so it offers what exists now.',
  flags: {
    line: {
      takes: 'nothing',
      about: 'what the script asks: what may stand for the last of the words behind --, one a line',
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
    return badInputOf(SPEC.name)(`"${more ?? shell}" is none of ${SHELLS.join(', ')}`);
  const script = SCRIPTS[shell as Shell];
  return { exit: 0, out: given.has('json') ? `${JSON.stringify({ schema: 1, shell, script })}\n` : script };
}
