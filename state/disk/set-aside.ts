// Moves aside what is in the place of one of our files: no foreign data is deleted.

import { renameSync } from 'node:fs';
import path from 'node:path';
import { kindOf } from './regular-file.ts';

/**
 * Moves it within the same folder, whatever it is, without reading it. Throws what the operating system throws.
 * @returns its new name, which ends in `.unreadable-<time>` and is unique.
 */
export function setAside(file: string, clock: () => Date): string {
  for (let ms = clock().getTime(); ; ms += 1) {
    const aside = asideOf(file, new Date(ms));
    if (kindOf(aside) !== null) continue;
    renameSync(file, aside);
    return aside;
  }
}

/** The same; null if another process was faster. */
export function setAsideIfThere(file: string, clock: () => Date): string | null {
  try {
    return setAside(file, clock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The name of something that was moved aside. */
export const isSetAside = (name: string): boolean => /\.unreadable-[\dTZ-]+$/.test(name);

/** The name is shortened if necessary, since it must not exceed 255 bytes with the ending. */
function asideOf(file: string, at: Date): string {
  const ending = `.unreadable-${at.toISOString().replace(/[:.]/g, '-')}`;
  let name = path.basename(file);
  while (Buffer.byteLength(name + ending) > 255) name = name.slice(0, -1);
  return path.join(path.dirname(file), name + ending);
}
