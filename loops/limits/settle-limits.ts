// Settles a call with the limits over all tasks: its usage, its holds, and the warnings of limits that are nearly used up.

import path from 'node:path';
import { nearRows } from '../../policies/limits/admit.ts';
import { budgetsUsed, reached } from '../../policies/limits/budget-use.ts';
import { asOf, dueWarnings, noted, settled } from '../../policies/limits/ledger.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { priceOf } from '../../policies/report/spending.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { readLimitsLedger, writeLimitsLedger } from '../../state/limits/limits-files.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { forgetProbe, updateHolds } from './holds.ts';
import { limitsInForce } from './in-force.ts';
import { HOLDS_LOCK_MS, locked } from './ledger-lock.ts';
import { type LimitedCall, projectOf } from './limited-call.ts';

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
    if (isMade) updateHolds(call, record, now);
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

interface Taking {
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** The folder of the run. */
  root: string;
}

/** Takes the warnings that no run has reported. @returns sentences; what cannot be read or taken remains for later. */
export async function takeNearLimits({ environment, clock, root }: Taking): Promise<string[]> {
  const files = limitsFiles(environment);
  if (files === null) return [];
  const project = path.resolve(projectRoot(root));
  try {
    if (dueWarnings(readLimitsLedger(files), project).words.length === 0) return [];
    const self = (await identify(process.pid))!;
    const taken = await locked({ files, self, clock, stop: AbortSignal.timeout(HOLDS_LOCK_MS) }, () => {
      const { words, remaining } = dueWarnings(asOf(readLimitsLedger(files), clock().getTime()), project);
      if (words.length > 0) writeLimitsLedger(files, remaining);
      return words;
    });
    return taken ?? [];
  } catch (error) {
    if (error instanceof StrangeStateError || isSystemError(error)) return [];
    throw error;
  }
}
