// Appends to a log that many processes share: an entry is one write, and a file that would grow too large is rotated first.

import { closeSync, constants, fchmodSync, fdatasyncSync, fstatSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { appendText, naming } from '../append-line.ts';
import { makeFolders } from '../disk/folder.ts';
import { openRegular, UnfitFileError } from '../disk/regular-file.ts';
import { isSystemError } from '../system-error.ts';
import { findEscapingLink } from '../task-folder.ts';

const MAX_LOG_BYTES = 10 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/**
 * Throws what the operating system throws. Then the entry is missing or torn, and every reader skips it.
 * @param file relative to `folder`. An entry larger than `maxBytes` gets a separate file.
 */
export function appendToLog(
  folder: string,
  file: string,
  text: string,
  clock: () => Date,
  maxBytes = MAX_LOG_BYTES,
): void {
  const log = path.join(folder, file);
  makeFolders(path.dirname(log));
  const stray = findEscapingLink(folder, [path.dirname(file)]);
  if (stray !== null) throw refused(stray);
  const bytes = Buffer.byteLength(text);
  const fd = bytes > maxBytes ? reserve(log, clock).fd : openWithRoom(log, maxBytes - bytes, clock);
  try {
    appendText(fd, log, text);
    naming(log, () => fdatasyncSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** If another process rotates the file meanwhile, the entry goes to the rotated file: readers read all of them. */
function openWithRoom(log: string, room: number, clock: () => Date): number {
  const fd = openLog(log, O_APPEND | O_CREAT);
  const { size, ino } = fstatSync(fd);
  if (size <= room) return fd;
  closeSync(fd);
  putAside(log, ino, clock);
  return openLog(log, O_APPEND | O_CREAT);
}

/** If two processes rotate at once, each uses a unique name, and a log that another has begun meanwhile is rotated whole. */
function putAside(log: string, ino: number, clock: () => Date): void {
  const aside = reserve(log, clock);
  closeSync(aside.fd);
  try {
    if (lstatSync(log).ino === ino) {
      renameSync(log, aside.file);
      return;
    }
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
  unlinkSync(aside.file);
}

/** Reserves a unique name with a timestamp; the next millisecond if it is taken. */
function reserve(log: string, clock: () => Date): { file: string; fd: number } {
  for (let at = clock().getTime(); ; at += 1) {
    const stamp = new Date(at).toISOString().replace(/[:.]/g, '-');
    const file = log.replace(/\.log$/, `.${stamp}.log`);
    try {
      return { file, fd: openLog(file, O_APPEND | O_CREAT | O_EXCL) };
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
    }
  }
}

/** A link might lead elsewhere, and a FIFO would block us for ever. */
function openLog(file: string, flags: number): number {
  let fd: number;
  try {
    fd = openRegular(file, flags | O_RDWR);
  } catch (error) {
    throw error instanceof UnfitFileError ? refused(`${error.message}; put it elsewhere`) : error;
  }
  const { mode } = fstatSync(fd);
  // The file's creator let other users read what agents were sent.
  if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
  return fd;
}

const refused = (message: string) => Object.assign(new Error(message), { code: 'EINVAL', syscall: 'open' });
