// Changes a file that another program owns: only if it is unchanged since it was read, and completely or not at all.

import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { named, naming, syncFolder } from './append-line.ts';
import { openRegular } from './disk/regular-file.ts';
import { isSystemError } from './system-error.ts';

/** A file as it was seen; a file that differs in any of these is a different one. */
export interface Sighting {
  file: string;
  device: number;
  inode: number;
  bytes: number;
  changedAtMs: number;
}

export type ExactChange =
  | { how: 'append'; text: string }
  | { how: 'cut'; atByte: number }
  | { how: 'replace'; text: string }
  /** The first bytes of one of our other files. */
  | { how: 'restore'; from: string; bytes: number };

/** @returns null if the file is missing or not a regular file: a link is never followed. */
export function sight(file: string): Sighting | null {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? sightingOf(file, found) : null;
}

export const isSame = (a: Sighting, b: Sighting | null): boolean =>
  b !== null && SEEN.every((field) => a[field] === b[field]);

/** Makes the change, on disk when it returns. If it throws, the file is unchanged, or has half a line more. */
export function swapIfUnchanged(seen: Sighting, change: ExactChange): Sighting {
  if (change.how === 'append') appendWhole(seen, change.text);
  else putInPlace(seen, change);
  const after = sight(seen.file);
  if (after === null) throw Object.assign(new Error(`${seen.file} is gone`), { code: 'ENOENT', syscall: 'lstat' });
  return after;
}

/** A copy of the whole file that shares its blocks if the file system can; synced, and private to our user. */
export function copyWhole(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const fd = openRegular(to, constants.O_RDWR);
    try {
      fchmodSync(fd, 0o600);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    syncFolder(path.dirname(to));
  } catch (error) {
    rmSync(to, { force: true });
    throw named(to, error);
  }
}

/** The hashes of the first bytes of a file, for several lengths in one pass. Throws if the file is shorter. */
export function hashesOf(file: string, lengths: readonly number[]): string[] {
  const fd = openRegular(file);
  try {
    const hash = createHash('sha256');
    const found = new Map<number, string>();
    let at = 0;
    for (const length of [...new Set(lengths)].sort((a, b) => a - b)) {
      at = hashUpTo(fd, hash, at, length, file);
      found.set(length, hash.copy().digest('hex'));
    }
    return lengths.map((length) => found.get(length)!);
  } finally {
    closeSync(fd);
  }
}

/** The same for the first bytes followed by a text. */
export function hashWith(file: string, length: number, text: string): string {
  const fd = openRegular(file);
  try {
    const hash = createHash('sha256');
    hashUpTo(fd, hash, 0, length, file);
    return hash.update(text).digest('hex');
  } finally {
    closeSync(fd);
  }
}

/** Does it end within a line, as after an interrupted writer? */
export function endsWithinLine({ file, bytes }: Sighting): boolean {
  if (bytes === 0) return false;
  const fd = openRegular(file);
  try {
    const last = Buffer.alloc(1);
    return readSync(fd, last, 0, 1, bytes - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(fd);
  }
}

const SEEN = ['file', 'device', 'inode', 'bytes', 'changedAtMs'] as const satisfies (keyof Sighting)[];
const CHUNK_BYTES = 1024 * 1024;

const sightingOf = (file: string, { dev, ino, size, mtimeMs }: Stats): Sighting => ({
  file,
  device: dev,
  inode: ino,
  bytes: size,
  changedAtMs: mtimeMs,
});

function hashUpTo(fd: number, hash: Hash, from: number, to: number, file: string): number {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const length = readSync(fd, chunk, 0, Math.min(chunk.length, to - at), at);
    if (length === 0) throw changed(file);
    hash.update(chunk.subarray(0, length));
    at += length;
  }
  return to;
}

/** Appends in one write. If a full disk took only a part, that part is cut off again. */
function appendWhole(seen: Sighting, text: string): void {
  const fd = openRegular(seen.file, constants.O_RDWR | constants.O_APPEND);
  try {
    if (!isSame(seen, sightingOf(seen.file, fstatSync(fd)))) throw changed(seen.file);
    const bytes = Buffer.from(text);
    try {
      const written = naming(seen.file, () => writeSync(fd, bytes));
      if (written < bytes.length) throw full(seen.file, written, bytes.length);
      naming(seen.file, () => fsyncSync(fd));
    } catch (error) {
      ftruncateSync(fd, seen.bytes);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

/** A new file beside it, with its mode and owner, takes its name in one step. */
function putInPlace(seen: Sighting, change: Exclude<ExactChange, { how: 'append' }>): void {
  const folder = path.dirname(seen.file);
  // One fixed name, so that any number of crashes leaves at most one file.
  const fresh = path.join(folder, `.${path.basename(seen.file)}.tollgate-new`);
  rmSync(fresh, { force: true });
  try {
    if (change.how === 'replace') closeSync(openSync(fresh, 'wx', 0o600));
    else
      copyFileSync(
        change.how === 'cut' ? seen.file : change.from,
        fresh,
        constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
      );
    const fd = openRegular(fresh, constants.O_RDWR);
    try {
      if (change.how === 'replace') {
        const bytes = Buffer.from(change.text);
        for (let at = 0; at < bytes.length; ) {
          const written = writeSync(fd, bytes, at);
          if (written === 0) throw full(fresh, at, bytes.length);
          at += written;
        }
      } else ftruncateSync(fd, change.how === 'cut' ? change.atByte : change.bytes);
      const { mode, uid, gid } = lstatSync(seen.file);
      fchmodSync(fd, mode & 0o777);
      const mine = fstatSync(fd);
      if (mine.uid !== uid || mine.gid !== gid) fchownSync(fd, uid, gid);
      naming(fresh, () => fsyncSync(fd));
    } finally {
      closeSync(fd);
    }
    if (!isSame(seen, sight(seen.file))) throw changed(seen.file);
    renameSync(fresh, seen.file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  try {
    syncFolder(folder);
  } catch (error) {
    // The new file already has its name. A power loss may restore the old one, which the ledger knows as well.
    if (!isSystemError(error)) throw error;
  }
}

const full = (file: string, written: number, of: number) =>
  Object.assign(new Error(`${file}: only ${written} of ${of} bytes could be written; free some disk space`), {
    code: 'ENOSPC',
    syscall: 'write',
  });

/** Another process writes the file. */
export class ChangedError extends Error {}

const changed = (file: string) => new ChangedError(`${file} was changed by another process meanwhile`);
