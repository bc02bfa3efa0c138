// Reads a command's help as the build printed it: to print it again takes 80 ms, most of it for yargs.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The greatest width of the help. */
export const HELP_WIDTH = 110;

/**
 * @param command with its words, such as `tollgate run`.
 * @returns null if the help must be printed again: on a terminal that is too narrow for it, and outside of a build.
 */
export function keptHelp(command: string): string | null {
  if ((process.stdout.columns || HELP_WIDTH) < HELP_WIDTH) return null;
  const folder = path.dirname(fileURLToPath(import.meta.url));
  try {
    return readFileSync(path.join(folder, 'help', `${command.replaceAll(' ', '-')}.txt`), 'utf8');
  } catch {
    return null;
  }
}
