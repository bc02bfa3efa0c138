// Loads together the commands for the machine and its CLIs.

export { preflightCommand as preflight } from '../../preflight-command.ts';
export { run as completion } from '../completion/completion.ts';
export { run as accounts } from '../machine/accounts.ts';
export { run as doctor } from '../machine/doctor.ts';
export { run as trust } from '../machine/trust.ts';
export { run as tools } from '../tools.ts';
