// Stores the offset of a stdout after which no success counts. It is beside that file, for each process that reads it.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';

/** Output after this offset of stdout cannot make a success: we had signalled the CLI, or the output is over its limit. */
interface Cut {
  stdout_bytes: number;
}

const cutFileOf = (stdout: string): string => path.join(path.dirname(stdout), 'cut.json');

/** Writes the cut for a process that takes over the call; if it cannot, the cut holds only in this process. */
export function keepCut(stdout: string, offset: number): void {
  try {
    replaceText(cutFileOf(stdout), JSON.stringify({ stdout_bytes: offset } satisfies Cut), 'set_aside');
  } catch {
    // The disk is full.
  }
}

export function keptCut(stdout: string): number {
  const offset = readJsonIfFit<Partial<Cut>>(cutFileOf(stdout))?.stdout_bytes;
  return typeof offset === 'number' && offset >= 0 ? offset : Number.POSITIVE_INFINITY;
}

/** Stores the cut for a process that signals a call whose output it does not read. */
export function signallingUnread({ stdout }: { stdout: string }): void {
  const size = lstatSync(stdout, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size < keptCut(stdout)) keepCut(stdout, size);
}
