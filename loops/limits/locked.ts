// Serializes changes of the limits' ledger: a process that reads it to write it holds its lock.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { LimitsFiles } from '../../state/limits/limits-folder.ts';
import { takeTurn } from './turns.ts';

/** The process that requests the lock. */
interface Locking {
  files: LimitsFiles;
  self: ProcessIdentity;
  clock: () => Date;
  stop: AbortSignal;
}

/** The lock is held for a moment only. After this time, a process that cannot be looked up from here counts as killed. */
const FOREIGN_MS = 60_000;

/**
 * The longest wait for the lock if only holds apply. They do not justify a longer wait for a stopped process that holds the lock.
 */
export const HOLDS_LOCK_MS = 5000;

/** @returns null if it was stopped before its turn. Throws the errors of the operating system, and those of `does`. */
export async function locked<T extends object>(
  { files: { folder }, self, clock, stop }: Locking,
  does: () => Promise<T> | T,
): Promise<T | null> {
  const turn = await takeTurn({ folder, name: 'ledger', self, foreignMs: FOREIGN_MS, clock, stop });
  if (turn.how === 'stopped') return null;
  try {
    return await does();
  } finally {
    turn.release();
  }
}
