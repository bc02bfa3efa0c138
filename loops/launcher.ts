// What starts tollgate from the shell that called it.

import { findBinary } from '../wrappers/find-binary.ts';

/** In a project that has the package: by its file, or by the link to it in `.bin`. */
const INSTALLED = /[\\/]node_modules[\\/](?:\.bin|tollgate)[\\/]/;

/** `tollgate`, or `npx tollgate` where that name is not on the PATH. */
export function launcherIn(environment: NodeJS.ProcessEnv): string {
  const isInstalled = INSTALLED.test(process.argv[1] ?? '');
  const isNpx = environment.npm_command === 'exec';
  return isNpx || (isInstalled && findBinary('tollgate', environment.PATH) === null) ? 'npx tollgate' : 'tollgate';
}

/** Commands in a sentence, as that shell can start them. */
export const asCalled = (text: string, environment: NodeJS.ProcessEnv): string =>
  launcherIn(environment) === 'tollgate' ? text : text.replace(/`(?=(?:tollgate|preflight)\b)/g, '`npx ');
