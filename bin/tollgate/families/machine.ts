// Loads together the commands for the machine, its CLIs and their conversations.

import { preflightCommand } from '../../preflight-command.ts';

export { run as completion } from '../completion/completion.ts';
export { run as accounts } from '../machine/accounts.ts';
export { run as doctor } from '../machine/doctor.ts';
export { run as trust } from '../machine/trust.ts';
export { run as history } from '../sessions/history.ts';
export { run as recover } from '../sessions/recover.ts';
export { run as sessions } from '../sessions/sessions.ts';
export { run as undo } from '../sessions/undo.ts';
export { run as tools } from '../tools.ts';

export const preflight = (argv: readonly string[]) => preflightCommand(argv, 'tollgate preflight');
