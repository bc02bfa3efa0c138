// Finds the processes that hold a ticket: its requester, or a call that outlived its dispatcher and still writes.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { ledgerIfAny } from '../../state/journal/journal.ts';
import { type Call, openCalls } from '../../state/journal/ledger.ts';
import type { Ticket } from '../../state/queue/ticket-file.ts';
import { isAtWork } from '../../wrappers/adopt.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';
import { isOverdue } from '../attempt/deadline.ts';
import { treeOf } from '../attempt/restored-draft.ts';

/** Defines who requests, and how to treat an owner that cannot be looked up from here. */
export interface LookingAtHolders {
  self: ProcessIdentity;
  /** The requester's own task. A run has already settled the earlier calls of its task, so they do not block it. */
  taskFolder?: string;
  foreign?: 'wait' | 'pass';
  clock: () => Date;
}

/** Returns an empty list when the turn is over. */
export async function ticketHolders(ticket: Ticket, { self, taskFolder, foreign, clock }: LookingAtHolders) {
  const { owner, until, task_folder: folder, stage } = ticket;
  const life = await isAlive(owner, self);
  if (life === 'alive') return [owner];
  if (life === 'unknown') return foreign !== 'pass' && Date.parse(until) > clock().getTime() ? [owner] : [];
  if (folder === undefined || folder === taskFolder) return [];
  const living: ProcessIdentity[] = [];
  // A journal that cannot be read does not block the tree.
  const ledger = ledgerIfAny(folder);
  for (const call of ledger === null ? [] : openCalls(ledger))
    if (call.reserved.stage === stage && (await works(call, folder, self, clock)))
      living.push(call.reserved.guardian, ...(call.started?.cli ? [call.started.cli] : []));
  return living;
}

/** A guardian ends its call in time. Without a guardian, its CLI has until its deadline; other processes of the call do not count. */
async function works(call: Call, taskFolder: string, self: ProcessIdentity, clock: () => Date): Promise<boolean> {
  const { guardian, call_id } = call.reserved;
  const life = await isAlive(guardian, self);
  if (life === 'alive') return true;
  const folder = attemptIn(taskFolder, call_id);
  if (isOverdue(call, folder, self, clock)) return false;
  return life === 'unknown' || isAtWork(await treeOf(call, folder), path.join(folder, 'stdout'));
}

const attemptIn = (taskFolder: string, callId: string) => path.join(taskFolder, 'state', 'attempts', callId);
