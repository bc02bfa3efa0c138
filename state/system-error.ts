// Which errors the operating system gave: a disk that is full or gone, and no bug.

import { constants } from 'node:os';

/** Node gives codes to its own errors, too (`ERR_INVALID_ARG_TYPE`); those tell of a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && (typeof syscall === 'string' || code in constants.errno);
}

/** What a disk, or a machine that has no more to give, refuses whoever asks; no mistake in what was asked. */
const REFUSALS: ReadonlySet<string> = new Set(
  'EACCES EAGAIN EDQUOT EIO EMFILE ENFILE ENOMEM ENOSPC EPERM EROFS ESTALE'.split(' '),
);

/** A sentence for an error of that kind which met us unprepared; null for any other. */
export function refusalOf(error: unknown): string | null {
  if (!isSystemError(error) || error.syscall === undefined || !REFUSALS.has(error.code)) return null;
  return `the system refused what was needed (${error.message}); what was paid for is kept. Mend that, and run it again to go on`;
}
