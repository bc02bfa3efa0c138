// Copies a file that is too large for memory: shares its blocks if the disk can, otherwise copies it up to a limit.

import { closeSync, constants, copyFileSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';

const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * @param maxBytes the limit for a copy byte by byte; shared blocks cost nothing.
 * @returns whether the copy is complete.
 */
export function copyLarge(from: string, to: string, maxBytes: number, mode = 0o600): boolean {
  const source = openRegular(from);
  try {
    return isShared(source, to) || copied(source, to, maxBytes, mode);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    closeSync(source);
  }
}

/** Uses the descriptor, because the name may refer to another file by now. */
function isShared(source: number, to: string): boolean {
  const opened = `/proc/self/fd/${source}`;
  if (!existsSync(opened)) return false;
  try {
    copyFileSync(opened, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code !== 'EEXIST') rmSync(to, { force: true });
    return false;
  }
}

const CHUNK_BYTES = 256 * 1024;

function copied(source: number, to: string, maxBytes: number, mode: number): boolean {
  const target = openSync(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  let whole = false;
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at <= maxBytes; ) {
      const read = readSync(source, chunk, 0, chunk.length, at);
      if (read === 0) {
        whole = true;
        break;
      }
      for (let done = 0; done < read; ) done += writeSync(target, chunk, done, read - done);
      at += read;
    }
  } finally {
    closeSync(target);
    if (!whole) rmSync(to, { force: true });
  }
  return whole;
}

/** Returns whether two regular files have the same bytes. */
export function isSameContent(one: string, other: string): boolean {
  const [a, b] = [openRegular(one), openRegular(other)];
  try {
    const [chunkA, chunkB] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
    for (let at = 0; ; ) {
      const read = readSync(a, chunkA, 0, chunkA.length, at);
      if (readSync(b, chunkB, 0, chunkB.length, at) !== read) return false;
      if (!chunkA.subarray(0, read).equals(chunkB.subarray(0, read))) return false;
      if (read === 0) return true;
      at += read;
    }
  } finally {
    closeSync(a);
    closeSync(b);
  }
}
