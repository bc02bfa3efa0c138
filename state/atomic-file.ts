// State files that people read and edit: written whole or not at all, never over one that cannot be read.

import { lstat, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { named } from './append-line.ts';
import { makeFolder } from './disk/folder.ts';
import { readRegular, UnfitFileError } from './disk/regular-file.ts';
import { type Durability, makeWay, replaceText } from './disk/replace-file.ts';
import { setAsideIfThere } from './disk/set-aside.ts';

/** What a text says; the same text says the same, and need not be parsed again. */
export interface KnownJson<T> {
  text: string;
  value: T;
}

type Read<T> =
  | ({ how: 'read' } & KnownJson<T>)
  | { how: 'absent' }
  | { how: 'set_aside'; message: string }
  | { how: 'left'; message: string };

/**
 * Writes a file in one step (write-file-atomic's only door is here); 0600, its folder 0700. What else is in its place is moved aside.
 * @param durability `renamed` for what can be made again from the journal, or is of use only while this machine is up: a sync of
 * each would cost more than all else that a dispatcher does for a stage, and the library makes a dozen calls of the system for each.
 */
export async function writeAtomic(file: string, text: string, durability: Durability = 'synced'): Promise<void> {
  const write = async () => (durability === 'synced' ? writeSynced(file, text) : replaceText(file, text, 'set_aside'));
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw named(file, error);
    // Made only where it is missing: it is there nearly always.
    makeFolder(path.dirname(file));
    await write();
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // The library writes to where a link leads; we replace it, as a rename does.
  if ((await lstat(file).catch(() => null))?.isSymbolicLink()) await rm(file);
  makeWay(file);
  // Written here: the library takes half of it for all when the disk is full, and puts that in the place of what was whole.
  const tmpfileCreated = (fresh: string) => writeFile(fresh, text);
  await writeFileAtomic(file, undefined as never, { mode: 0o600, tmpfileCreated });
}

export const writeJson = (file: string, value: unknown, durability?: Durability): Promise<void> =>
  writeAtomic(file, jsonText(value), durability);

/** As it is written for people. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Reads a JSON object; an empty file is an absent one, a file that is none is moved aside, and the message says where to; or it is left, for who only looks. */
export async function readJson<T extends object>(
  file: string,
  clock: () => Date,
  broken: 'set_aside' | 'left' = 'set_aside',
  known?: KnownJson<T>,
): Promise<Read<T>> {
  const unfit = (why: string): Read<T> => {
    if (broken === 'left') return { how: 'left', message: why };
    const aside = setAsideIfThere(file, clock);
    // Somebody else was faster, and has told it.
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
  // A loss of power leaves such; there is nothing in it that anybody wrote.
  if (/^[\0\s]*$/.test(text)) return { how: 'absent' };
  try {
    const value = JSON.parse(text) as T;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { how: 'read', text, value };
  } catch {
    // Told below, as for any text that is no JSON object.
  }
  return unfit(`${file} is no JSON object`);
}
