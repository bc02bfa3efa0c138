// Reads small text files of other programs: as a whole, or the variables of a .env file; nothing if a file cannot be read.

import { readFollowedIfFit } from '../../state/disk/regular-file.ts';

/** A person may keep it elsewhere and link to it. */
export const readText = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);

const MAX_BYTES = 1024 * 1024;

/** The variables, as far as plain lines show them. */
export function readDotEnvFile(file: string): Record<string, string | undefined> {
  const pairs = (readText(file) ?? '').matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*["']?([^"'\s]*)/gm);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
