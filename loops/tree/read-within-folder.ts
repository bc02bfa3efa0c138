// Reads a small text file that must be within a folder, whatever links lead to it and however the disk spells its name.

import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isWithin } from '../../state/disk/real-folder.ts';
import { readRegularBytes } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Forbids } from './forbidden.ts';

type ReadWithin =
  | { how: 'read'; text: string }
  | { how: 'absent' }
  /** A sentence without a subject: "leads out of /project". */
  | { how: 'refused'; why: string };

const MAX_TEMPLATE_BYTES = 1024 * 1024;

interface Ground {
  folder: string;
  /** The folder to which `security.forbidden_paths` are relative. */
  root: string;
  forbids: Forbids;
}

/** Returns its text, or why it is refused. A missing file is also a result. */
export function readWithin({ folder, root, forbids }: Ground, said: string): ReadWithin {
  if (path.isAbsolute(said)) return refused(`is an absolute path; it must be relative to ${folder}`);
  if (said.split('/').includes('..')) return refused(`leads out of ${folder} ("..")`);
  if (said.includes('\0')) return refused('holds a zero byte');
  const file = spelledIn(folder, said);
  try {
    const real = realpathSync.native(path.join(folder, file));
    if (!isWithin(realpathSync.native(folder), real)) return refused(`leads out of ${folder} by a symbolic link`);
    const names = [path.relative(root, path.join(folder, file)), path.relative(realpathSync.native(root), real)];
    const glob = forbids(names, real);
    if (glob !== null) return refused(`is forbidden by ${glob} (security.forbidden_paths)`);
    const kind = statSync(real);
    if (!kind.isFile()) return refused(`is not a regular file in ${folder}`);
    if (kind.size > MAX_TEMPLATE_BYTES)
      return refused(`has ${kind.size} bytes; at most ${MAX_TEMPLATE_BYTES} are read`);
    const bytes = readRegularBytes(real, MAX_TEMPLATE_BYTES);
    const text = bytes.toString('utf8');
    return bytes.includes(0) || !Buffer.from(text).equals(bytes) ? refused('is not UTF-8 text') : { how: 'read', text };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code } = error;
    return code === 'ENOENT' ? { how: 'absent' } : refused(`cannot be read in ${folder} (${code})`);
  }
}

/**
 * Describes what is wrong with the target of a symbolic or hard link, as a sentence without a subject. Returns null if it is not
 * a link, or does not exist.
 * @param folders one of them must contain the target; the last is the one to which `security.forbidden_paths` are relative
 */
export function linkMistake(file: string, folders: readonly [string, string], forbids: Forbids): string | null {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      const linked = forbids([], file);
      return linked === null ? null : `is forbidden by ${linked} (security.forbidden_paths)`;
    }
    const real = realpathSync.native(file);
    const homes = folders.map((folder) => realpathSync.native(folder));
    if (!homes.some((home) => isWithin(home, real))) return `leads out of ${folders[1]} by a symbolic link`;
    const glob = forbids([path.relative(homes[1]!, real)], real);
    return glob === null ? null : `leads to what is forbidden by ${glob} (security.forbidden_paths)`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `is a symbolic link that cannot be followed (${error.code})`;
  }
}

const refused = (why: string): ReadWithin => ({ how: 'refused', why });

/**
 * Returns the name as the disk spells it: an `é` may be one character or two, and users do not see the difference.
 * Replaces each part that does not exist with exactly these bytes by the name with the same NFC form. A part that does not exist
 * at all is unchanged.
 */
export function spelledIn(folder: string, name: string): string {
  if (!/[^\0-\x7f]/.test(name)) return name;
  let at = folder;
  return name
    .split('/')
    .map((step) => {
      const found = isThere(path.join(at, step)) ? step : (namesIfAny(at).find((other) => isSame(other, step)) ?? step);
      at = path.join(at, found);
      return found;
    })
    .join('/');
}

/** Returns the spellings of a glob that a disk may contain; most globs have one. */
export const spellings = (glob: string): string[] => [...new Set([glob, glob.normalize('NFC'), glob.normalize('NFD')])];

const isSame = (a: string, b: string): boolean => a.normalize('NFC') === b.normalize('NFC');

const isThere = (file: string): boolean =>
  tried(() => lstatSync(file, { throwIfNoEntry: false }) !== undefined) ?? false;
