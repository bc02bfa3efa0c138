// Runs the command claude_headless: one guarded call of the claude CLI.

import { WRAPPER_EXIT } from '../policies/facts/exit-codes.ts';
import { CLAUDE } from '../wrappers/claude/row.ts';
import { runCommand } from './command.ts';
import { wrapperCommand } from './wrapper/wrapper-command.ts';

void runCommand({
  name: CLAUDE.command,
  run: (argv) => wrapperCommand(CLAUDE, argv),
  failure: WRAPPER_EXIT.claude.failure,
  badInput: WRAPPER_EXIT.claude.badInput,
});
