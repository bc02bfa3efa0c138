// Writes a file beside its target and renames it, so that a reader never sees half of it, and nothing is written through a link. 0600.

import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from './folder.ts';
import { setAsideIfThere } from './set-aside.ts';

/** `synced` for what must outlive a power cut; for the rest a rename is enough. */
export type Durability = 'synced' | 'renamed';

/**
 * What to do about a folder, a FIFO or a device in the place of the file: `set_aside` where the place is ours, so that it was put
 * there meanwhile. A file and a link are replaced.
 */
type Intruder = 'refused' | 'set_aside';

/** A whole text, synced, its folders made. @param beside as `replaceFile` takes it. */
export function publishText(file: string, text: string, intruder?: Intruder, beside: string | null = null): void {
  makeFolder(path.dirname(file));
  replaceFile(file, 'synced', (fd) => writeFileSync(fd, text), intruder, beside);
}

/** A whole text that need not outlive a power cut. Throws as `replaceFile` does. */
export const replaceText = (file: string, text: string, intruder?: Intruder): void =>
  void replaceFile(file, 'renamed', (fd) => writeFileSync(fd, text), intruder);

/**
 * Throws what the operating system throws; then what was there before is still there, and nothing else.
 * @param beside another name for what is written; on another disk a copy. null for none.
 * @returns whether it is there under that name, too.
 */
export function replaceFile(
  file: string,
  durability: Durability,
  fill: (fd: number) => void,
  intruder: Intruder = 'refused',
  beside: string | null = null,
): boolean {
  let isBeside = false;
  const { temporary, fd } = openBeside(file);
  try {
    fill(fd);
    if (durability === 'synced') fsyncSync(fd);
    isBeside = beside !== null && nameAlso(temporary, beside);
  } catch (error) {
    unlinkSync(temporary);
    throw naming(file, error);
  } finally {
    closeSync(fd);
  }
  takePlace(temporary, file, intruder);
  return isBeside;
}

/** Throws what the operating system throws; then the temporary is gone, too. */
export function takePlace(temporary: string, file: string, intruder: Intruder): void {
  try {
    if (intruder === 'set_aside') makeWay(file);
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

/** What stands there, were it a link, is replaced and not followed. It is worth a try, and no failure. */
function nameAlso(source: string, file: string): boolean {
  const temporary = freeName(file);
  try {
    linkOrCopy(source, temporary);
    renameSync(temporary, file);
    return true;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
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

/** Nothing of anybody's is deleted, and a rename never fails for what is in its way. */
export function makeWay(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return;
  setAsideIfThere(file, () => new Date());
}

let written = 0;

/** A temporary's that this process has not yet made. */
function freeName(file: string): string {
  written += 1;
  return path.join(path.dirname(file), `${temporaryPrefix(file, process.pid)}${written}`);
}

/** In a container a process that was killed had the same number, and what it left may still be there. */
export function openBeside(file: string): { temporary: string; fd: number } {
  for (;;) {
    const temporary = freeName(file);
    try {
      return { temporary, fd: openSync(temporary, 'wx+', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** How the names of a process's temporaries for that file begin; a number follows. */
export const temporaryPrefix = (file: string, pid: number): string => `.${path.basename(file)}.${pid}-`;

/** The name of a temporary: of which file, and by which process. */
export const TEMPORARY = /^\.(?<name>.+)\.(?<pid>\d+)-\d+$/;

/** The system's word on a descriptor does not say which file it is. */
function naming(file: string, error: unknown): unknown {
  if (error instanceof Error && !error.message.includes(file)) error.message += ` '${file}'`;
  return error;
}
