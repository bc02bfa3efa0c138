// Resolves a folder's real place behind every link, and checks what is in it.

import { realpathSync } from 'node:fs';
import path from 'node:path';

/** A missing folder is compared by its name. */
export function realOr(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

export const isSameFolder = (one: string, other: string): boolean => one === other || realOr(one) === realOr(other);

/** Compares names only, without following links; a folder is within itself. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
