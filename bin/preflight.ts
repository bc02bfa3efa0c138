// The command preflight: checks the machine before anything is paid.

import { runCommand } from './command.ts';
import { preflightCommand } from './preflight-command.ts';

void runCommand(preflightCommand);
