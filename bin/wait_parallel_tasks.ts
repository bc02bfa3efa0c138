// The command wait_parallel_tasks: waits for parallel wrappers or tasks.

import { runCommand } from './command.ts';
import { waitCommand } from './wait-command.ts';

void runCommand(waitCommand);
