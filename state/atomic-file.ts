// Reads and writes state files that users edit: writes completely or not at all, and never over an unreadable file.

import { lstat, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { named } from './append-line.ts';
import { makeFolder } from './disk/folder.ts';
import { readRegular, UnfitFileError } from './disk/regular-file.ts';
import { type Durability, makeWay, replaceText, setAsideIfThere } from './disk/replace-file.ts';

/** A parsed text: the same text has the same value, and need not be parsed again. */
export interface KnownJson<T> {
  text: string;
  value: T;
}

type Read<T> =
  | ({ how: 'read' } & KnownJson<T>)
  | { how: 'absent' }
  | { how: 'set_aside'; message: string }
  | { how: 'in_place'; message: string };

/**
 * Writes a file in one step, with mode 0600 in a folder with 0700. Moves anything else in its place aside. Only this module uses
 * write-file-atomic.
 * @param durability `renamed` for a file that can be rebuilt from the journal, or matters only until the next reboot. To sync
 * each would cost more than everything else that a dispatcher does for a stage. The library makes a dozen system calls for each.
 */
export async function writeAtomic(file: string, text: string, durability: Durability = 'synced'): Promise<void> {
  const write = async () => (durability === 'synced' ? writeSynced(file, text) : replaceText(file, text, 'set_aside'));
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw named(file, error);
    // Created only if it is missing: it nearly always exists.
    makeFolder(path.dirname(file));
    await write();
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // The library writes to the target of a link; we replace the link, as a rename does.
  if ((await lstat(file).catch(() => null))?.isSymbolicLink()) await rm(file);
  makeWay(file);
  // Written here, because on a full disk the library treats a half write as complete, and replaces the complete file with it.
  const tmpfileCreated = (fresh: string) => writeFile(fresh, text);
  await writeFileAtomic(file, undefined as never, { mode: 0o600, tmpfileCreated });
}

export const writeJson = (file: string, value: unknown, durability?: Durability): Promise<void> =>
  writeAtomic(file, jsonText(value), durability);

/** Formatted for users. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Reads a JSON object. An empty file counts as absent. A file that is not an object is moved aside, and the message names the new
 * place. `in_place`, for callers that only read, does not move it.
 */
export async function readJson<T extends object>(
  file: string,
  clock: () => Date,
  broken: 'set_aside' | 'in_place' = 'set_aside',
  known?: KnownJson<T>,
): Promise<Read<T>> {
  const unfit = (why: string): Read<T> => {
    if (broken === 'in_place') return { how: 'in_place', message: why };
    const aside = setAsideIfThere(file, clock);
    // Another process was faster, and has reported it.
    return aside === null ? { how: 'absent' } : { how: 'set_aside', message: `${why}; it was moved to ${aside}` };
  };
  let text: string;
  try {
    text = readRegular(file);
  } catch (error) {
    if (error instanceof UnfitFileError) return unfit(error.message);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { how: 'absent' };
    throw error;
  }
  if (text === known?.text) return { how: 'read', ...known };
  // A power loss can produce such a file; it contains nothing that anyone wrote.
  if (/^[\0\s]*$/.test(text)) return { how: 'absent' };
  try {
    const value = JSON.parse(text) as T;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { how: 'read', text, value };
  } catch {
    // Reported below, as for any text that is not a JSON object.
  }
  return unfit(`${file} is not a JSON object`);
}
