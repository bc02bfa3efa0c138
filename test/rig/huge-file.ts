// A file of 3 GB that takes no room on the disk: more than anybody may read into memory.

import { truncateSync, writeFileSync } from 'node:fs';

export const HUGE_BYTES = 3 * 1024 ** 3;

/** Empties what is there. */
export function makeHuge(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, HUGE_BYTES);
}
