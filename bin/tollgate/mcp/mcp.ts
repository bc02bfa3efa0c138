// tollgate mcp: the toolkit as a server of the Model Context Protocol, on stdin and stdout.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

const SPEC: CommandSpec = {
  name: 'tollgate mcp',
  usage: '',
  about:
    'Serves agents by the Model Context Protocol, on stdin and stdout: how the tasks of this project stand, why they failed, what is used of the budgets, the conversations of the CLIs. It works in the folder that it is started in.',
  flags: {},
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['claude mcp add tollgate -- tollgate mcp', 'for claude'],
    ['codex mcp add tollgate -- tollgate mcp', 'for codex'],
    ['gemini mcp add tollgate tollgate mcp', 'for gemini'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'its client closed stdin'],
    [TOLLGATE_EXIT.badInput, 'usage'],
    ['130, 143', 'stopped by INT, TERM'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const stop = stopOnSignals();
  const { serve } = await import('./serve.ts');
  return { exit: await serve(stop) };
}
