// Who holds a lock on a file, as Linux tells it: such a lock goes with its process, however that ends.

import { readFileSync, statSync } from 'node:fs';

type HeldLock = 'free' | 'unknown' | { pid: number };

/** 'unknown' where the system does not tell. Looks only: a try to take the lock could come in its owner's way. */
export function holderOf(file: string): HeldLock {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    const place = `${hex(majorOf(dev))}:${hex(minorOf(dev))}:${ino}`;
    const row = readFileSync('/proc/locks', 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .find((words) => words[5] === place && words[1] !== '->');
    return row === undefined ? 'free' : { pid: Number(row[4]) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).path === file ? 'free' : 'unknown';
  }
}

/** As the kernel packs them into one number. */
const majorOf = (dev: bigint): bigint => ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
const minorOf = (dev: bigint): bigint => (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
const hex = (number: bigint): string => number.toString(16).padStart(2, '0');
