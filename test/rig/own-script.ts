// How a test starts a script of ours in a process of its own.

import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * What stands behind `node` on its command line: the script as the runner compiled it, else its source.
 * @param source its path; it stands in SCRIPTS of compile-tests.mjs
 */
export function ownScript(source: string): string[] {
  const folder = process.env.COMPILED_TESTS;
  const compiled = folder && path.join(folder, path.relative('.', source).replace(/\.ts$/, '.js'));
  return compiled && existsSync(compiled) ? [compiled] : ['--import', 'tsx', source];
}
