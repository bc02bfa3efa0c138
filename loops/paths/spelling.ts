// Finds a name as the disk spells it: an `é` of one character and one of two are the same to whoever wrote it.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';

/** Each step that is not there by its own bytes becomes the one that is it in NFC; what is not there at all stays. */
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

/** The ways to write a glob, of which a disk may hold either; most have one. */
export const spellings = (glob: string): string[] => [...new Set([glob, glob.normalize('NFC'), glob.normalize('NFD')])];

const isSame = (a: string, b: string): boolean => a.normalize('NFC') === b.normalize('NFC');

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
