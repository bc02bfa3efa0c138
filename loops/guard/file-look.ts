// Reads values of the kernel for a path that change with every write, so that a change of the file is detected.

import { lstatSync, readlinkSync } from 'node:fs';

export interface FileLook {
  /** Changes when a process writes to the file, replaces it, or sets its permissions or times. */
  stamp: string;
  kind: 'file' | 'link' | 'folder' | 'other';
  mode: number;
  bytes: number;
  target: string | null;
  /** Nanoseconds since 1970 of the last change. No process can set this time back. */
  changedNs: bigint;
}

/** Returns null if nothing is there, or if a folder above is no longer a folder. */
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
