// Moves what stands in the tree into a backup folder, over the border of a disk too.

import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { besideTree, placeOf } from './names.ts';

/** Gives where it lies now: never over something that was set aside before. */
export async function setAside(place: string | Buffer, backupFolder: string, at: string): Promise<string> {
  const wanted = besideTree(at);
  await mkdir(placeOf(backupFolder, path.posix.dirname(wanted)), { recursive: true, mode: 0o700 });
  const name = await freeName(backupFolder, wanted);
  const target = placeOf(backupFolder, name);
  try {
    await rename(place, target);
  } catch (error) {
    const stands = await lstat(place);
    const movable = stands.isFile() || stands.isSymbolicLink();
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV' || !movable) throw error;
    if (stands.isSymbolicLink()) await symlink(await readlink(place, { encoding: 'buffer' }), target);
    else await copyFile(place, target, constants.COPYFILE_EXCL);
    await unlink(place);
  }
  return path.join(backupFolder, name);
}

async function freeName(backupFolder: string, at: string): Promise<string> {
  for (let copy = 0; ; copy++) {
    const name = copy === 0 ? at : `${at}~${copy}`;
    const stands = await lstat(placeOf(backupFolder, name)).catch(() => null);
    if (stands === null) return name;
  }
}
