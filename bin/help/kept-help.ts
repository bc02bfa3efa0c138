// A command's help as the build has printed it: printing it anew costs 80 ms, most of it yargs.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The widest that help gets. */
export const HELP_WIDTH = 110;

/**
 * @param command with its words, such as `tollgate run`.
 * @returns null where it has to be printed anew: on a terminal that is too narrow for it, and outside of a build.
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
