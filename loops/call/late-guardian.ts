// A guardian that lives and does not work, since it was stopped or is stuck: nobody waits for it for ever.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessIdentity } from '../../policies/process-identity.ts';
import type { Call } from '../../state/ledger.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type ProcessRow, processTable } from '../../wrappers/processes/table.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';

export interface Patience {
  /** How long after its deadline a call may still be without a verdict: its tree is ended and its result published by then. */
  lateMs: number;
  /** How long a guardian that was woken has for the same. */
  wokenMs: number;
}

export const PATIENCE: Patience = { lateMs: 60_000, wokenMs: 30_000 };

/** How often it is looked at; it is no child of ours. */
const LOOK_MS = 100;
const GONE_MS = 5000;

/**
 * Wakes it, since one that was only stopped then ends its call by itself, as well as it can be ended; kills one that does not.
 * @param recordFile where that call's guardian was told to put the record: by this on its command line it is known, since
 * the journal, which an agent may have written in, could name anybody.
 * @param isOver whether there is nothing to wait for any more.
 * @returns `stranger` for a process that is not known to be the guardian: nothing is done to it.
 */
export async function endLate(
  { guardian, tool }: Pick<Call['reserved'], 'guardian' | 'tool'>,
  recordFile: string,
  isOver: () => boolean,
  { wokenMs }: Patience = PATIENCE,
): Promise<'over' | 'gone' | 'stranger' | 'stays'> {
  const row = await rowOf(guardian);
  if (row === null) return 'gone';
  const words = await processTable.words(row);
  if (!words.includes(`--result=${recordFile}`) || !words.includes(`${path.sep}${ADAPTERS[tool].command}.cjs`))
    return 'stranger';
  await processTable.signal([row], 'SIGCONT');
  for (const until = nowMs() + wokenMs; nowMs() < until; await pause(LOOK_MS)) {
    if (isOver()) return 'over';
    if ((await rowOf(guardian)) === null) return 'gone';
  }
  await processTable.signal([row], 'SIGKILL');
  for (const until = nowMs() + GONE_MS; nowMs() < until; await pause(LOOK_MS))
    if ((await rowOf(guardian)) === null) return 'gone';
  return 'stays';
}

async function rowOf({ pid, start_time }: ProcessIdentity): Promise<ProcessRow | null> {
  const row = await processTable.row(pid);
  return row === null || row.zombie || row.startTime !== start_time ? null : row;
}
