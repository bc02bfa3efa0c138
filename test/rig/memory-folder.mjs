// Finds a folder in memory for the files of the fast suite, since a disk takes time and a tenth more CPU.

// The folder is used if the machine has enough memory. A sync costs nothing there. What is synced, and in which order,
// is counted at the system calls; torture and the real suite use the disk.

import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
const ROOM = 2 * 1024 ** 3;

/** @returns the folder; null if there is none that can hold programs and devices as a disk does. */
export function memoryFolder() {
  try {
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '));
    const [, , kind, options = ''] = mounted.findLast(([, place]) => place === FOLDER) ?? [];
    if (kind !== 'tmpfs' || /\bro\b|\bno(?:exec|dev)\b/.test(options)) return null;
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize < ROOM ? null : FOLDER;
  } catch {
    // The system is not Linux.
    return null;
  }
}
