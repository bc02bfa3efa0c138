// What a path holds, in figures of the kernel that change with every write: by them a file is known to be the same one.

import { lstatSync, readlinkSync } from 'node:fs';

export interface FileLook {
  /** The same as long as nobody wrote to it, replaced it, or set its rights or times. */
  stamp: string;
  kind: 'file' | 'link' | 'folder' | 'other';
  mode: number;
  bytes: number;
  /** Of a link, where it leads. */
  target: string | null;
  /** Nanoseconds since 1970 of the last change, which nobody can set back. */
  changedNs: bigint;
}

/** Would a change from now on show in its stamp? What changes twice within a tick of the kernel's clock may bear one time. */
export const isSettled = ({ changedNs }: FileLook): boolean => changedNs + TICK_NS < BigInt(Date.now()) * 1_000_000n;

const TICK_NS = 100_000_000n;

/** null where nothing is, or where a folder above became something else. */
export function lookAt(file: string): FileLook | null {
  try {
    const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return null;
    const kind = found.isFile()
      ? 'file'
      : found.isSymbolicLink()
        ? 'link'
        : found.isDirectory()
          ? 'folder'
          : ('other' as const);
    return {
      stamp: [found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode].join(' '),
      kind,
      mode: Number(found.mode & 0o7777n),
      bytes: Number(found.size),
      target: kind === 'link' ? readlinkSync(file) : null,
      changedNs: found.ctimeNs,
    };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
