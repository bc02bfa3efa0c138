// How git is run in a repository that nobody vouches for: no hook, no watcher, no fetching, and nothing secret to see.

import path from 'node:path';
import { absoluteFolders } from '../../wrappers/find-binary.ts';

/**
 * Hooks and watchers are programs of the repository's choosing; a folder need not be trusted to be looked at. Submodules
 * have settings of their own, which these do not reach. (Filters have no common switch: `run/filters.ts`.)
 */
export const HARMLESS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['submodule.recurse', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** All that git gets of our environment: what else there is may be secret, or lead it to another repository. */
const PASSED = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR'];

/** The few variables that git gets of an environment, and folders of PATH that are absolute. */
export const harmlessEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  ...Object.fromEntries(PASSED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))),
  // An empty one would mean the working folder.
  PATH: absoluteFolders(environment.PATH).join(path.delimiter) || '/usr/bin:/bin',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
});

/** A clone that lacks objects would fetch them, by a program that its settings name. */
export const NO_FETCHING = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
