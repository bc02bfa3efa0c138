// The ledger that all workers share: one reservation before each paid call, and one booking of its end.

import { withdrawDispatch } from '../loops/attempt/dispatch.ts';
import { readRecord } from '../loops/stage/guardian.ts';
import type { SlotRequest } from '../loops/task/run-context.ts';
import { holdAfter } from '../policies/limits/holds.ts';
import { openJournal } from '../state/journal/journal.ts';
import type { TaskFolder } from '../state/task-folder.ts';
import type { Database } from './database.ts';

/** A task that this worker holds. */
export interface HeldTask {
  id: string;
  epoch: number;
  worker: string;
}

interface ReserveAnswer {
  outcome: 'reserved' | 'fenced' | 'cancelled' | 'held' | 'at_once' | 'per_minute' | 'budget' | 'duplicate';
  /** How long the limit lasts by the clock of the database; 0 if it is not known. */
  waitMs: number;
  detail: string | null;
}

export async function reserveCall(
  database: Database,
  task: HeldTask,
  { tool, account, model, call }: SlotRequest & { call: NonNullable<SlotRequest['call']> },
): Promise<ReserveAnswer> {
  const [row] = await database.query<{ outcome: ReserveAnswer['outcome']; wait_ms: number; detail: string | null }>(
    'SELECT outcome, wait_ms, detail FROM tollgate.reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    [call.id, task.id, task.epoch, task.worker, call.stage, call.prompt, call.attempt, tool, account ?? '', model],
  );
  return { outcome: row!.outcome, waitMs: row!.wait_ms, detail: row!.detail };
}

interface OpenReservation {
  call_id: string;
  epoch: number;
}

/** The reservations of a task that this machine made and that no one has booked. */
export const openReservations = (database: Database, task: string, machine: string): Promise<OpenReservation[]> =>
  database.query<OpenReservation>(
    "SELECT call_id, epoch FROM tollgate.reservations WHERE task = $1 AND machine = $2 AND state IN ('reserved', 'lost')",
    [task, machine],
  );

/** How a booking ended; `open` if the call still runs, or its guardian has not written its end. */
type Booked = 'settled' | 'late' | 'abandoned' | 'already' | 'unknown' | 'wrong_epoch' | 'open';

/**
 * Books the end of a call as the task's journal has it. The journal is the record: a call that it does not have was not made.
 * Must only be called when the dispatcher of the call is done or dead.
 */
export async function settleCall(
  database: Database,
  folder: TaskFolder,
  { call_id, epoch }: OpenReservation,
  clock: () => Date,
  guardian: 'ended' | 'unknown' = 'unknown',
): Promise<Booked> {
  const call = openJournal(folder.root, clock).read().ledger.calls.get(call_id);
  const isMade = call?.granted === true;
  if (isMade && call.verdict === null) return 'open';
  const record = readRecord(folder, call_id);
  // Its guardian may be about to reserve it in the journal.
  const isWithdrawn = call !== undefined || record !== null || withdrawDispatch(folder.attempts, call_id);
  if (!isWithdrawn && guardian === 'unknown') return 'open';
  const verdict = record?.verdict ?? null;
  const isPaid = isMade && record?.ending !== 'not_started';
  const hold =
    verdict === null || !isPaid
      ? null
      : holdAfter({ tool: call.reserved.tool, account: call.reserved.account ?? '', model: null }, verdict, clock());
  // A duration: the clocks of machines differ.
  const holdMs = hold === null ? 0 : hold.until === null ? UNKNOWN_HOLD_MS : hold.until - clock().getTime();
  const [row] = await database.query<{ settle: Booked }>('SELECT tollgate.settle($1, $2, $3, $4, $5, $6, $7, $8)', [
    call_id,
    epoch,
    isPaid,
    verdict?.class ?? null,
    verdict?.reason ?? null,
    record?.usage.total_tokens ?? null,
    record?.usage.usd ?? null,
    holdMs,
  ]);
  return row!.settle;
}

/** The service gave no time: the next call finds out after this. */
const UNKNOWN_HOLD_MS = 300_000;

/** `unsent`: there are tasks of a lost worker that no job brings to another. */
interface Renewed {
  draining: boolean;
  unsent: boolean;
  tasks: { id: number; epoch: number; cancel: boolean }[];
}

/** @returns undefined if the lease is over. */
export async function renewLease(database: Database, worker: string, seconds: number): Promise<Renewed | undefined> {
  const text = 'SELECT draining, unsent, tasks FROM tollgate.renew($1, $2)';
  return (await database.query<Renewed>(text, [worker, seconds]))[0];
}
