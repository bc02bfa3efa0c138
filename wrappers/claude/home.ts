// Where claude keeps what is the user's own.

import path from 'node:path';
import { homeOf } from '../home.ts';

interface ClaudeHome {
  /** `$CLAUDE_CONFIG_DIR`, or `.claude` in the home: settings, credentials, sessions. */
  folder: string;
  /** What it remembers of the user and of each project, trust among it. */
  memory: string;
}

/** null where there is no home. */
export function claudeHome(environment: NodeJS.ProcessEnv): ClaudeHome | null {
  const own = environment.CLAUDE_CONFIG_DIR;
  if (own) return { folder: own, memory: path.join(own, '.claude.json') };
  const home = homeOf(environment);
  return home === null ? null : { folder: path.join(home, '.claude'), memory: path.join(home, '.claude.json') };
}
