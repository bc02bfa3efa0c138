// Acquires a ticket of a queue: whoever is first has the turn, until it leaves or dies.

import { randomUUID } from 'node:crypto';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Ticket } from '../../state/queue/ticket.ts';
import { openQueue, type Queue } from '../../state/queue/tickets.ts';
import { isSystemError } from '../../state/system-error.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { firstBlocking, type QueueStanding } from './blocking.ts';

/** Who asks for a place in a line, and for what: readers share it, a writer has it alone. */
export interface TicketRequest {
  /** Where its file lies, and the name of it. */
  line: { folder: string; name: string };
  mode: 'read' | 'write';
  taskId: string;
  /** Whose calls hold the place on when this process dies; without it they don't. */
  taskFolder?: string;
  stage: string;
  /** How long it may take from now on where nobody can see whether we still live: from another container. A day unless told. */
  longestMs?: number;
  /** What to do about somebody on another host or in another container: wait until his time is over, or pass (`--force`). */
  foreign?: 'wait' | 'pass';
  stop: AbortSignal;
  /** What was found strange in the line and put out of the way; nobody need hear of it. */
  say?(sentence: string): void;
  /** Told once, if there is somebody to wait for. */
  whileWaiting(first: { who: string; ticket: Ticket }): void;
  clock: () => Date;
}

/** `stopped`: told to stop while it waited; then it has left the line. */
export type QueueTurn =
  /**
   * It is ours until `release`, or until this process ends, however it does. `within`: somebody has it before us, and we were
   * started by him, so that to wait for him would be for ever.
   */
  { how: 'taken'; within: boolean; release(): void } | { how: 'stopped' };

const DAY_MS = 86_400_000;
/** How often the others are looked at; a death raises no event. */
const LOOK_MS = 400;

/** Waits in the order of asking. Throws what the operating system throws when the queue cannot be written. */
export async function acquireTicket(request: TicketRequest): Promise<QueueTurn> {
  const { stop, whileWaiting } = request;
  const queue = queueOf(request);
  const ticket = await ticketFor(request);
  const release = () => releaseQuietly(queue, ticket.id);
  queue.join(ticket);
  for (const sentence of queue.setAside()) request.say?.(sentence);
  for (let told = false; ; told = true) {
    if (stop.aborted) {
      release();
      return { how: 'stopped' };
    }
    const { blocking, earlier } = await blockingIn(queue, ticket, request);
    if (blocking === null)
      return { how: 'taken', within: conflict(earlier, ticket) && isWithin(queue, ticket), release };
    if (!told) whileWaiting({ who: whoIs(blocking, ticket.owner), ticket: blocking.ticket });
    await waitForChange(blocking.file, LOOK_MS, stop);
  }
}

/** Those who are gone were taken out of the line: who still stands before us and does not block has called us. */
const isWithin = (queue: Queue, ours: Ticket): boolean => conflict(queue.before(ours.id) ?? [], ours);

type Earlier = NonNullable<ReturnType<Queue['before']>>;

const conflict = (earlier: Earlier, ours: Ticket): boolean =>
  earlier.some(({ ticket }) => ticket.mode === 'write' || ours.mode === 'write');

/** The oldest place that has to be left before ours counts. */
async function blockingIn(
  queue: Queue,
  ours: Ticket,
  request: TicketRequest,
): Promise<{ blocking: QueueStanding | null; earlier: Earlier }> {
  const earlier = queue.before(ours.id);
  if (earlier === null) {
    // Somebody deleted the file of the queue: all stand in line anew.
    queue.join(ours);
    return blockingIn(queue, ours, request);
  }
  // What is over is over for good: nobody else has to look at it.
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

/** A line that cannot be written keeps the others waiting until this process ends; that is no reason to fail what was done. */
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

/** What this process has read of each queue; a batch asks for hundreds of turns on one tree. */
const QUEUES = new Map<string, Queue>();

function queueOf({ line: { folder, name }, clock }: TicketRequest): Queue {
  const key = `${folder}/${name}`;
  const queue = QUEUES.get(key) ?? openQueue(folder, name, clock);
  QUEUES.set(key, queue);
  return queue;
}
