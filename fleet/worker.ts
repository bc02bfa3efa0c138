// The worker of a fleet: renews its lease, takes tasks from the queue while it has room, and runs each to its end.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { leaseClock, writeLease } from '../loops/attempt/dispatch.ts';
import type { RunContext } from '../loops/task/run-context.ts';
import { isBuiltIn, type Tool } from '../policies/facts/tools.ts';
import { forgetTools } from '../wrappers/own/described.ts';
import { checkDatabase, type Database } from './database.ts';
import { renewLease } from './ledger.ts';
import { type FetchedJob, openQueue, queuesFor, sendUnsent, takeTask } from './queue.ts';
import { DatabaseAway } from './refusal.ts';
import { CANCELLED, type EndedTask, runFleetTask, settleOthers } from './run-task.ts';
import { openWorkFolder, type WorkFolder } from './work-folder.ts';

interface WorkerRequest {
  database: Database;
  /** null for every tool. */
  tools: readonly Tool[] | null;
  concurrency: number;
  folder: string | undefined;
  leaseSeconds: number;
  /** After so many seconds a task is begun whose conversations another machine has. */
  tagWait: number;
  version: string;
  /** Ends when the queue is empty. */
  untilEmpty: boolean;
  context: RunContext;
}

interface Held {
  epoch: number;
  queue: string;
  job: FetchedJob | null;
  abort: AbortController;
  /** Why it was ended; null while it runs. */
  ended: string | null;
}

/** What the worker did, for its last line. */
interface WorkerEnd {
  done: number;
  failed: number;
  interrupted: number;
}

/** How often the queue is looked at while nothing is in it. */
const LOOK_MS = 2000;
/** A guardian has a quarter of the lease to end its call before another worker may take over. */
const FENCE_PART = 0.75;
const FENCE_LOOK_MS = 250;
const RENEWALS_A_LEASE = 6;

/** Works until `context.stop` aborts, the worker is drained, or the queue is empty. Throws a FleetRefusal before any work. */
export async function work(request: WorkerRequest): Promise<WorkerEnd> {
  const { database, context } = request;
  await checkDatabase(database, 'work');
  const folder = await openWorkFolder(request.folder, context.environment);
  const queue = await openQueue(database, 'work');
  const over = new AbortController();
  const stop = AbortSignal.any([context.stop, over.signal]);
  const worker = new Worker(request, folder, queue, stop, () => over.abort());
  try {
    return await worker.run();
  } finally {
    await queue.stop();
  }
}

class Worker {
  private id = '';
  private draining = false;
  private readonly held = new Map<string, Held>();
  private readonly running = new Set<Promise<void>>();
  private readonly end: WorkerEnd = { done: 0, failed: 0, interrupted: 0 };
  private fenceMs = 0;
  private othersEndMs = 0;
  private away = false;
  /** The answer to a request for a task was lost. */
  private mayHaveMore = false;
  private failure: Error | null = null;
  /** The task that runs last was one that must run alone. */
  private isAlone = false;
  private readonly request: WorkerRequest;
  private readonly folder: WorkFolder;
  private readonly queue: Awaited<ReturnType<typeof openQueue>>;
  /** Ends the loops: a stop signal, or the end of the work. */
  private readonly stop: AbortSignal;
  private readonly finish: () => void;

  constructor(
    request: WorkerRequest,
    folder: WorkFolder,
    queue: Awaited<ReturnType<typeof openQueue>>,
    stop: AbortSignal,
    finish: () => void,
  ) {
    [this.request, this.folder, this.queue, this.stop, this.finish] = [request, folder, queue, stop, finish];
  }

  async run(): Promise<WorkerEnd> {
    const { say } = this.request.context;
    if (this.folder.before === 'unknown') await this.untilLeaseIsOver();
    await this.register(this.folder.before === 'unknown');
    say(`worker ${this.id} takes tasks; its folder is ${this.folder.folder}`);
    const failed = (error: Error) => this.fail(error);
    const renewing = this.renewals().catch(failed);
    const fencing = this.fence();
    await this.take().catch(failed);
    // A stop ends every run at once; a drained worker finishes them.
    while (this.running.size > 0) await Promise.all(this.running);
    this.finish();
    await Promise.all([renewing, fencing]);
    await this.leave();
    if (this.failure !== null) throw this.failure;
    return this.end;
  }

  /** What no wait can repair, such as a right that was revoked: the runs end, and continue with the next worker. */
  private fail(error: Error): void {
    this.failure ??= error;
    for (const held of this.held.values()) this.abort(held, 'a failure of its worker');
    this.finish();
  }

  private get database() {
    return this.request.database;
  }
  private pause(ms: number, stop = this.stop) {
    return this.request.context.pause(ms, stop);
  }

  /** Repeats while the database is away. */
  private async whenThere<Result>(ask: () => Promise<Result>): Promise<Result | null> {
    for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5000))
      try {
        const result = await ask();
        if (this.away) this.request.context.say('the database is back');
        this.away = false;
        return result;
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
        if (!this.away) this.request.context.say(`${error.message}; no new call begins`);
        this.away = true;
        if (this.stop.aborted) return null;
        await this.pause(waitMs);
      }
  }

  /** In another container the guardians of the worker before cannot be seen; their fence ends them. */
  private async untilLeaseIsOver(): Promise<void> {
    for (let said = false; ; ) {
      const rows = await this.whenThere(() =>
        this.database.query(
          'SELECT 1 FROM tollgate.workers WHERE machine = $1 AND ended_at IS NULL AND lease_until > clock_timestamp()',
          [this.folder.machine],
        ),
      );
      if (rows === null || rows.length === 0 || this.stop.aborted) return;
      if (!said) this.request.context.say('waiting for the lease of a worker elsewhere that used this folder');
      said = true;
      await this.pause(1000);
    }
  }

  /** Continues what stopped workers left in this folder. */
  private async register(takeOver: boolean): Promise<void> {
    const { version, leaseSeconds } = this.request;
    await this.whenThere(async () => {
      // A new one for each attempt: the answer to the one before may be lost.
      const [id, sentMs] = [randomUUID(), leaseClock()];
      await this.database.query('SELECT tollgate.register($1, $2, $3, $4, $5)', [
        ...[id, this.folder.machine, `${hostname()}:${process.pid}`, version, leaseSeconds],
      ]);
      this.id = id;
      this.fenceMs = sentMs + leaseSeconds * 1000 * FENCE_PART;
      await this.beginOurs(takeOver);
    });
    await this.whenThere(() => this.settleOthers());
    this.othersEndMs = leaseClock() + leaseSeconds * 1000;
  }

  private settleOthers(): Promise<void> {
    const { request, database, folder } = this;
    return settleOthers({
      ...request.context,
      database,
      worker: this.id,
      machine: folder.machine,
      workFolder: folder.folder,
    });
  }

  /** Begins the tasks that this worker has by the database, and that do not run here. */
  private async beginOurs(takeOver: boolean): Promise<void> {
    const known = new Set(this.held.keys());
    const rows = await this.database.query<{ id: string; epoch: number; queue: string; job: string | null }>(
      "SELECT id::text AS id, epoch, queue, job FROM tollgate.tasks WHERE worker = $1 AND state = 'running'",
      [this.id],
    );
    for (const { id: task, epoch, queue, job } of rows)
      if (!known.has(task)) {
        this.request.context.say(`task ${task} continues, which was interrupted on this machine`);
        this.begin(task, { epoch, queue, job: job === null ? null : { id: job, retryCount: 0, task } }, takeOver);
      }
    this.mayHaveMore = false;
  }

  private async renewals(): Promise<void> {
    const everyMs = (this.request.leaseSeconds * 1000) / RENEWALS_A_LEASE;
    while (!this.stop.aborted || this.running.size > 0) {
      // After a stop, the runs still need their lease until they have ended.
      await (this.stop.aborted
        ? Promise.race([Promise.all(this.running), this.pause(everyMs, NEVER)])
        : this.pause(everyMs));
      if (this.stop.aborted && this.running.size === 0) return;
      try {
        await this.renew();
        if (this.away) this.request.context.say('the database is back');
        this.away = false;
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
        if (!this.away) this.request.context.say(`${error.message}; no new call begins`);
        this.away = true;
      }
    }
  }

  private async renewOnce(): ReturnType<typeof renewLease> {
    const sentMs = leaseClock();
    const row = await renewLease(this.database, this.id, this.request.leaseSeconds);
    if (row !== undefined) this.fenceMs = sentMs + this.request.leaseSeconds * 1000 * FENCE_PART;
    return row;
  }

  private async renew(): Promise<void> {
    const row = await this.renewOnce();
    if (row === undefined) {
      // Too late: others may have taken the tasks. Those that none has taken continue here.
      for (const held of this.held.values()) this.abort(held, 'the end of its lease');
      await Promise.all(this.running);
      if (!this.stop.aborted) await this.register(false);
      return;
    }
    const ours = new Map(row.tasks.map((task) => [String(task.id), task]));
    for (const [id, held] of this.held) {
      const task = ours.get(id);
      if (task?.epoch !== held.epoch) this.abort(held, 'the end of its lease');
      else {
        if (task.cancel) this.abort(held, CANCELLED);
        if (held.ended === null) writeLease(this.folder.leaseFile(id), this.fenceMs);
      }
    }
    if (row.draining && !this.draining) {
      this.request.context.say('this worker is drained: it takes no more tasks, and ends after those that run');
      this.draining = true;
    }
    // Their guardians have ended them when their lease is over.
    if (leaseClock() < this.othersEndMs) await this.settleOthers();
    if (row.unsent && !this.draining) await sendUnsent(this.database, this.queue);
    for (const { queue, job } of this.held.values()) if (job !== null) await this.queue.touch(queue, [job]);
  }

  /** The guardians end their calls by themselves; this ends the runs, so that they begin no other. */
  private async fence(): Promise<void> {
    while (!this.stop.aborted || this.running.size > 0) {
      await this.pause(FENCE_LOOK_MS, this.running.size === 0 ? this.stop : NEVER);
      if (leaseClock() >= this.fenceMs) for (const held of this.held.values()) this.abort(held, 'the end of its lease');
    }
  }

  private abort(held: Held, why: string): void {
    if (held.ended !== null) return;
    held.ended = why;
    held.abort.abort(why);
  }

  private async take(): Promise<void> {
    const { concurrency, untilEmpty } = this.request;
    while (!this.stop.aborted && !this.draining) {
      const isFull = this.held.size >= (this.isAlone ? 1 : concurrency);
      const taken = isFull ? 'full' : await this.whenThere(() => this.takeOne());
      if (taken === 'begun') continue;
      if (untilEmpty && taken === 'none' && this.held.size === 0) return;
      await Promise.race([this.pause(LOOK_MS), ...this.running]);
    }
  }

  /** `later`: a task is queued that this worker must not begin now. */
  private async takeOne(): Promise<'begun' | 'none' | 'later'> {
    if (leaseClock() >= this.fenceMs) return 'later';
    if (this.mayHaveMore) await this.beginOurs(false);
    const beginner = [this.id, this.folder.machine, this.request.tagWait] as const;
    const all = await queuesFor(this.database, this.request.tools, beginner);
    for (const waiting of all.filter(({ ready }) => ready)) {
      // A described CLI has one description in a process, and its paths are those of one checkout.
      const isAlone = !waiting.tools.every(isBuiltIn);
      if (isAlone && this.held.size > 0) continue;
      this.mayHaveMore = true;
      const taken = await takeTask(this.database, this.queue, waiting, beginner);
      this.mayHaveMore = false;
      if (taken === null) continue;
      const { job, epoch } = taken;
      // It was cancelled meanwhile.
      if (epoch === null) await this.queue.complete(waiting.queue, job);
      else {
        if (this.held.size === 0) forgetTools();
        this.isAlone = isAlone;
        this.begin(job.task, { epoch, queue: waiting.queue, job }, false);
      }
      return 'begun';
    }
    return all.length === 0 ? 'none' : 'later';
  }

  private begin(task: string, given: Pick<Held, 'epoch' | 'queue' | 'job'>, takeOver: boolean): void {
    const held: Held = { ...given, abort: new AbortController(), ended: null };
    this.held.set(task, held);
    writeLease(this.folder.leaseFile(task), this.fenceMs);
    const running: Promise<void> = this.runOne(task, held, takeOver)
      .catch((error: Error) => this.fail(error))
      .finally(() => {
        this.running.delete(running);
        if (this.held.get(task) === held) this.held.delete(task);
      });
    this.running.add(running);
  }

  private async runOne(task: string, held: Held, takeOver: boolean): Promise<void> {
    const { database, request, folder } = this;
    const halt = request.context.stop;
    const stop = AbortSignal.any([halt, held.abort.signal]);
    const say = (sentence: string) => request.context.say(`task ${task}: ${sentence}`);
    const ended = await runFleetTask({
      database,
      task: { id: task, epoch: held.epoch, worker: this.id },
      machine: folder.machine,
      workFolder: folder.folder,
      lease: folder.leaseFile(task),
      takeOver,
      context: { ...request.context, stop, say, watch: () => {} },
      halt,
      end: (why) => this.abort(held, why),
      fail: (error) => this.fail(error),
    });
    await this.book(task, held, ended, say);
  }

  /** Only the holder of the present epoch may write the end. */
  private async book(task: string, held: Held, ended: EndedTask, say: (sentence: string) => void): Promise<void> {
    const isCancelled = held.ended === CANCELLED;
    const state = ended.how !== 'interrupted' ? ended.how : isCancelled ? 'cancelled' : 'stopped';
    const { exitCode, message, failure, result } = ended;
    if (state === 'stopped' && !this.stop.aborted) return this.continueTask(task, held);
    this.end[ended.how] += 1;
    say(`${state}${message === null ? '' : `: ${message}`}`);
    // Without its lease the task is not ours to book; it continues here when the database is back.
    const rows = await this.whenThere(() =>
      this.database.query<{ id: string }>(
        // A call that is not booked yet uses up no limit any more: its task may never continue.
        `WITH ended AS (UPDATE tollgate.tasks SET state = $3, exit_code = $4, message = $5, result_meta = $6, result = $7, failure = $8,
             ended_at = clock_timestamp(), bundle = CASE WHEN $3 = 'stopped' THEN bundle END
           WHERE id = $1 AND epoch = $2 AND state = 'running' RETURNING id),
         freed AS (UPDATE tollgate.reservations SET state = 'lost' WHERE state = 'reserved' AND task = (SELECT id FROM ended))
         SELECT id FROM ended`,
        [task, held.epoch, state, exitCode, message, result?.meta ?? null, result?.result ?? null, failure],
      ),
    );
    if (rows === null || rows.length === 0 || held.job === null) return;
    if (state !== 'stopped') await this.whenThere(() => this.queue.complete(held.queue, held.job!));
  }

  /** The lease could not be renewed in time, and no other worker has taken the task. */
  private async continueTask(task: string, held: Held): Promise<void> {
    const rows = await this.whenThere(async () => {
      await this.renewOnce();
      return this.database.query<{ epoch: number }>(
        // The next epoch can only be ours: the answer to this was lost.
        "UPDATE tollgate.tasks SET epoch = $2 + 1 WHERE id = $1 AND epoch IN ($2, $2 + 1) AND worker = $3 AND state = 'running' RETURNING epoch",
        [task, held.epoch, this.id],
      );
    });
    if (rows?.[0] !== undefined && !this.stop.aborted) this.begin(task, { ...held, epoch: rows[0].epoch }, false);
  }

  private async leave(): Promise<void> {
    // With a task whose end could not be booked, its lease runs out.
    await this.database
      .query(
        `UPDATE tollgate.workers SET ended_at = clock_timestamp() WHERE id = $1
         AND NOT EXISTS (SELECT 1 FROM tollgate.tasks WHERE worker = $1 AND state = 'running')`,
        [this.id],
      )
      .catch(() => {});
  }
}

const NEVER = new AbortController().signal;
