// Decides which turn must end before another begins: an earlier one, but never one that waits for us.

import { isDeepStrictEqual } from 'node:util';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import type { Ticket } from '../../state/queue/ticket.ts';
import type { Queue } from '../../state/queue/tickets.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { type LookingAtHolders, ticketHolders } from './ticket-holders.ts';

export interface QueueStanding {
  ticket: Ticket;
  /** The file that contains the ticket. */
  file: string;
  /** The processes that hold the ticket, at least one. */
  living: ProcessIdentity[];
}

/**
 * Returns the oldest blocking turn; null when the turn is ours. Calls `over` with each ticket that no process holds.
 * @param earlier the tickets before ours, oldest first.
 */
export async function firstBlocking(
  ours: Ticket,
  earlier: NonNullable<ReturnType<Queue['before']>>,
  looking: LookingAtHolders,
  over: (id: string) => void,
): Promise<QueueStanding | null> {
  if (!earlier.some(({ ticket }) => conflict(ticket, ours))) return null;
  const standing: QueueStanding[] = [];
  for (const { ticket, file } of earlier) {
    const isOwn = isDeepStrictEqual(ticket.owner, ours.owner);
    const living = isOwn ? [ticket.owner] : await ticketHolders(ticket, looking);
    if (living.length > 0) standing.push({ ticket, file, living });
    else over(ticket.id);
  }
  const last = { ticket: ours, file: '', living: [ours.owner] };
  const above = await aboveOf(last, ours.owner);
  if (!standing.some(above)) return standing.find(({ ticket }) => conflict(ticket, ours)) ?? null;
  const begun: QueueStanding[] = [];
  for (const [i, one] of standing.entries())
    if (blockerOf(one, standing.slice(0, i), begun, await aboveOf(one, ours.owner)) === null) begun.push(one);
  return blockerOf(last, standing, begun, above);
}

/**
 * A run that an agent starts from within a call would wait for its own caller for ever. The same happens if it waits for a
 * process that waits for that caller. Therefore, within a turn that has begun, only turns that have begun count.
 */
function blockerOf(
  one: QueueStanding,
  earlier: readonly QueueStanding[],
  begun: readonly QueueStanding[],
  isAbove: (other: QueueStanding) => boolean,
): QueueStanding | null {
  const before = begun.some(isAbove) ? begun : earlier;
  return before.find((other) => conflict(other.ticket, one.ticket) && !isAbove(other)) ?? null;
}

const conflict = (a: Ticket, b: Ticket): boolean => a.mode === 'write' || b.mode === 'write';

/** Returns a function that tests whether this one was started from within the other's turn. */
async function aboveOf(
  { living: [owner] }: QueueStanding,
  self: ProcessIdentity,
): Promise<(other: QueueStanding) => boolean> {
  const rows = placeOf(owner!, self) === 'here' ? await ancestorsOf(owner!.pid) : [];
  return ({ living }) => living.some((process_) => placeOf(process_, self) === 'here' && isAmong(rows, process_));
}
