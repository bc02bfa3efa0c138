// Gives an open file another name, in the place of what stands there: nothing is copied.

import { fstatSync, fsyncSync, linkSync, lstatSync, unlinkSync } from 'node:fs';
import { type Durability, freeName, nameAlso, takePlace } from './replace-file.ts';

/**
 * Throws what the operating system throws; then what was there before is still there.
 * @param source its name, where no link is followed. @param beside as `replaceFile` takes it
 * @returns as `replaceFile`; null where it can have no such name: on another disk, or where something else stands at `source`.
 */
export function nameFile(
  source: string,
  fd: number,
  file: string,
  durability: Durability,
  beside: string | null,
): boolean | null {
  const temporary = freeName(file);
  try {
    linkSync(source, temporary);
  } catch {
    return null;
  }
  const [own, named] = [fstatSync(fd), lstatSync(temporary)];
  // Another name is somebody else's.
  if (own.ino !== named.ino || own.dev !== named.dev || own.nlink !== 2) {
    unlinkSync(temporary);
    return null;
  }
  if (durability === 'synced') fsyncSync(fd);
  const isBeside = beside !== null && nameAlso(temporary, beside);
  takePlace(temporary, file, 'set_aside');
  return isBeside;
}
