// Reads contents if that is cheap, so that a file that was only touched or rewritten unchanged is not a change.

import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { breathing } from './breath.ts';
import { entryOf, type TreeEntry, untouched } from './entry.ts';

/**
 * The cost of a read (8 µs for a small file in memory) limits what is read. Small files are read in the order of the walk, up to
 * these limits for one snapshot. Contents that are known from an earlier snapshot of the same tree are not read again. So a large
 * tree is known after a few stages. An unknown file counts as changed as soon as its stat changes.
 */
const MAX_FILE_BYTES = 64 * 1024;
const MAX_FILES = 40_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Sets the hash of each file that is known or read. */
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
    // The file was written to and has the same size. The snapshot must find out whether it changed, whatever that costs.
    const isRequired = oldHash !== null && old!.size === entry.size;
    if (!isRequired && (entry.size > Math.min(MAX_FILE_BYTES, bytesLeft) || filesLeft === 0)) continue;
    if (!isRequired) [filesLeft, bytesLeft] = [filesLeft - 1, bytesLeft - entry.size];
    entry.text = hashFile(placeOf(path), entry);
    const pause = breathe();
    if (pause !== null) await pause;
  }
}

const BUFFER = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** @returns null if the file is no longer the file of the entry, or cannot be read. */
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
