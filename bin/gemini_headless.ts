// Runs the command gemini_headless: one guarded call of the gemini CLI.

import { WRAPPER_EXIT } from '../policies/facts/exit-codes.ts';
import { GEMINI } from '../wrappers/gemini/row.ts';
import { runCommand } from './command.ts';
import { wrapperCommand } from './wrapper/wrapper-command.ts';

void runCommand({
  name: GEMINI.command,
  run: (argv) => wrapperCommand(GEMINI, argv),
  failure: WRAPPER_EXIT.gemini.failure,
  badInput: WRAPPER_EXIT.gemini.badInput,
});
