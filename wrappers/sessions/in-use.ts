// Tells whether a program still uses a session file: by the kernel's lock on it, or by the time of its last change.

import { readFileSync, statSync } from 'node:fs';
import type { SessionFile } from './store.ts';
import { measure } from './store-folder.ts';

type HeldLock = 'free' | 'unknown' | { pid: number };

/** Who holds a lock on it: such a lock ends with its process. 'unknown' where the system does not tell. Looks only: a try to take the lock could come in its owner's way. */
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

/** A session file that changed a moment ago may have a writer still, where nothing better tells. */
const LATELY_MS = 30_000;

/** Returns half a sentence, or null. Looks at the file again. A time in the future means that the clock was set back. */
export function changedLately({ file }: SessionFile, now: Date): string | null {
  const size = measure(file);
  if (size === null) return null;
  const agoMs = now.getTime() - size.changedAtMs;
  return Math.abs(agoMs) < LATELY_MS ? `its file changed ${Math.max(0, Math.round(agoMs / 1000))} s ago` : null;
}
