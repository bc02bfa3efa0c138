// The queue of a fleet: pg-boss brings a task to one worker. Leases and payments are decided in our own tables.

import { PgBoss } from 'pg-boss';
import type { Database } from './database.ts';
import { QUEUE_SCHEMA } from './schema.ts';

/** A job as it was fetched: its attempt fences its completion. */
export interface FetchedJob {
  id: string;
  retryCount: number;
  task: string;
}

interface QueuedTask {
  id: string;
  queue: string;
  priority: number;
  tag: string | null;
}

interface WaitingQueue {
  queue: string;
  tools: string[];
  /** Whether this machine may begin one of its tasks now. */
  ready: boolean;
  /** The tags whose tasks it must not begin now. */
  busy: string[];
}

/** Who begins a task, and after how many seconds one whose conversations another machine has. */
type Beginner = readonly [worker: string, machine: string, tagWait: number];

interface TaskQueue {
  /** Adds the job of a task within the caller's transaction. */
  send(task: QueuedTask, query: Database['query']): Promise<string>;
  prepare(queue: string): Promise<void>;
  /** Takes a job within the caller's transaction: a worker that dies in between has not taken it. */
  fetch(queue: WaitingQueue, query: Database['query']): Promise<FetchedJob | null>;
  touch(queue: string, jobs: readonly FetchedJob[]): Promise<void>;
  cancel(queue: string, job: string): Promise<void>;
  complete(queue: string, job: FetchedJob): Promise<void>;
  stop(): Promise<void>;
}

/** No attempt of the queue's own: a paid call is not repeated because its worker is slow. A job waits for a year. */
const JOBS = { retryLimit: 0, heartbeatSeconds: 30, expireInSeconds: 86_400, retentionSeconds: 31_536_000 };
/** No job waits for another one (a flow); pg-boss would look for such jobs each 5 s, with two queries. */
const RARELY = { superviseIntervalSeconds: 60, monitorIntervalSeconds: 60, flowIntervalSeconds: 3600 };

/** @param does `set_up` creates and updates the tables of the queue; only a worker supervises it. */
export async function openQueue(database: Database, does: 'set_up' | 'submit' | 'work'): Promise<TaskQueue> {
  const db = adapterOf(database.query);
  const boss = new PgBoss({
    db,
    schema: QUEUE_SCHEMA,
    migrate: does === 'set_up',
    supervise: does === 'work',
    schedule: false,
    registerInstance: false,
    ...RARELY,
  });
  // An unreachable database is noticed by our own queries.
  boss.on('error', () => {});
  await boss.start();
  const known = new Set<string>();
  return {
    send: async ({ id, queue, priority, tag }, query) => {
      const group = tag === null ? {} : { group: { id: tag } };
      return (await boss.send(queue, { task: id }, { db: adapterOf(query), priority, singletonKey: id, ...group }))!;
    },
    prepare: async (queue) => {
      if (!known.has(queue)) await boss.createQueue(queue, JOBS);
      known.add(queue);
    },
    fetch: async ({ queue, busy }, query) => {
      const options = { includeMetadata: true, db: adapterOf(query), ignoreGroups: busy } as const;
      const [job] = await boss.fetch<{ task: string }>(queue, options);
      return job === undefined ? null : { id: job.id, retryCount: job.retryCount, task: job.data.task };
    },
    touch: async (queue, jobs) => void (jobs.length > 0 && (await boss.touch(queue, [...jobs]))),
    complete: async (queue, job) => void (await boss.complete(queue, { id: job.id, retryCount: job.retryCount })),
    cancel: async (queue, job) => void (await boss.cancel(queue, job)),
    stop: () => boss.stop({ graceful: false, close: false }),
  };
}

const adapterOf = (query: Database['query']) => ({
  executeSql: async (text: string, values?: unknown[]) => ({
    rows: await query<Record<string, unknown>>(text, values),
  }),
});

/** The queues with tasks that need no other CLIs than these (null for any), the most urgent that may begin here first. */
export const queuesFor = (
  database: Database,
  tools: readonly string[] | null,
  [, machine, tagWait]: Beginner,
): Promise<WaitingQueue[]> =>
  database.query(
    `SELECT queue, tools, bool_or(may_begin) AS ready, coalesce(array_agg(DISTINCT tag) FILTER (WHERE NOT may_begin), '{}') AS busy
     FROM (SELECT id, queue, tools, priority, tag, tollgate.may_begin(tag, submitted_at, $2, $3) FROM tollgate.tasks
       WHERE state = 'queued' AND job IS NOT NULL AND ($1::text[] IS NULL OR tools <@ $1)) t
     GROUP BY queue, tools ORDER BY max(priority) FILTER (WHERE may_begin) DESC NULLS LAST, min(id) FILTER (WHERE may_begin)`,
    [tools, machine, tagWait],
  );

/** Takes a job and its task together. @returns null if there is none; its epoch is null if it was cancelled meanwhile. */
export async function takeTask(
  database: Database,
  queue: TaskQueue,
  waiting: WaitingQueue,
  beginner: Beginner,
): Promise<{ job: FetchedJob; epoch: number | null } | null> {
  const busy = new Error('a task of the tag was begun at this moment');
  try {
    return await database.transaction(async (query) => {
      const job = await queue.fetch(waiting, query);
      if (job === null) return null;
      const [row] = await query<{ epoch: number | null }>('SELECT epoch FROM tollgate.begin_task($1, $2, $3, $4, $5)', [
        job.task,
        job.id,
        ...beginner,
      ]);
      // The job goes back into the queue.
      if (row?.epoch === null) throw busy;
      return { job, epoch: row?.epoch ?? null };
    });
  } catch (error) {
    if (error === busy) return null;
    throw error;
  }
}

/** Sends the tasks of a lost worker that are to be run again. */
export const sendUnsent = (database: Database, queue: TaskQueue): Promise<void> =>
  database.transaction(async (query) => {
    const rows = await query<QueuedTask>(
      "SELECT id::text AS id, queue, priority, tag FROM tollgate.tasks WHERE state = 'queued' AND job IS NULL FOR UPDATE SKIP LOCKED",
    );
    for (const row of rows) {
      await queue.prepare(row.queue);
      const job = await queue.send(row, query);
      await query('UPDATE tollgate.tasks SET job = $2 WHERE id = $1', [row.id, job]);
    }
  });
