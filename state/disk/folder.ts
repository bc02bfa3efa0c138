// Lists and makes folders, even if another program has put something else in their place.

import { type Dirent, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isFolder, kindOf, UnfitFileError } from './regular-file.ts';

/** Its names; none if there is no folder. Throws the operating system's error if the folder cannot be read. */
export const namesIn = (folder: string): string[] => listed(() => readdirSync(folder));

/** The same with the type of each entry. */
export const entriesIn = (folder: string): Dirent[] => listed(() => readdirSync(folder, { withFileTypes: true }));

/** Its names, and none if it cannot be read for any reason. */
export const namesIfAny = (folder: string): string[] => ifAny(() => readdirSync(folder));

/** The same with the type of each entry. */
export const entriesIfAny = (folder: string): Dirent[] => ifAny(() => readdirSync(folder, { withFileTypes: true }));

/**
 * Makes the folder and all above it. `mkdirSync` with `recursive` never returns for a folder below /proc, which no program can
 * make. Throws the operating system's error.
 * @returns the first folder that was made; undefined if all were there.
 */
export function makeFolders(folder: string, mode = 0o700): string | undefined {
  try {
    mkdirSync(folder, mode);
    return folder;
  } catch (error) {
    if (isFolder(folder)) return undefined;
    const above = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    const first = makeFolders(above, mode);
    try {
      mkdirSync(folder, mode);
    } catch (later) {
      // Another process may have made it.
      if (!isFolder(folder)) throw later;
    }
    return first ?? folder;
  }
}

/** The same. Throws UnfitFileError if something else is in the place of one of them. */
export function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const intruder = code !== undefined && IN_THE_WAY.has(code) ? intruderAbove(folder) : null;
    if (intruder === null) throw error;
    throw new UnfitFileError(intruder, 'EINVAL', `is ${kindOf(intruder)}, and no folder`);
  }
}

/** Is it a folder itself, and not a link to one? */
export const isOwnFolder = (place: string): boolean =>
  lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

/** There is nothing, or something that is not a folder: a file, a FIFO, a link that leads in a circle. */
const NO_FOLDER: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
const IN_THE_WAY: ReadonlySet<string> = new Set(['EEXIST', ...NO_FOLDER]);

function listed<T>(list: () => T[]): T[] {
  try {
    return list();
  } catch (error) {
    if (NO_FOLDER.has((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function ifAny<T>(list: () => T[]): T[] {
  try {
    return list();
  } catch {
    return [];
  }
}

function intruderAbove(folder: string): string | null {
  for (let at = path.resolve(folder); at !== path.dirname(at); at = path.dirname(at))
    if (kindOf(at) !== null && !isFolder(at)) return at;
  return null;
}
