// Where the user's own files lie; a user without an entry in passwd (a bare number in a container) may have none.

import { homedir, userInfo } from 'node:os';

/** $HOME, or what passwd says; null when neither says anything. */
export const homeOf = (environment: NodeJS.ProcessEnv): string | null => environment.HOME || orNull(homedir);

/** What passwd says, whatever $HOME is. */
export const accountHome = (): string | null => orNull(() => userInfo().homedir);

function orNull(look: () => string): string | null {
  try {
    return look();
  } catch {
    return null;
  }
}
