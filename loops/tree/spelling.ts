// Finds a name as the disk spells it: an `é` may be one character or two, and users do not see the difference.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';

/**
 * Replaces each part that does not exist with exactly these bytes by the name with the same NFC form. A part that does not exist
 * at all is unchanged.
 */
export function spelledIn(folder: string, name: string): string {
  if (!/[^\0-\x7f]/.test(name)) return name;
  let at = folder;
  return name
    .split('/')
    .map((step) => {
      const found = isThere(path.join(at, step)) ? step : (namesIfAny(at).find((other) => isSame(other, step)) ?? step);
      at = path.join(at, found);
      return found;
    })
    .join('/');
}

/** Returns the spellings of a glob that a disk may contain; most globs have one. */
export const spellings = (glob: string): string[] => [...new Set([glob, glob.normalize('NFC'), glob.normalize('NFD')])];

const isSame = (a: string, b: string): boolean => a.normalize('NFC') === b.normalize('NFC');

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
