// Acquires a ticket of a queue: waits for the earlier turns, but never for one that waits for us.

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import type { Ticket } from '../../state/queue/ticket-file.ts';
import { openQueue, type Queue } from '../../state/queue/tickets.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { type LookingAtHolders, ticketHolders } from './ticket-holders.ts';

/** Defines who requests a place in a line, and for what. Readers share a turn; a writer has it alone. */
export interface TicketRequest {
  line: { folder: string; name: string };
  mode: 'read' | 'write';
  taskId: string;
  /** The task whose calls keep the place when this process dies. Without it, they do not keep it. */
  taskFolder?: string;
  stage: string;
  /** The maximum duration; it counts for a process in another container, which cannot look us up. Default: a day. */
  longestMs?: number;
  /** How to treat a holder on another host or in another container: wait until its time is over, or pass (`--force`). */
  foreign?: 'wait' | 'pass';
  stop: AbortSignal;
  /** Receives a message about invalid entries that were set aside. The messages may be ignored. */
  say?(sentence: string): void;
  /** Called once, if there is a holder to wait for. */
  whileWaiting(first: { who: string; ticket: Ticket }): void;
  clock: () => Date;
}

/** `stopped`: an abort ended the waiting, and the ticket has left the line. */
export type QueueTurn =
  /** Ours until `release` or our end. `within`: a holder before us started us, so waiting for it would never end. */
  { how: 'taken'; within: boolean; release(): void } | { how: 'stopped' };

const DAY_MS = 86_400_000;
/** The interval of checks; the death of a process raises no event. */
const LOOK_MS = 400;

/** Waits in the order of the requests. Throws the errors of the operating system if the queue cannot be written. */
export async function acquireTicket(request: TicketRequest): Promise<QueueTurn> {
  const { stop, whileWaiting } = request;
  const queue = queueOf(request);
  const ticket = await ticketFor(request);
  const release = () => queue.release(ticket.id);
  queue.join(ticket);
  for (const sentence of queue.setAside()) request.say?.(sentence);
  for (let isReported = false; ; isReported = true) {
    if (stop.aborted) {
      release();
      return { how: 'stopped' };
    }
    const { blocking, earlier } = await blockingIn(queue, ticket, request);
    if (blocking === null)
      return { how: 'taken', within: hasConflict(earlier, ticket) && isWithin(queue, ticket), release };
    if (!isReported) whileWaiting({ who: whoIs(blocking, ticket.owner), ticket: blocking.ticket });
    await waitForChange(blocking.file, LOOK_MS, stop);
  }
}

/** Dead holders were already removed. A conflicting ticket before ours that does not block us belongs to our caller. */
const isWithin = (queue: Queue, ours: Ticket): boolean => hasConflict(queue.before(ours.id) ?? [], ours);

type Earlier = NonNullable<ReturnType<Queue['before']>>;

const hasConflict = (earlier: Earlier, ours: Ticket): boolean => earlier.some(({ ticket }) => conflict(ticket, ours));

const conflict = (a: Ticket, b: Ticket): boolean => a.mode === 'write' || b.mode === 'write';

/** Finds the oldest place that must be released before our turn. */
async function blockingIn(
  queue: Queue,
  ours: Ticket,
  request: TicketRequest,
): Promise<{ blocking: QueueStanding | null; earlier: Earlier }> {
  const earlier = queue.before(ours.id);
  if (earlier === null) {
    // The file of the queue was deleted, so every process joins the line again.
    queue.join(ours);
    return blockingIn(queue, ours, request);
  }
  // Removes tickets that are over, so that no other process has to check them.
  const looking = { ...request, self: ours.owner };
  return { blocking: await firstBlocking(ours, earlier, looking, (id) => queue.release(id)), earlier };
}

interface QueueStanding {
  ticket: Ticket;
  file: string;
  /** The processes that hold the ticket, at least one. */
  living: ProcessIdentity[];
}

/** The oldest blocking turn; null when it is ours. `over` gets each ticket without a process. @param earlier by age. */
async function firstBlocking(
  ours: Ticket,
  earlier: Earlier,
  looking: LookingAtHolders,
  over: (id: string) => void,
): Promise<QueueStanding | null> {
  if (!hasConflict(earlier, ours)) return null;
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

/** Returns a function that tests whether this one was started from within the other's turn. */
async function aboveOf(
  { living: [owner] }: QueueStanding,
  self: ProcessIdentity,
): Promise<(other: QueueStanding) => boolean> {
  const rows = placeOf(owner!, self) === 'here' ? await ancestorsOf(owner!.pid) : [];
  return ({ living }) => living.some((process_) => placeOf(process_, self) === 'here' && isAmong(rows, process_));
}

async function ticketFor({
  mode,
  taskId,
  taskFolder,
  stage,
  longestMs = DAY_MS,
  clock,
}: TicketRequest): Promise<Ticket> {
  return {
    id: randomUUID(),
    mode,
    owner: (await identify(process.pid))!,
    task_id: taskId,
    ...(taskFolder === undefined ? {} : { task_folder: taskFolder }),
    stage,
    until: new Date(clock().getTime() + longestMs).toISOString(),
  };
}

function whoIs({ ticket: { task_id, until }, living }: QueueStanding, self: ProcessIdentity): string {
  const owner = living[0]!;
  const away = owner.host !== self.host || owner.pid_ns !== self.pid_ns;
  return `task ${task_id} (pid ${owner.pid}${away ? ` on ${owner.host} or in another container, at most until ${until}` : ''})`;
}

/** Caches what this process has read of each queue, because a batch requests hundreds of turns on one tree. */
const QUEUES = new Map<string, Queue>();

function queueOf({ line: { folder, name }, clock }: TicketRequest): Queue {
  const key = `${folder}/${name}`;
  const queue = QUEUES.get(key) ?? openQueue(folder, name, clock);
  QUEUES.set(key, queue);
  return queue;
}
