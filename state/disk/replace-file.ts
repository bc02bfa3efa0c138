// Writes a file (0600) beside its target and renames it: no reader sees half of it, and no link is followed.

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

/** `synced` for a file that must survive a power loss; for the rest a rename is enough. */
export type Durability = 'synced' | 'renamed';

/**
 * What to do about a folder, a FIFO or a device in the place of the file. `set_aside` if the place is ours, so that another
 * program put it there meanwhile. A file and a link are replaced.
 */
type Intruder = 'refused' | 'set_aside';

/** Writes a whole text, synced, and makes its folders. @param beside as `replaceFile` takes it. */
export function publishText(file: string, text: string, intruder?: Intruder, beside: string | null = null): void {
  makeFolder(path.dirname(file));
  replaceFile(file, 'synced', (fd) => writeFileSync(fd, text), intruder, beside);
}

/** Writes a whole text that need not survive a power loss. Throws as `replaceFile` does. */
export const replaceText = (file: string, text: string, intruder?: Intruder): void =>
  void replaceFile(file, 'renamed', (fd) => writeFileSync(fd, text), intruder);

/**
 * Throws what the operating system throws. Then the previous file is unchanged, and no other file was added.
 * @param beside Another name for the new file; on another disk it gets a copy. null for none.
 * @returns whether the file has that name, too.
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

/** Throws what the operating system throws; then the temporary file is removed, too. */
export function takePlace(temporary: string, file: string, intruder: Intruder): void {
  try {
    if (intruder === 'set_aside') makeWay(file);
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

/** Replaces what has that name, and does not follow a link. If this does not work, the write still succeeds. */
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

/** Copies if the place is on another disk, or on one without hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Deletes no foreign data, and a rename never fails because of what is in its place. */
export function makeWay(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return;
  setAsideIfThere(file, () => new Date());
}

let written = 0;

/** The name of a temporary file that this process has not used yet. */
function freeName(file: string): string {
  written += 1;
  return path.join(path.dirname(file), `${temporaryPrefix(file, process.pid)}${written}`);
}

/** In a container a killed process may have had the same pid, and its temporary file may still be there. */
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

/** The prefix of a process's temporary files for that file; a number follows. */
export const temporaryPrefix = (file: string, pid: number): string => `.${path.basename(file)}.${pid}-`;

/** The name of a temporary file, with its target and the process that wrote it. */
export const TEMPORARY = /^\.(?<name>.+)\.(?<pid>\d+)-\d+$/;

/** The system's error for a descriptor does not name the file. */
function naming(file: string, error: unknown): unknown {
  if (error instanceof Error && !error.message.includes(file)) error.message += ` '${file}'`;
  return error;
}
