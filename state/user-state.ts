// Where the toolkit keeps what belongs to the user and to no project: calls that run, and what was done to conversations.

import { existsSync } from 'node:fs';
import path from 'node:path';

/** null for a user without a home, or with one that is not there: it is not for us to make it. */
export function userState({ XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string | null {
  const [home, base] = XDG_STATE_HOME ? [path.dirname(XDG_STATE_HOME), XDG_STATE_HOME] : [HOME, `${HOME}/.local/state`];
  return home && path.isAbsolute(home) && existsSync(home) ? path.join(base, 'tollgate') : null;
}
