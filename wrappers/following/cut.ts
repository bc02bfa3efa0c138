// The offset of a stdout from which on no success counts, kept beside that file for each process that reads it.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { replaceText } from '../../state/disk/replace-file.ts';

/** What the CLI writes after this offset of its stdout makes no success: we had signalled it, or it is beyond the limit of output. */
interface Cut {
  stdout_bytes: number;
}

const cutFileOf = (stdout: string): string => path.join(path.dirname(stdout), 'cut.json');

/** On disk, so that a process that takes the call over knows it, too. A cut that cannot be written holds for this process alone. */
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

/** For a process that signals a call which it does not read. */
export function signallingUnread({ stdout }: { stdout: string }): void {
  const size = lstatSync(stdout, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size < keptCut(stdout)) keepCut(stdout, size);
}
