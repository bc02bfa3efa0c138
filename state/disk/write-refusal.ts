// Whether a file can be written, without writing it.

import { closeSync, constants } from 'node:fs';
import { openRegular } from './regular-file.ts';

const REFUSALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ETXTBSY']);

/** The code with which the system refuses; null where it does not, or where something else is wrong with the file. */
export function writeRefusal(file: string): string | null {
  try {
    closeSync(openRegular(file, constants.O_WRONLY));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== undefined && REFUSALS.has(code) ? code : null;
  }
}
