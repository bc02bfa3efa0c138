// Recognises errors of the operating system, such as a disk that is full or gone, which are not internal errors.

import { constants } from 'node:os';
import { UnfitFileError } from './disk/regular-file.ts';
import { StrangeStateError } from './disk/strange-state-error.ts';

/** Node gives codes to its own errors, too (`ERR_INVALID_ARG_TYPE`); those are internal errors. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && (typeof syscall === 'string' || code in constants.errno);
}

/** Refusals by a disk, or by a machine without free resources; the request itself was correct. */
const REFUSALS: ReadonlySet<string> = new Set(
  'EACCES EAGAIN EDQUOT EIO EMFILE ENFILE ENOMEM ENOSPC EPERM EROFS ESTALE'.split(' '),
);

/** The errors of Linux if it has no room for a watch. */
const WATCHERS_USED_UP: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE']);

/** Another program replaced or removed a file or a folder: a loop of links, a folder, a name that is too long. */
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

/** Linux accepts no longer path, in bytes; ours are some names longer than their folder. */
const LONGEST_PATH = 3500;

/** A sentence for an unexpected error of those kinds; null for any other. */
export function refusalOf(error: unknown): string | null {
  if (error instanceof UnfitFileError) return `${error.message}; put it elsewhere, and run it again: ${KEPT}`;
  if (error instanceof StrangeStateError) return error.message;
  if (!isSystemError(error) || error.syscall === undefined) return null;
  // A missing program is an internal error: we look for it before we start it.
  if (OUT_OF_PLACE.has(error.code) && error.path !== undefined && !error.syscall.startsWith('spawn'))
    return `another process replaced or removed a file or a folder of Tollgate (${error.message}). Put that in order, and run it again: ${KEPT}`;
  if (error.syscall === 'watch' && WATCHERS_USED_UP.has(error.code))
    return `the limit of file watchers is used up (${error.message}); the disk is not full. Raise it (sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024), or end programs that watch many files: ${KEPT}`;
  if (!REFUSALS.has(error.code)) return null;
  return `the system refused what was needed (${error.message}); ${KEPT}. To continue, ${wayOutOf(error)}, and run it again`;
}

/** The variables that move our folders, by what is in their default paths. The state of a task is in its own folder. */
const MOVED_BY = [
  [/\/\.tmp(?:\/(?!task\/)|$)/, 'TOLLGATE_STATE'],
  [/\/\.local(?:\/state(?:\/|$)|$)/, 'XDG_STATE_HOME'],
] as const;

/** What a user can do about a file or a folder that cannot be used. */
export function wayOutOf({ code, path }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'free some space on its disk';
  if (path === undefined || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) return 'correct that';
  const variable = MOVED_BY.find(([place]) => place.test(path))?.[1];
  const other = variable === undefined ? '' : `, or set ${variable} to a folder that is`;
  if (code === 'EROFS') return `mount its file system writable${other}`;
  return `make its folder readable and writable for this user${other}`;
}

const KEPT = 'everything written before is kept';
