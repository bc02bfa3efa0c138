// Writes a file (0600) beside its target and renames it, so that no reader sees half of it; deletes no foreign data.

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
import { kindOf, openRegular } from './regular-file.ts';

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

const REFUSALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ETXTBSY']);

/** The code with which the system refuses to write the file, without writing it; null if it does not, or if the file has another problem. */
export function writeRefusal(file: string): string | null {
  try {
    closeSync(openRegular(file, constants.O_WRONLY));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== undefined && REFUSALS.has(code) ? code : null;
  }
}

/**
 * Moves what is in the place of a file of ours within the same folder, whatever it is, without reading it. Throws what the operating system throws.
 * @returns its new name, which ends in `.unreadable-<time>` and is unique.
 */
export function setAside(file: string, clock: () => Date): string {
  for (let ms = clock().getTime(); ; ms += 1) {
    const aside = asideOf(file, new Date(ms));
    if (kindOf(aside) !== null) continue;
    renameSync(file, aside);
    return aside;
  }
}

/** The same; null if another process was faster. */
export function setAsideIfThere(file: string, clock: () => Date): string | null {
  try {
    return setAside(file, clock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export const isSetAside = (name: string): boolean => /\.unreadable-[\dTZ-]+$/.test(name);

/** The name is shortened if necessary, since it must not exceed 255 bytes with the ending. */
function asideOf(file: string, at: Date): string {
  const ending = `.unreadable-${at.toISOString().replace(/[:.]/g, '-')}`;
  let name = path.basename(file);
  while (Buffer.byteLength(name + ending) > 255) name = name.slice(0, -1);
  return path.join(path.dirname(file), name + ending);
}
