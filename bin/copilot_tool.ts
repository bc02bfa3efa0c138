// Runs the command copilot_tool: one guarded call of the copilot CLI.

import { WRAPPER_EXIT } from '../policies/facts/exit-codes.ts';
import { COPILOT } from '../wrappers/copilot/row.ts';
import { runCommand } from './command.ts';
import { wrapperCommand } from './wrapper/wrapper-command.ts';

void runCommand({
  name: COPILOT.command,
  run: (argv) => wrapperCommand(COPILOT, argv),
  failure: WRAPPER_EXIT.copilot.failure,
  badInput: WRAPPER_EXIT.copilot.badInput,
});
