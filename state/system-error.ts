// Which errors the operating system gave: a disk that is full or gone, and no bug.

import { constants } from 'node:os';

/** Node gives codes to its own errors, too (`ERR_INVALID_ARG_TYPE`); those tell of a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && (typeof syscall === 'string' || code in constants.errno);
}
