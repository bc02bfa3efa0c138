// Moves what stands in the place of a file of ours out of the way: nothing of anybody's is deleted.

import { renameSync } from 'node:fs';

/** In the same folder, whatever it is, unread. @returns its new name, ending in `.unreadable-<time>`. Throws what the operating system throws. */
export function setAside(file: string, clock: () => Date): string {
  const aside = `${file}.unreadable-${clock().toISOString().replace(/[:.]/g, '-')}`;
  renameSync(file, aside);
  return aside;
}
