// Checks whether a file can be written, without writing it.

import { closeSync, constants } from 'node:fs';
import { openRegular } from './regular-file.ts';

const REFUSALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ETXTBSY']);

/** The code with which the system refuses; null if it does not, or if the file has another problem. */
export function writeRefusal(file: string): string | null {
  try {
    closeSync(openRegular(file, constants.O_WRONLY));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== undefined && REFUSALS.has(code) ? code : null;
  }
}
