// By which processes a turn still stands: whoever asked for it, or a call that outlived its dispatcher and writes on.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/process-identity.ts';
import { openJournal } from '../../state/journal.ts';
import { type Call, openCalls } from '../../state/ledger.ts';
import type { Ticket } from '../../state/tickets.ts';
import { endTree, membersOf } from '../../wrappers/processes/end-tree.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';
import { treeOf } from '../call/close-dead.ts';
import { isLate, isOverdue } from '../call/deadline.ts';
import { endLate, isGoneWithin } from '../call/late-guardian.ts';
import { PATIENCE } from '../call/patience.ts';
import { isWithin } from '../call/within.ts';

export interface Looking {
  self: ProcessIdentity;
  /** The asker's own task: a run of it has settled what an earlier one left, so that this keeps it from nothing. */
  taskFolder?: string;
  foreign?: 'wait' | 'pass';
  clock: () => Date;
  /** Ends the waiting for one that was woken. */
  stop?: AbortSignal;
}

/** Empty when the turn is over. */
export async function livingOf(ticket: Ticket, looking: Looking) {
  const { self, taskFolder, foreign, clock } = looking;
  const { owner, until, task_folder: folder, stage } = ticket;
  const life = await isAlive(owner, self);
  if (life === 'alive') return [owner];
  if (life === 'unknown') return foreign !== 'pass' && Date.parse(until) > clock().getTime() ? [owner] : [];
  if (folder === undefined || folder === taskFolder) return [];
  const living: ProcessIdentity[] = [];
  for (const call of openCallsIn(folder, clock))
    if (call.reserved.stage === stage && (await works(call, folder, looking)))
      living.push(call.reserved.guardian, ...(call.started?.cli ? [call.started.cli] : []));
  return living;
}

/** A journal that cannot be read keeps nobody from the tree. */
function openCallsIn(taskFolder: string, clock: () => Date): Call[] {
  try {
    return openCalls(openJournal(taskFolder, clock).read().ledger);
  } catch {
    return [];
  }
}

/** A guardian ends its call in time; without one, what is left of the call has until its deadline. */
async function works(call: Call, taskFolder: string, looking: Looking): Promise<boolean> {
  const { self, clock } = looking;
  const { guardian, call_id } = call.reserved;
  const life = await isAlive(guardian, self);
  const folder = attemptIn(taskFolder, call_id);
  if (life === 'alive') {
    if (!isLate(call, folder, self, clock, PATIENCE.lateMs)) return true;
    return !(await endWithTree(call, taskFolder, folder, looking));
  }
  if (isOverdue(call, folder, self, clock)) return false;
  return life === 'unknown' || (await membersOf(await treeOf(call, folder))).length > 0;
}

/** As a run of that task would, which may never come; it settles what is left here. @returns whether nobody writes there any more. */
async function endWithTree(
  call: Call,
  taskFolder: string,
  attempt: string,
  { clock, stop }: Looking,
): Promise<boolean> {
  const { call_id, guardian, tool } = call.reserved;
  if (await isWithin(call, process.env)) return false;
  const isOver = () =>
    stop?.aborted || openCallsIn(taskFolder, clock).every(({ reserved }) => reserved.call_id !== call_id);
  const end = await endLate({ guardian, tool, attempt, known: 'by_its_words', isOver });
  if (end === 'over') return isGoneWithin(guardian, PATIENCE.leavingMs, stop);
  if (end !== 'gone') return false;
  const tree = await treeOf(call, attempt);
  await endTree(tree);
  return (await membersOf(tree)).length === 0;
}

const attemptIn = (taskFolder: string, callId: string) => path.join(taskFolder, 'state', 'attempts', callId);
