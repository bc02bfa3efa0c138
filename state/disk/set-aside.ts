// Moves what stands in the place of a file of ours out of the way: nothing of anybody's is deleted.

import { renameSync } from 'node:fs';
import path from 'node:path';
import { kindOf } from './regular-file.ts';

/**
 * In the same folder, whatever it is, unread. @returns its new name, which ends in `.unreadable-<time>` and is nobody else's.
 * Throws what the operating system throws.
 */
export function setAside(file: string, clock: () => Date): string {
  for (let ms = clock().getTime(); ; ms += 1) {
    const aside = asideOf(file, new Date(ms));
    if (kindOf(aside) !== null) continue;
    renameSync(file, aside);
    return aside;
  }
}

/** The same; null where another process was faster. */
export function setAsideIfThere(file: string, clock: () => Date): string | null {
  try {
    return setAside(file, clock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A name that has no room for the ending is cut, since it must not take more than 255 bytes. */
function asideOf(file: string, at: Date): string {
  const ending = `.unreadable-${at.toISOString().replace(/[:.]/g, '-')}`;
  let name = path.basename(file);
  while (Buffer.byteLength(name + ending) > 255) name = name.slice(0, -1);
  return path.join(path.dirname(file), name + ending);
}
