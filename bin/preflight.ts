// Runs the command preflight: checks the machine before anything is paid.

import { TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import { runCommand } from './command.ts';
import { PREFLIGHT_SPEC, preflightCommand } from './preflight-command.ts';

void runCommand({
  name: PREFLIGHT_SPEC.name,
  run: preflightCommand,
  failure: TOLLGATE_EXIT.failure,
  badInput: TOLLGATE_EXIT.badInput,
});
