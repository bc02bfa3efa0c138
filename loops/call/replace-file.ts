// Writes a published file: beside its target, then renamed, so that a reader never sees half of it. 0600.

import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { named } from '../../state/line.ts';
import { isSystemError } from '../../state/system-error.ts';

/** `sync` for what must outlive a power cut: the answer and the record, and whatever takes the place of a file that is removed. */
export type Promised = 'sync' | 'rename';

/** Synced, its folders made. */
export function publishText(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  replace(file, 'sync', (fd) => writeFileSync(fd, text));
}

/**
 * @param beside another name for what is written; on another disk a copy. null for none.
 * @returns whether it is there under that name, too.
 */
export function replace(
  file: string,
  promise: Promised,
  fill: (fd: number) => void,
  beside: string | null = null,
): boolean {
  let isBeside = false;
  const temporary = temporaryOf(file);
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    fill(fd);
    if (promise === 'sync') fsyncSync(fd);
    isBeside = beside !== null && nameAlso(temporary, beside);
  } catch (error) {
    unlinkSync(temporary);
    throw named(file, error);
  } finally {
    closeSync(fd);
  }
  try {
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
  return isBeside;
}

/** What stands there, were it a link, is replaced and not followed. It is worth a try, and no failure. */
function nameAlso(written: string, file: string): boolean {
  const temporary = temporaryOf(file);
  try {
    linkOrCopy(written, temporary);
    renameSync(temporary, file);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    rmSync(temporary, { force: true });
    return false;
  }
}

/** A copy on another disk, or on one that knows no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

let written = 0;

function temporaryOf(file: string): string {
  written += 1;
  return path.join(path.dirname(file), `${temporaryPrefix(file, process.pid)}${written}`);
}

/** How the names of a process's temporaries for that file begin; a number follows. */
export const temporaryPrefix = (file: string, pid: number): string => `.${path.basename(file)}.${pid}-`;
