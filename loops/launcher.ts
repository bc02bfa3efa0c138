// Finds the command with which the user's shell starts tollgate.

import { findBinary } from '../wrappers/find-binary.ts';

/** Matches a start in a project that has the package: by its file, or by the link to it in `.bin`. */
const INSTALLED = /[\\/]node_modules[\\/](?:\.bin|tollgate)[\\/]/;

/** Returns `tollgate`, or `npx tollgate` if that name is not on the PATH. */
export function launcherIn(environment: NodeJS.ProcessEnv): string {
  const isInstalled = INSTALLED.test(process.argv[1] ?? '');
  const isNpx = environment.npm_command === 'exec';
  return isNpx || (isInstalled && findBinary('tollgate', environment.PATH) === null) ? 'npx tollgate' : 'tollgate';
}

/** Rewrites a command, or the commands in a sentence, so that the user's shell can start them. */
export const asCalled = (text: string, environment: NodeJS.ProcessEnv): string =>
  launcherIn(environment) === 'tollgate' ? text : text.replace(/(?<=^|`|\brun )(?=tollgate [a-z])/g, 'npx ');
