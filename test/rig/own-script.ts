// Finds the arguments with which a test starts one of the repository's scripts as a separate process.

import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the arguments after `node`: the script as the runner compiled it, or its source.
 * @param source its path, which must be in SCRIPTS of compile-tests.mjs
 */
export function ownScript(source: string): string[] {
  const folder = process.env.COMPILED_TESTS;
  const compiled = folder && path.join(folder, path.relative('.', source).replace(/\.ts$/, '.js'));
  return compiled && existsSync(compiled) ? [compiled] : ['--import', 'tsx', source];
}
