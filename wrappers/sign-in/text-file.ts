// Reads a small text file of another program; returns nothing if it cannot be read.

import { readFollowedIfFit } from '../../state/disk/regular-file.ts';

/** A person may keep it elsewhere and link to it. */
export const readText = (file: string): string | null => readFollowedIfFit(file, MAX_BYTES);

const MAX_BYTES = 1024 * 1024;
