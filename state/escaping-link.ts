// Finds a folder of ours that is a symbolic link out of its proper place: what we write would go there.

import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * @param parts relative to `folder`, parents first.
 * @returns a sentence about the first one that leads out of `folder`, or null.
 */
export function findEscapingLink(folder: string, parts: readonly string[]): string | null {
  for (const part of parts) {
    const place = `${folder}${path.sep}${part}`;
    if (!isLink(place)) continue;
    const real = realOf(place);
    const home = realOf(folder);
    if (real !== null && home !== null && real.startsWith(home + path.sep)) continue;
    const where = real === null ? 'nowhere' : `out of ${folder}, to ${real}`;
    return `${place} is a symbolic link that leads ${where}; nothing is written there. Put a folder in its place`;
  }
  return null;
}

/** An exception costs more than the look. */
const ABSENT = { throwIfNoEntry: false } as const;

/** If the place cannot be looked at, the next write there fails and reports it. */
function isLink(place: string): boolean {
  try {
    return lstatSync(place, ABSENT)?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

function realOf(place: string): string | null {
  try {
    return realpathSync.native(place);
  } catch {
    return null;
  }
}
