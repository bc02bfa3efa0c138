// What starts tollgate from the shell that called it.

import path from 'node:path';
import { findBinary } from '../wrappers/find-binary.ts';

/** `tollgate`, or `npx tollgate` where that name is not on the PATH. */
export function launcherIn(environment: NodeJS.ProcessEnv): string {
  const isInstalled = process.argv[1]?.includes(`${path.sep}node_modules${path.sep}tollgate${path.sep}`) === true;
  const isNpx = environment.npm_command === 'exec';
  return isNpx || (isInstalled && findBinary('tollgate', environment.PATH) === null) ? 'npx tollgate' : 'tollgate';
}
