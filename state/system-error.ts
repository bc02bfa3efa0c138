// Which errors the operating system gave: a disk that is full or gone, and no bug.

import { constants } from 'node:os';
import { UnfitFileError } from './disk/regular-file.ts';
import { StrangeStateError } from './disk/strange-state-error.ts';

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

/** What Linux answers to a watch that it has no room for. */
const WATCHERS_USED_UP: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

/** Somebody put something else in the place of a file or a folder, or took it away: a loop of links, a folder, a name that is too long. */
const OUT_OF_PLACE: ReadonlySet<string> = new Set(
  'EEXIST EISDIR ELOOP EMLINK ENAMETOOLONG ENODEV ENOENT ENOTDIR ENOTEMPTY ENXIO'.split(' '),
);

/** Why the working folder of this process cannot be used, with what to do; null for any other error. */
export function workingFolderMistake(error: unknown): string | null {
  if (!isSystemError(error)) return null;
  const { code, syscall, path } = error;
  if (syscall !== 'uv_cwd' && !(code === 'ENAMETOOLONG' && path !== undefined && path.length > LONGEST_PATH))
    return null;
  const what =
    code === 'ENOENT'
      ? 'the working folder no longer exists'
      : `the path of the working folder cannot be used (${code})`;
  const todo = code === 'ENOENT' ? 'change to a folder that exists' : 'change to a folder with a shorter path';
  return `${what}; ${todo} (cd), and start the command again`;
}

/** Linux takes no path of more bytes; ours are some names longer than the folder that they are in. */
const LONGEST_PATH = 3500;

/** A sentence for an error of those kinds which met us unprepared; null for any other. */
export function refusalOf(error: unknown): string | null {
  if (error instanceof UnfitFileError) return `${error.message}; put it elsewhere, and run it again: ${KEPT}`;
  if (error instanceof StrangeStateError) return error.message;
  if (!isSystemError(error) || error.syscall === undefined) return null;
  // A program that is not there would be ours to look for.
  if (OUT_OF_PLACE.has(error.code) && error.path !== undefined && !error.syscall.startsWith('spawn'))
    return `somebody put something in the place of a file or a folder of ours, or took it away (${error.message}). Put that in order, and run it again: ${KEPT}`;
  if (error.syscall === 'watch' && WATCHERS_USED_UP.has(error.code))
    return `the limit of file watchers is used up (${error.message}); the disk is not full. Raise it (sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024), or end programs that watch many files: ${KEPT}`;
  if (!REFUSALS.has(error.code)) return null;
  return `the system refused what was needed (${error.message}); what was paid for is kept. Mend that, and run it again to go on`;
}

const KEPT = 'what was paid for is kept';
