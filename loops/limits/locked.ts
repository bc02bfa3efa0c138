// One at a time with what was used of the limits: whoever reads it to write it again has the lock of it.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { LimitsFiles } from '../../state/limits/limits-folder.ts';
import { takeTurn } from './turns.ts';

/** Who asks, as what. */
interface Locking {
  files: LimitsFiles;
  self: ProcessIdentity;
  clock: () => Date;
  stop: AbortSignal;
}

/** It is over in a moment: who cannot be looked up from here has been killed by then. */
const FOREIGN_MS = 60_000;

/** Where there are holds alone, which are worth no longer a wait for whoever has the lock and was stopped. */
export const HOLDS_LOCK_MS = 5000;

/** Null where it was told to stop before its turn. Throws what the operating system throws, and what `does` throws. */
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
