// Ends a guardian that lives but does not work, because it was stopped or is stuck, so that no process waits for ever.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import type { ProcessRow } from '../../wrappers/processes/rows.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import { hasOutput } from '../attempt/captured.ts';
import { GUARDIAN_TIMEOUTS, type GuardianTimeouts } from '../attempt/phases.ts';

/** The interval of checks; the guardian is not our child process. */
const LOOK_MS = 100;
const GONE_MS = 5000;
/** The same, for a guardian that is about to end. */
const GOING_MS = 20;

type LateEnd =
  /** There is nothing to wait for any more. */
  | 'over'
  | 'gone'
  /** It is one of our wrappers, but not known to belong to that call; or it could not be ended. */
  | 'stays'
  /** Not one of our wrappers. */
  | 'stranger';

interface LateCall {
  guardian: ProcessIdentity;
  tool: Tool;
  attempt: string;
  /** `child`: started by us. Otherwise the journal, which an agent may have written; so its command line counts. */
  known: 'child' | 'by_its_words';
  isOver(): boolean;
  /** Called right before it is killed. */
  killing?(): void;
}

/**
 * Wakes the guardian, because a guardian that was only stopped then ends its call properly. Kills a guardian that does not end,
 * or that has not started its CLI. Its call would cost money, and no process waits for it. Leaves a process alone that is not
 * identified as the guardian.
 */
export async function endLate(late: LateCall, { wokenMs }: GuardianTimeouts = GUARDIAN_TIMEOUTS): Promise<LateEnd> {
  const { guardian, attempt, known, isOver } = late;
  const row = await rowOf(guardian);
  if (row === null) return 'gone';
  const who = known === 'child' ? 'guardian' : await lookAtWords(row, late);
  if (who !== 'guardian') return (await rowOf(guardian)) === null ? 'gone' : who;
  if (hasOutput(attempt)) {
    await processTable.signal([row], 'SIGCONT');
    // Checks are counted instead of time, since time also passes while both processes are suspended.
    for (let looks = wokenMs / LOOK_MS; looks > 0; looks -= 1) {
      if (isOver()) return 'over';
      if ((await rowOf(guardian)) === null) return 'gone';
      await pause(LOOK_MS);
    }
  }
  if (isOver()) return 'over';
  late.killing?.();
  await processTable.signal([row], 'SIGKILL');
  return (await isGoneWithin(guardian, GONE_MS)) ? 'gone' : 'stays';
}

/** Waits until a process of this machine ends, or until `stop` is aborted. */
export async function isGoneWithin(who: ProcessIdentity, ms: number, stop?: AbortSignal): Promise<boolean> {
  for (let looks = ms / GOING_MS; looks > 0 && !stop?.aborted; looks -= 1) {
    if ((await rowOf(who)) === null) return true;
    await pause(GOING_MS);
  }
  return (await rowOf(who)) === null;
}

/** Only a wrapper that a dispatcher started has its record's path in the attempt. */
async function lookAtWords(row: ProcessRow, { tool, attempt }: LateCall): Promise<'guardian' | 'stays' | 'stranger'> {
  const words = await processTable.words(row);
  if (!words.includes(`${path.sep}${guardianOf(tool).join(' ')}`)) return 'stranger';
  return words.includes(`--result=${path.join(attempt, 'record.json')}`) ? 'guardian' : 'stays';
}

async function rowOf({ pid, start_time }: ProcessIdentity): Promise<ProcessRow | null> {
  const row = await processTable.row(pid);
  return row === null || row.zombie || row.startTime !== start_time ? null : row;
}
