// Where a folder really lies, behind every link, and what lies in it.

import { realpathSync } from 'node:fs';
import path from 'node:path';

/** A folder that is gone is compared as it is named. */
export function realOr(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

export const isSameFolder = (one: string, other: string): boolean => one === other || realOr(one) === realOr(other);

/** By their names alone, links not followed; a folder is within itself. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
