// Where a folder really lies, behind every link.

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
