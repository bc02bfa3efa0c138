// Finds the user's home folder. A user without an entry in passwd (a bare number in a container) may have none.

import { homedir, userInfo } from 'node:os';
import { tried } from '../policies/text/tried.ts';

/** $HOME, or the home in passwd; null if neither is set. */
export const homeOf = (environment: NodeJS.ProcessEnv): string | null => environment.HOME || tried(homedir);

/** The home in passwd, whatever $HOME is. */
export const accountHome = (): string | null => tried(() => userInfo().homedir);
