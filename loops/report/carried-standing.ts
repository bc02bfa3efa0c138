// Determines the state of a carried run from its files and its process.

import path from 'node:path';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { readIfFit, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { type CarriedEnd, type CarriedStart, claim, claimOf, end, endOfRun, startOf } from './carried-run.ts';

export type CarriedStanding =
  | { how: 'unknown' }
  | { how: 'running'; start: CarriedStart; pid: number | null }
  | { how: 'ended'; start: CarriedStart; end: CarriedEnd }
  /** Its process was killed, and its files do not show how it ended. */
  | { how: 'lost'; start: CarriedStart };

/** The time after which no process will take up a run, if the server that began it is gone. */
const TAKEN_UP_MS = 20_000;

/** A lost call counts as ended if a sweep has settled it meanwhile. */
export async function standingOf(folder: string, run: string, now: Date): Promise<CarriedStanding> {
  const start = startOf(folder, run);
  if (start === null) return { how: 'unknown' };
  const ended = endOfRun(folder, run);
  if (ended !== null) return { how: 'ended', start, end: ended };
  const self = (await identify(process.pid))!;
  const carrier = claimOf(folder, run);
  if (carrier === null) {
    const isDue = now.getTime() - Date.parse(start.at) > TAKEN_UP_MS && (await isAlive(start.by, self)) === 'dead';
    if (!isDue || !claim(folder, run, self)) return { how: 'running', start, pid: null };
    end(folder, run, notBegun(now, 'the server that began it has gone'));
    return standingOf(folder, run, now);
  }
  if ((await isAlive(carrier, self)) !== 'dead') return { how: 'running', start, pid: carrier.pid };
  // It may have ended between the two checks.
  const late = endOfRun(folder, run) ?? settledEnd(start);
  return late === null ? { how: 'lost', start } : { how: 'ended', start, end: late };
}

/** The end of a run that no process carried out. */
export const notBegun = (now: Date, why: string): CarriedEnd => ({
  ...{ schema: 1, at: now.toISOString(), exit_code: 1 },
  object: {
    state: 'refused',
    message: `it was not begun, and nothing was paid: ${why}`,
    class: 'transient',
    reason: null,
  },
});

/** Uses the record that a sweep published instead of the wrapper. */
function settledEnd({ what, files, at }: CarriedStart): CarriedEnd | null {
  if (what !== 'ask' || files === null) return null;
  const record = readJsonIfFit<CallRecord>(path.join(files, 'record.json'));
  if (record === null) return null;
  const answer = record.verdict.class === null ? (readIfFit(path.join(files, 'answer.md')) ?? '') : '';
  return { schema: 1, at, exit_code: record.wrapper_exit_code, object: { ...record, answer } };
}
