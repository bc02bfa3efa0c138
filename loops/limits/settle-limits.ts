// Settles a call with the limits over all tasks: its usage, and what it learnt of a limit of the service.

import { nearRows } from '../../policies/limits/admit.ts';
import { holdAfter, holdsUp, isOfSame } from '../../policies/limits/holds.ts';
import { asOf, noted, settled } from '../../policies/limits/ledger.ts';
import { budgetsUsed, reached } from '../../policies/limits/used.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { priceOf } from '../../policies/report/price.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { readHolds, writeHolds } from '../../state/limits/holds-file.ts';
import { readLimitsLedger, writeLimitsLedger } from '../../state/limits/ledger-file.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { heldCallOf, type LimitedCall, projectOf } from './asking.ts';
import { limitsInForce } from './in-force.ts';
import { HOLDS_LOCK_MS, locked } from './locked.ts';

type EndedCallRecord = Pick<CallRecord, 'ending' | 'verdict' | 'usage' | 'model' | 'started_at'>;

const NEVER = new AbortController().signal;

/**
 * If the result cannot be written, it is found later: the call counts as spent already, and the next check finds its owner gone.
 * @param record null for a call that was not made.
 * @returns the warnings: budgets that it brought past four fifths, and what could not be written.
 */
export async function settleLimits(
  call: LimitedCall,
  record: EndedCallRecord | null,
  clock: () => Date,
): Promise<string[]> {
  try {
    return await settle(call, record, clock);
  } catch (error) {
    if (!(error instanceof StrangeStateError || isSystemError(error))) throw error;
    return record === null ? [] : [untold(call, error)];
  }
}

/** The full message of a StrangeStateError describes a call that was not started, so only `what` is used. */
const untold = ({ environment }: LimitedCall, error: Error): string =>
  `${limitsFiles(environment)?.folder} could not record how this call ended, so other calls may pay to learn the same: ${
    error instanceof StrangeStateError ? error.what : error.message
  }`;

async function settle(call: LimitedCall, record: EndedCallRecord | null, clock: () => Date): Promise<string[]> {
  const files = limitsFiles(call.environment);
  if (files === null) return [];
  const isMade = record !== null && record.ending !== 'not_started';
  const inForce = await limitsInForce(files, projectOf(call));
  const usd = isMade && inForce.some(hasDollars) ? await usdOf(call, record) : (record?.usage.usd ?? null);
  const used = isMade ? { tokens: record.usage.total_tokens, usd } : 'not_made';
  const self = (await identify(process.pid))!;
  const stop = inForce.length === 0 ? AbortSignal.timeout(HOLDS_LOCK_MS) : NEVER;
  const near = await locked({ files, self, clock, stop }, () => {
    const now = clock();
    if (isMade) keepWhatWasLearnt(call, record, now);
    else forgetProbe(call, now);
    if (inForce.length === 0) return [];
    const before = asOf(readLimitsLedger(files), now.getTime());
    if (before.open.every(({ call_id }) => call_id !== call.callId)) return [];
    const after = settled(before, call.callId, used);
    const crossed = reached(budgetsUsed(inForce, before, now, call.tool), budgetsUsed(inForce, after, now, call.tool));
    const rows = nearRows(crossed, call.callId, now);
    writeLimitsLedger(files, noted(after, rows));
    return rows.map(({ words }) => words);
  });
  return near ?? [];
}

const hasDollars = ({ limits }: { limits: { budgets: readonly { usd?: number }[] } }): boolean =>
  limits.budgets.some(({ usd }) => usd !== undefined);

/** Uses the project's own prices if the CLI reports none. */
async function usdOf(call: LimitedCall, record: EndedCallRecord): Promise<number | null> {
  const project = await readProject(projectOf(call));
  return priceOf(record, project.how === 'read' ? project.value.prices : {});
}

/** A success ends a hold, whichever call set it. A success of a call that began before the hold proves nothing. */
function keepWhatWasLearnt(call: LimitedCall, { verdict, started_at }: EndedCallRecord, now: Date): void {
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
function forgetProbe(call: LimitedCall, now: Date): void {
  const files = limitsFiles(call.environment)!;
  const holds = readHolds(files, now.getTime());
  if (holds.some(({ probe }) => probe?.call_id === call.callId))
    writeHolds(
      files,
      holds.map((one) => (one.probe?.call_id === call.callId ? { ...one, probe: null } : one)),
    );
}
