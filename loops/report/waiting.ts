// Lists the processes that wait for a working tree, a tag or the list of sessions, and those that each waits for.

import path from 'node:path';
import { standingTickets, type Ticket } from '../../state/queue/ticket-file.ts';
import { queueFolder } from '../../state/queue/tickets.ts';
import { userState } from '../../state/task-folder.ts';
import { type LookingAtHolders, ticketHolders } from '../limits/ticket-holders.ts';
import { sessionLines } from '../session/change-sessions.ts';

export interface WaitingTicket {
  task_id: string;
  stage: string;
  pid: number;
  host: string;
  /** What it waits for: its turn on a working tree, or on a tag's session. */
  what: 'tree' | 'session';
  /** The tasks that have the turn, or are before it in the queue, oldest first. */
  behind: string[];
}

/** @param stateFolder the project's `.tmp`. */
export async function waitingIn(
  stateFolder: string,
  environment: NodeJS.ProcessEnv,
  looking: LookingAtHolders,
): Promise<WaitingTicket[]> {
  const own = userState(environment);
  const lines = [
    { what: 'tree', folder: queueFolder(stateFolder) },
    { what: 'session', folder: sessionLines(stateFolder) },
    // The queue for a session belongs to the user, so it also has tasks of other projects.
    ...(own === null ? [] : [{ what: 'session', folder: path.join(own, 'sessions') } as const]),
  ] as const;
  const isOurs = ({ task_folder: task }: Ticket) => task === undefined || task.startsWith(`${stateFolder}${path.sep}`);
  const waiting: WaitingTicket[] = [];
  for (const { what, folder } of lines)
    for (const tickets of standingTickets(folder).values())
      for (const { ticket, behind } of await behindOthers(tickets, looking)) {
        if (!isOurs(ticket)) continue;
        waiting.push({
          task_id: ticket.task_id,
          stage: ticket.stage,
          pid: ticket.owner.pid,
          host: ticket.owner.host,
          what,
          behind: behind.map(({ task_id }) => task_id),
        });
      }
  return waiting;
}

async function behindOthers(
  tickets: readonly Ticket[],
  looking: LookingAtHolders,
): Promise<{ ticket: Ticket; behind: Ticket[] }[]> {
  const living: Ticket[] = [];
  for (const ticket of tickets) if ((await ticketHolders(ticket, looking)).length > 0) living.push(ticket);
  return living.flatMap((ticket, i) => {
    const behind = living.slice(0, i).filter((other) => other.mode === 'write' || ticket.mode === 'write');
    return behind.length === 0 ? [] : [{ ticket, behind }];
  });
}
