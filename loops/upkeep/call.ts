// Sweeps one call of the register: its processes, its folders, and the answer of a killed standalone call.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RegisterEntry } from '../../state/calls/call-register.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { signallingUnread } from '../../wrappers/following/cut.ts';
import { endTree, membersOf } from '../../wrappers/processes/end-tree.ts';
import { foundTree } from '../../wrappers/processes/found-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { lookAtFolder, removePrivateFolder } from '../attempt/attempt.ts';
import { type CallStart, pastMs } from '../attempt/deadline.ts';
import { GUARDIAN_TIMEOUTS } from '../attempt/phases.ts';
import type { Saved } from '../attempt/saved-draft.ts';
import { type Closed, closeAlone } from './close-alone.ts';
import { lateGuardian, type Sweeping, type Swept } from './swept.ts';

/** `left_to_its_task`: the sweep of that task has reported it. */
type SweptCall = Swept | 'alive' | 'left_to_its_task' | 'nothing_left';

export async function sweepCall(entry: RegisterEntry, sweeping: Sweeping): Promise<SweptCall> {
  const { guardian, cli, marker, attempt, temporary, call_id, deadline_at, task } = entry;
  const self = (await identify(process.pid))!;
  const life = await isAlive(guardian, self);
  const past = pastMs(deadline_at, { guardian, ...startIn(entry) }, self, sweeping.clock);
  if (life === 'alive') {
    const { lateMs } = sweeping.patience ?? GUARDIAN_TIMEOUTS;
    // The sweep of its task reports an open call.
    if (past <= lateMs || (task !== null && (await isOpen(task, call_id, sweeping)))) return 'alive';
    return of(entry, 'failed', ...lateGuardian(`the call ${call_id}`, guardian.pid));
  }
  if (task !== null && (life === 'unknown' || (await isOpen(task, call_id, sweeping)))) return 'left_to_its_task';
  const what = `the call ${call_id}`;
  if (life === 'unknown')
    return of(
      entry,
      'elsewhere',
      `${what} may be at work on ${guardian.host} (or in another container), and was not touched`,
    );
  const tree = await foundTree({ marker, root: cli, guardian, folders: [attempt, temporary] });
  const count = (await membersOf(tree)).length;
  const isDue = past >= 0;
  if (count > 0 && !isDue && sweeping.working === 'wait')
    return of(
      entry,
      'working',
      `${what} lost its guardian and still works, until ${deadline_at}`,
      'leave it to its deadline, or end it with preflight --sweep --now',
    );
  if (count > 0) await endTree(tree, undefined, () => signallingIn(attempt));
  if (count > 0 && (await membersOf(tree)).length > 0)
    return of(entry, 'failed', `${what} has processes that could not be ended`, 'end them, and sweep again');
  const closed =
    task === null
      ? await closeAlone(entry, { how: isDue ? 'timed_out' : 'cancelled', processes: count }, sweeping)
      : null;
  const wasThere = [
    removePrivateFolder('temporary', entry.temporary),
    ...entry.overlay_folders.map((folder) => removePrivateFolder('overlay', folder)),
  ].includes(true);
  const gone = count === 0 ? '' : `, after ${count} ${count === 1 ? 'process was' : 'processes were'} ended`;
  if (closed !== null && closed.how !== 'nothing')
    return of(entry, closed.how, tell(what, closed, gone), fixOf(closed));
  if (closed === null && !wasThere && count === 0) return 'nothing_left';
  return of(entry, 'removed', `${what} has no results to classify, and its folders were removed${gone}`);
}

/** The attempt of a task's call is in the task's folder, and its run has settled it. */
function signallingIn(attempt: string): void {
  if (lookAtFolder('attempt', attempt) === 'ours') signallingUnread({ stdout: path.join(attempt, 'stdout') });
}

/** An invalid draft gives no start time. */
function startIn({ draft }: RegisterEntry): Pick<CallStart, 'clocks' | 'startedAt'> {
  const { started_at, clocks } = (draft ?? {}) as Partial<Saved>;
  return { startedAt: new Date(String(started_at)), clocks: clocks ?? null };
}

const tell = (what: string, closed: Exclude<Closed, { how: 'nothing' }>, gone: string): string =>
  ({
    settled: `${what} was judged and published beside ${closed.place}: ${closed.why}${gone}`,
    kept: `${what} was killed, and ${closed.why}; what it had said is kept in ${closed.place}${gone}`,
    failed: `${what} could not be settled: ${closed.why}${gone}`,
  })[closed.how];

const fixOf = ({ how, place }: Exclude<Closed, { how: 'nothing' }>): string | null =>
  ({
    settled: null,
    kept: `take what you need from ${place}, and remove it`,
    failed: `fix it, and sweep again; or look at ${place}, and remove it`,
  })[how];

/** Returns whether its task has not settled the call (yet), or cannot be read. Then this sweep must not remove its files. */
async function isOpen(task: string, callId: string, { clock }: Sweeping): Promise<boolean> {
  if (!existsSync(task)) return false;
  try {
    const { ledger } = openJournal(task, clock).read();
    const call = ledger.calls.get(callId);
    return call?.granted === true && call.verdict === null;
  } catch (error) {
    if (error instanceof JournalError) return true;
    throw error;
  }
}

const of = (
  { call_id, task, attempt }: RegisterEntry,
  how: Swept['how'],
  told: string,
  fix: string | null = null,
): Swept => ({
  what: 'call',
  how,
  call_id,
  task,
  place: attempt,
  told,
  fix,
});
