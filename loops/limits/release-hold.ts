// Releases a hold early, when the user knows that the limit is gone; if it is not, the next call sets the hold again.

import type { HeldCall } from '../../policies/limits/holds.ts';
import { readHolds, writeHolds } from '../../state/limits/holds-file.ts';
import type { LimitsFiles } from '../../state/limits/limits-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { HOLDS_LOCK_MS, locked } from './locked.ts';

/** `none`: the hold does not exist any more. `busy`: another process has held the lock all the time. */
export async function releaseHold(
  files: LimitsFiles,
  { tool, account, model }: HeldCall,
  clock: () => Date,
): Promise<'released' | 'none' | 'busy'> {
  const self = (await identify(process.pid))!;
  const stop = AbortSignal.timeout(HOLDS_LOCK_MS);
  const done = await locked({ files, self, clock, stop }, () => {
    const holds = readHolds(files, clock().getTime());
    const others = holds.filter((hold) => hold.tool !== tool || hold.account !== account || hold.model !== model);
    if (others.length < holds.length) writeHolds(files, others);
    return { released: others.length < holds.length };
  });
  if (done === null) return 'busy';
  return done.released ? 'released' : 'none';
}
