// Applies the holds: known limits of a service, which delay or refuse a call. Calls set, probe and end them.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { accountOf } from '../../policies/limits/account.ts';
import { type HeldCall, type Hold, holdAfter, holdsUp, holdWords, isOfSame } from '../../policies/limits/holds.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { readHolds, writeHolds } from '../../state/limits/limits-files.ts';
import { type LimitsFiles, limitsFiles } from '../../state/limits/limits-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { HOLDS_LOCK_MS, locked } from './ledger-lock.ts';
import { type LimitedCall, SHORT_WAIT_MS } from './limited-call.ts';

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

/** A success ends a hold, whichever call set it. A success of a call that began before the hold proves nothing. */
export function updateHolds(
  call: LimitedCall,
  { verdict, started_at }: { verdict: Verdict; started_at: string },
  now: Date,
): void {
  const files = limitsFiles(call.environment)!;
  const heldCall = heldCallOf(call);
  const holds = readHolds(files, now.getTime());
  const hold = holdAfter(heldCall, verdict, now);
  if (hold !== null) writeHolds(files, [...holds.filter((one) => !isOfSame(one, hold)), hold]);
  else if (verdict.class !== null) forgetProbe(call, now);
  else {
    const others = holds.filter((one) => !holdsUp(one, heldCall) || one.seen_at > Date.parse(started_at));
    // Each call would read a file that has no more holds.
    if (others.length === 0 || others.length < holds.length) writeHolds(files, others);
  }
}

/** The probe has learnt nothing, so the next call may try. */
export function forgetProbe(call: LimitedCall, now: Date): void {
  const files = limitsFiles(call.environment)!;
  const holds = readHolds(files, now.getTime());
  if (holds.some(({ probe }) => probe?.call_id === call.callId))
    writeHolds(
      files,
      holds.map((one) => (one.probe?.call_id === call.callId ? { ...one, probe: null } : one)),
    );
}

/**
 * For a user who knows that the limit is gone; if it is not, the next call sets the hold again. `none`: the hold does not exist
 * any more. `busy`: another process has held the lock all the time.
 */
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

const heldCallOf = ({ tool, model, environment }: LimitedCall): HeldCall => ({
  tool,
  model,
  account: accountOf(tool, environment),
});
