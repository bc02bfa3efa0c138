// Loads together the commands for conversations.

export { run as history } from '../sessions/history.ts';
export { run as recover } from '../sessions/recover.ts';
export { run as sessions } from '../sessions/sessions.ts';
export { run as undo } from '../sessions/undo.ts';
