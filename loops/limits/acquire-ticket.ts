// Acquires a ticket of a queue: the first in the line has the turn until it leaves or dies.

import { randomUUID } from 'node:crypto';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Ticket } from '../../state/queue/ticket.ts';
import { openQueue, type Queue } from '../../state/queue/tickets.ts';
import { isSystemError } from '../../state/system-error.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { firstBlocking, type QueueStanding } from './blocking.ts';

/** Defines who requests a place in a line, and for what. Readers share a turn; a writer has it alone. */
export interface TicketRequest {
  /** The folder and the name of the line's file. */
  line: { folder: string; name: string };
  mode: 'read' | 'write';
  taskId: string;
  /** The task whose calls keep the place when this process dies. Without it, they do not keep it. */
  taskFolder?: string;
  stage: string;
  /**
   * The maximum duration from now. It counts for a process in another container, which cannot see whether we still live. Default:
   * a day.
   */
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
  /**
   * The turn is ours until `release`, or until this process ends in any way. `within`: a holder before us started us, so waiting
   * for it would never end.
   */
  { how: 'taken'; within: boolean; release(): void } | { how: 'stopped' };

const DAY_MS = 86_400_000;
/** The interval of checks; the death of a process raises no event. */
const LOOK_MS = 400;

/** Waits in the order of the requests. Throws the errors of the operating system if the queue cannot be written. */
export async function acquireTicket(request: TicketRequest): Promise<QueueTurn> {
  const { stop, whileWaiting } = request;
  const queue = queueOf(request);
  const ticket = await ticketFor(request);
  const release = () => releaseQuietly(queue, ticket.id);
  queue.join(ticket);
  for (const sentence of queue.setAside()) request.say?.(sentence);
  for (let isReported = false; ; isReported = true) {
    if (stop.aborted) {
      release();
      return { how: 'stopped' };
    }
    const { blocking, earlier } = await blockingIn(queue, ticket, request);
    if (blocking === null)
      return { how: 'taken', within: conflict(earlier, ticket) && isWithin(queue, ticket), release };
    if (!isReported) whileWaiting({ who: whoIs(blocking, ticket.owner), ticket: blocking.ticket });
    await waitForChange(blocking.file, LOOK_MS, stop);
  }
}

/** Dead holders were already removed. A conflicting ticket before ours that does not block us belongs to our caller. */
const isWithin = (queue: Queue, ours: Ticket): boolean => conflict(queue.before(ours.id) ?? [], ours);

type Earlier = NonNullable<ReturnType<Queue['before']>>;

const conflict = (earlier: Earlier, ours: Ticket): boolean =>
  earlier.some(({ ticket }) => ticket.mode === 'write' || ours.mode === 'write');

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
  return { blocking: await firstBlocking(ours, earlier, looking, (id) => releaseQuietly(queue, id)), earlier };
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

/** If the line cannot be written, the others wait until this process ends. That is no reason to let the finished work fail. */
function releaseQuietly(queue: Queue, id: string): void {
  try {
    queue.release(id);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
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
