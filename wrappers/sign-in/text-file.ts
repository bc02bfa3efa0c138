// A small text file of somebody else's, or nothing when it cannot be read.

import { readFileSync } from 'node:fs';

export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
