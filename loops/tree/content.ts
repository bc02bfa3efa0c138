// Reads contents where that is cheap, so that a file which was only touched or written anew as it was is no change.

import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { breathing } from './breath.ts';
import { entryOf, type TreeEntry, untouched } from './entry.ts';

/**
 * What a read costs (8 µs for a small file in memory) bounds what is read: small files, in the order of the walk, up to
 * these figures for one snapshot. What is known from an earlier snapshot of the same tree is not read again, so a large tree is
 * known after a few stages. A file that is not known counts as changed as soon as its stat says so: in doubt it is.
 */
const MAX_FILE_BYTES = 64 * 1024;
const MAX_FILES = 40_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Fills in the hash of each file that is known or read. */
export async function readContents(
  entries: ReadonlyMap<string, TreeEntry>,
  placeOf: (path: string) => string | Buffer,
  known: ReadonlyMap<string, TreeEntry>,
): Promise<void> {
  const breathe = breathing();
  let [filesLeft, bytesLeft] = [MAX_FILES, MAX_BYTES];
  for (const [path, entry] of entries) {
    if (entry.kind !== 'file') continue;
    const old = known.get(path);
    const oldHash = old?.kind === 'file' ? old.text : null;
    if (oldHash !== null && untouched(old!, entry)) {
      entry.text = oldHash;
      continue;
    }
    // Written to, and of the same size: whether it was changed is what the snapshot is for, whatever that costs.
    const asked = oldHash !== null && old!.size === entry.size;
    if (!asked && (entry.size > Math.min(MAX_FILE_BYTES, bytesLeft) || filesLeft === 0)) continue;
    if (!asked) [filesLeft, bytesLeft] = [filesLeft - 1, bytesLeft - entry.size];
    entry.text = hashFile(placeOf(path), entry);
    const pause = breathe();
    if (pause !== null) await pause;
  }
}

const BUFFER = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Null when it is no longer the file of the entry, or cannot be read. */
function hashFile(place: string | Buffer, entry: TreeEntry): string | null {
  let file: number | null = null;
  try {
    file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (readSync(file, BUFFER, 0, BUFFER.length, 0) !== entry.size) return null;
    if (!untouched(entryOf(fstatSync(file), 'file', null), entry)) return null;
    return hash('sha256', BUFFER.subarray(0, entry.size), 'base64');
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
