// The version of the package, as every command prints it.

import manifest from '../package.json';
import type { Ran } from './ran.ts';

/** @param argv what was given beside the flag. */
export function printVersion(argv: readonly string[]): Ran {
  const { version } = manifest;
  return { exit: 0, out: argv.includes('--json') ? `${JSON.stringify({ schema: 1, version })}\n` : `${version}\n` };
}
