// Checks whether a name that a user gave on the command line leads to a pipe: `<(…)`, /dev/stdin, a FIFO.

import { type Stats, statSync } from 'node:fs';

/** A descriptor of our own process, whatever it leads to. */
const DESCRIPTOR = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/\d+)$/;

/** A pipe is read to its end, and not as a file. A file that an agent could have put there must be a regular one instead. */
export function isPipe(file: string): boolean {
  let found: Stats;
  try {
    found = statSync(file);
  } catch {
    return false;
  }
  return found.isFIFO() || (DESCRIPTOR.test(file) && (found.isSocket() || found.isCharacterDevice()));
}

/** A socket cannot be opened by its name, so standard input is read by its number. */
export const isStdin = (file: string): boolean => /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/.test(file);
