// A guardian that lives and does not work, since it was stopped or is stuck: nobody waits for it for ever.

import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { guardianOf } from '../../wrappers/adapters.ts';
import type { ProcessRow } from '../../wrappers/processes/rows.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import { hasOutput } from '../attempt/captured.ts';
import { GUARDIAN_TIMEOUTS, type GuardianTimeouts } from '../call/guardian-timeouts.ts';

/** How often it is looked at; it is no child of ours. */
const LOOK_MS = 100;
const GONE_MS = 5000;
/** The same, of one that is about to go. */
const GOING_MS = 20;

type LateEnd =
  /** There is nothing to wait for any more. */
  | 'over'
  | 'gone'
  /** It is one of our wrappers, but not known to be that call's; or it could not be ended. */
  | 'stays'
  /** No wrapper of ours. */
  | 'stranger';

interface LateCall {
  guardian: ProcessIdentity;
  tool: Tool;
  attempt: string;
  /** `child`: we started it ourselves. What the journal names is known by its command line, since an agent may have written there. */
  known: 'child' | 'by_its_words';
  isOver(): boolean;
  /** It is about to be killed. */
  killing?(): void;
}

/**
 * Wakes it, since one that was only stopped then ends its call by itself, as well as it can be ended; kills one that does not, or
 * has not started its CLI: that would be paid for, and nobody waits for it. Who is not known for the guardian is left alone.
 */
export async function endLate(late: LateCall, { wokenMs }: GuardianTimeouts = GUARDIAN_TIMEOUTS): Promise<LateEnd> {
  const { guardian, attempt, known, isOver } = late;
  const row = await rowOf(guardian);
  if (row === null) return 'gone';
  const who = known === 'child' ? 'guardian' : await lookAtWords(row, late);
  if (who !== 'guardian') return (await rowOf(guardian)) === null ? 'gone' : who;
  if (hasOutput(attempt)) {
    await processTable.signal([row], 'SIGCONT');
    // Looks are counted, since a clock goes on while it and we are both kept from working.
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

/** Waits for a process of this machine to end; an abort of `stop` ends the waiting. */
export async function isGoneWithin(who: ProcessIdentity, ms: number, stop?: AbortSignal): Promise<boolean> {
  for (let looks = ms / GOING_MS; looks > 0 && !stop?.aborted; looks -= 1) {
    if ((await rowOf(who)) === null) return true;
    await pause(GOING_MS);
  }
  return (await rowOf(who)) === null;
}

/** Only a dispatcher's wrapper is told to put its record into its attempt. */
async function lookAtWords(row: ProcessRow, { tool, attempt }: LateCall): Promise<'guardian' | 'stays' | 'stranger'> {
  const words = await processTable.words(row);
  if (!words.includes(`${path.sep}${guardianOf(tool).join(' ')}`)) return 'stranger';
  return words.includes(`--result=${path.join(attempt, 'record.json')}`) ? 'guardian' : 'stays';
}

async function rowOf({ pid, start_time }: ProcessIdentity): Promise<ProcessRow | null> {
  const row = await processTable.row(pid);
  return row === null || row.zombie || row.startTime !== start_time ? null : row;
}
