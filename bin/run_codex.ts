// Runs the command run_codex: one guarded call of the codex CLI.

import { WRAPPER_EXIT } from '../policies/facts/exit-codes.ts';
import { CODEX } from '../wrappers/codex/row.ts';
import { runCommand } from './command.ts';
import { wrapperCommand } from './wrapper/wrapper-command.ts';

void runCommand({
  name: CODEX.command,
  run: (argv) => wrapperCommand(CODEX, argv),
  failure: WRAPPER_EXIT.codex.failure,
  badInput: WRAPPER_EXIT.codex.badInput,
});
