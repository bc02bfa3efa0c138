// Settings for git in an untrusted repository: no hook, no watcher, no fetching, and no access to secrets.

import path from 'node:path';
import { absoluteFolders } from '../../wrappers/find-binary.ts';

/**
 * Hooks and watchers are programs that the repository chooses; reading a folder must not require trust. Submodules have their own
 * settings, which these do not reach. Filters have no common switch, see `filters.ts`.
 */
export const HARMLESS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['submodule.recurse', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** All variables that git gets from our environment. Others may be secret, or lead it to another repository. */
const PASSED = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR'];

/** Returns the few variables for git, and only the absolute folders of PATH. */
export const harmlessEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  ...Object.fromEntries(PASSED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))),
  // An empty PATH would mean the working folder.
  PATH: absoluteFolders(environment.PATH).join(path.delimiter) || '/usr/bin:/bin',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
});

/** A clone that lacks objects would fetch them, with a program that its settings name. */
export const NO_FETCHING = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
