// Decides by the holds whether a call proceeds, waits for a moment, proceeds as a probe, or is refused.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type Hold, holdsUp, holdWords } from '../../policies/limits/holds.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { readHolds, writeHolds } from '../../state/limits/holds-file.ts';
import type { LimitsFiles } from '../../state/limits/limits-folder.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';
import { heldCallOf, type LimitedCall, SHORT_WAIT_MS } from './asking.ts';

type Held =
  | { how: 'free' }
  | { how: 'wait'; why: string; untilMs: number }
  | { how: 'refused'; why: string; retryAt: Date | null };

/** Checks without the lock. */
export const isHeld = (call: LimitedCall, files: LimitsFiles, nowMs: number): boolean =>
  call.holds !== 'ignored' && readHolds(files, nowMs).some((one) => holdsUp(one, heldCallOf(call)));

/** Runs under the lock. Records the call that proceeds as a probe, so that no other call does. */
export async function heldUp(
  call: LimitedCall,
  files: LimitsFiles,
  self: ProcessIdentity,
  clock: () => Date,
): Promise<Held> {
  if (call.holds === 'ignored') return { how: 'free' };
  const heldCall = heldCallOf(call);
  const now = clock().getTime();
  const holds = readHolds(files, now);
  const hold = holds.find((one) => holdsUp(one, heldCall));
  if (hold === undefined) return { how: 'free' };
  // The task's own refusal has a clearer message.
  if (isSpent(call, clock)) return { how: 'free' };
  const why = holdWords(hold);
  if (hold.until !== null)
    return hold.until - now <= (hold.reason === 'rate_limit' ? call.rateWaitMs : SHORT_WAIT_MS)
      ? { how: 'wait', why: `until ${new Date(hold.until).toISOString()}: ${why}`, untilMs: hold.until }
      : { how: 'refused', why, retryAt: new Date(hold.until) };
  if (hold.probe !== null && hold.probe.call_id !== call.callId && (await isAlive(hold.probe.owner, self)) !== 'dead')
    return {
      how: 'refused',
      why: `${why}, which is ${hold.probe.call_id} (pid ${hold.probe.owner.pid})`,
      retryAt: null,
    };
  const probe = { call_id: call.callId, owner: self };
  writeHolds(
    files,
    holds.map((one): Hold => (one === hold ? { ...hold, probe } : one)),
  );
  return { how: 'free' };
}

function isSpent({ task }: LimitedCall, clock: () => Date): boolean {
  if (task === null) return false;
  const { ledger } = openJournal(task.root, clock).read();
  return ledger.used >= budgetOf(ledger);
}
