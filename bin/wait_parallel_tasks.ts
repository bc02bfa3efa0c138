// Runs the command wait_parallel_tasks: waits for parallel wrappers or tasks.

import { WAIT_EXIT } from '../policies/facts/exit-codes.ts';
import { runCommand } from './command.ts';
import { WAIT_SPEC, waitCommand } from './wait-command.ts';

void runCommand({ name: WAIT_SPEC.name, run: waitCommand, failure: WAIT_EXIT.failure, badInput: WAIT_EXIT.badInput });
