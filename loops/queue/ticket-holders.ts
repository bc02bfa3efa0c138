// Which processes hold a ticket: whoever asked for it, or a call that outlived its dispatcher and goes on writing.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { type Call, openCalls } from '../../state/journal/ledger.ts';
import type { Ticket } from '../../state/queue/ticket.ts';
import { membersOf } from '../../wrappers/processes/end-tree.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';
import { treeOf } from '../attempt/call-tree.ts';
import { isOverdue } from '../attempt/deadline.ts';

/** Who asks, and what to do about an owner who cannot be looked up from here. */
export interface LookingAtHolders {
  self: ProcessIdentity;
  /** The asker's own task: a run of it has settled what an earlier one left, so that this keeps it from nothing. */
  taskFolder?: string;
  foreign?: 'wait' | 'pass';
  clock: () => Date;
}

/** Empty when the turn is over. */
export async function ticketHolders(ticket: Ticket, { self, taskFolder, foreign, clock }: LookingAtHolders) {
  const { owner, until, task_folder: folder, stage } = ticket;
  const life = await isAlive(owner, self);
  if (life === 'alive') return [owner];
  if (life === 'unknown') return foreign !== 'pass' && Date.parse(until) > clock().getTime() ? [owner] : [];
  if (folder === undefined || folder === taskFolder) return [];
  const living: ProcessIdentity[] = [];
  for (const call of openCallsIn(folder, clock))
    if (call.reserved.stage === stage && (await works(call, folder, self, clock)))
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
async function works(call: Call, taskFolder: string, self: ProcessIdentity, clock: () => Date): Promise<boolean> {
  const { guardian, call_id } = call.reserved;
  const life = await isAlive(guardian, self);
  if (life === 'alive') return true;
  const folder = attemptIn(taskFolder, call_id);
  if (isOverdue(call, folder, self, clock)) return false;
  return life === 'unknown' || (await membersOf(await treeOf(call, folder))).length > 0;
}

const attemptIn = (taskFolder: string, callId: string) => path.join(taskFolder, 'state', 'attempts', callId);
