// Gives turns in the queues of the user's limits, and locks their ledger with one: the oldest living process has the turn.

import { randomUUID } from 'node:crypto';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { LimitsFiles } from '../../state/limits/limits-folder.ts';
import { openQueue } from '../../state/queue/tickets.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { isAlive } from '../../wrappers/processes/identity.ts';

interface Locking {
  files: LimitsFiles;
  self: ProcessIdentity;
  clock: () => Date;
  stop: AbortSignal;
}

/** The lock is held for a moment only. After this time, a process that cannot be looked up from here counts as killed. */
const FOREIGN_MS = 60_000;

/** The longest wait for the lock if only holds apply: they justify no longer wait for a stopped process. */
export const HOLDS_LOCK_MS = 5000;

/** Runs `does` with the lock. Throws its errors, and system errors. @returns null if it was stopped before its turn. */
export async function locked<T extends object>(
  { files: { folder }, self, clock, stop }: Locking,
  does: () => Promise<T> | T,
): Promise<T | null> {
  const turn = await takeTurn({ folder, name: 'ledger', self, foreignMs: FOREIGN_MS, clock, stop });
  if (turn.how === 'stopped') return null;
  try {
    return await does();
  } finally {
    turn.release();
  }
}

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
  const release = () => queue.release(ticket.id);
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
    if (isOver) queue.release(first.ticket.id);
    else await waitForChange(first.file, LOOK_MS, stop);
  }
}
