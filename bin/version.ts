// Prints the version of the package, in the same form for every command.

import manifest from '../package.json';
import type { Ran } from './ran.ts';

/** @param argv The arguments beside the flag. */
export function printVersion(argv: readonly string[]): Ran {
  const { version } = manifest;
  return { exit: 0, out: argv.includes('--json') ? `${JSON.stringify({ schema: 1, version })}\n` : `${version}\n` };
}
