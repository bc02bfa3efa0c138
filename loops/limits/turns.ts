// Gives turns in a queue of the user's limits: the oldest living process has the turn, whichever process started it.

import { randomUUID } from 'node:crypto';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { openQueue, type Queue } from '../../state/queue/tickets.ts';
import { isSystemError } from '../../state/system-error.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';

interface TurnRequest {
  folder: string;
  name: string;
  self: ProcessIdentity;
  /** How long a process counts that cannot be looked up from here. */
  foreignMs: number;
  clock: () => Date;
  stop: AbortSignal;
}

type Turn = { how: 'taken'; release(): void } | { how: 'stopped' };

/** A death raises no event. */
const LOOK_MS = 50;

/** Throws the errors of the operating system if the queue cannot be written. */
export async function takeTurn(request: TurnRequest): Promise<Turn> {
  const { folder, name, self, foreignMs, clock, stop } = request;
  const queue = openQueue(folder, name, clock);
  const until = new Date(clock().getTime() + foreignMs).toISOString();
  const ticket = { id: randomUUID(), mode: 'write', owner: self, task_id: '', stage: '', until } as const;
  queue.join(ticket);
  const release = () => releaseQuietly(queue, ticket.id);
  for (;;) {
    if (stop.aborted) {
      release();
      return { how: 'stopped' };
    }
    const earlier = queue.before(ticket.id);
    // The file was deleted: all processes join the queue again.
    if (earlier === null) queue.join(ticket);
    const first = earlier?.[0];
    if (earlier !== null && first === undefined) return { how: 'taken', release };
    if (first === undefined) continue;
    const life = await isAlive(first.ticket.owner, self);
    const isOver = life === 'dead' || (life === 'unknown' && Date.parse(first.ticket.until) <= clock().getTime());
    if (isOver) releaseQuietly(queue, first.ticket.id);
    else await waitForChange(first.file, LOOK_MS, stop);
  }
}

/** If it fails, the ticket counts until this process ends. */
function releaseQuietly(queue: Queue, id: string): void {
  try {
    queue.release(id);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
