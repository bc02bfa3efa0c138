// Makes a file of 3 GB that takes no space on the disk: larger than any reader may load into memory.

import { truncateSync, writeFileSync } from 'node:fs';

export const HUGE_BYTES = 3 * 1024 ** 3;

/** Discards the previous content. */
export function makeHuge(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, HUGE_BYTES);
}
