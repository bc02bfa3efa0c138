// State files that people read and edit: written whole or not at all, never over one that cannot be read.

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { named } from './line.ts';

export type Read<T> =
  | { how: 'read'; value: T }
  | { how: 'absent' }
  | { how: 'set_aside'; message: string }
  | { how: 'left'; message: string };

/**
 * `renamed`: for what can be made again from the journal, or is of use only while this machine is up. A sync of each
 * would cost more than all else that a dispatcher does for a stage.
 */
export type Durability = 'synced' | 'renamed';

/** Writes a file in one step (write-file-atomic's only door is here); 0600, its folder 0700. */
export async function writeWhole(file: string, text: string, durability: Durability = 'synced'): Promise<void> {
  const write = () => (durability === 'synced' ? writeSynced(file, text) : writeRenamed(file, text));
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw named(file, error);
    // Made only where it is missing: it is there nearly always.
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await write();
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // The library writes to where a link leads; we replace it, as a rename does.
  if ((await lstat(file).catch(() => null))?.isSymbolicLink()) await rm(file);
  // Written here: the library takes half of it for all when the disk is full, and puts that in the place of what was whole.
  const tmpfileCreated = (fresh: string) => writeFile(fresh, text);
  await writeFileAtomic(file, undefined as never, { mode: 0o600, tmpfileCreated });
}

/** Three calls of the system; the library makes a dozen. */
async function writeRenamed(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw error;
  }
}

export const writeJson = (file: string, value: unknown, durability?: Durability): Promise<void> =>
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`, durability);

/** Reads a JSON object; an empty file is an absent one, a file that is none is moved aside, and the message says where to; or it is left, for who only looks. */
export async function readJson<T extends object>(
  file: string,
  clock: () => Date,
  broken: 'set_aside' | 'left' = 'set_aside',
): Promise<Read<T>> {
  let text: string;
  const kind = await stat(file).catch(() => null);
  if (kind !== null && !kind.isFile())
    return { how: 'set_aside', message: `${file} is no regular file; put it elsewhere` };
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { how: 'absent' };
    throw error;
  }
  // A loss of power leaves such; there is nothing in it that anybody wrote.
  if (/^[\0\s]*$/.test(text)) return { how: 'absent' };
  try {
    const value = JSON.parse(text) as T;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { how: 'read', value };
  } catch {
    // Told below, as for any text that is no JSON object.
  }
  if (broken === 'left') return { how: 'left', message: `${file} is no JSON object` };
  const aside = `${file}.unreadable-${clock().toISOString().replace(/[:.]/g, '-')}`;
  await rename(file, aside);
  return { how: 'set_aside', message: `${file} is no JSON object; it was moved to ${aside}` };
}
