// Shows and controls a fleet: its tasks, workers, limits and budgets; cancels tasks, drains workers, returns results.

import { openJournal } from '../state/journal/journal.ts';
import type { TaskFolder } from '../state/task-folder.ts';
import type { Database } from './database.ts';
import { resultFrom } from './freight.ts';
import { openQueue } from './queue.ts';
import { FleetRefusal } from './refusal.ts';
import type { PackedResult } from './travel/result.ts';

interface FleetTask {
  id: string;
  name: string;
  project: string;
  pool: string;
  state: string;
  worker: string | null;
  epoch: number;
  calls: { used: number; budget: number };
  /** Calls whose end is not booked, and those that were booked after their lease. */
  open_calls: number;
  lost_calls: number;
  late_calls: number;
  message: string | null;
  exit_code: number | null;
  submitted_at: string;
  ended_at: string | null;
}

export interface FleetStatus {
  schema: 1;
  tasks: FleetTask[];
  counts: Record<string, number>;
  workers: { id: string; name: string; version: string; draining: boolean; tasks: number; lease_seconds: number }[];
  limits: {
    tool: string;
    account: string;
    at_once: number | null;
    per_minute: number | null;
    running: number;
    held_seconds: number;
    hold_reason: string | null;
  }[];
  budgets: { scope: string; calls: number | null; used: number }[];
}

const TASK = `SELECT t.id::text AS id, t.name, t.project, t.pool, t.state, w.name AS worker, t.epoch,
  jsonb_build_object('used', t.calls_used, 'budget', t.calls_budget) AS calls,
  (SELECT count(*)::int FROM tollgate.reservations r WHERE r.task = t.id AND r.state = 'reserved') AS open_calls,
  (SELECT count(*)::int FROM tollgate.reservations r WHERE r.task = t.id AND r.state = 'lost') AS lost_calls,
  (SELECT count(*)::int FROM tollgate.reservations r WHERE r.task = t.id AND r.state = 'late') AS late_calls,
  t.message, t.exit_code, t.submitted_at, t.ended_at
  FROM tollgate.tasks t LEFT JOIN tollgate.workers w ON w.id = t.worker AND t.state = 'running'`;

/** @param name null for all that are open, and those that ended last. */
export async function fleetStatus(database: Database, name: string | null): Promise<FleetStatus> {
  const tasks = await database.query<FleetTask>(
    name === null
      ? `${TASK} ORDER BY t.state IN ('lost', 'stopped') DESC, t.state = 'running' DESC, t.state = 'queued' DESC, t.ended_at DESC, t.id LIMIT 50`
      : `${TASK} WHERE t.name = $1 OR t.id::text = $1 ORDER BY t.id DESC LIMIT 50`,
    name === null ? [] : [name],
  );
  if (name !== null && tasks.length === 0)
    throw new FleetRefusal(`the fleet has no task "${name}"; see tollgate fleet status`);
  const counts = await database.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM tollgate.tasks GROUP BY state ORDER BY state',
  );
  return {
    schema: 1,
    tasks,
    counts: Object.fromEntries(counts.map(({ state, count }) => [state, count])),
    workers: await database.query(
      `SELECT id::text AS id, name, version, draining, extract(epoch FROM lease_until - clock_timestamp())::int AS lease_seconds,
       (SELECT count(*)::int FROM tollgate.tasks t WHERE t.worker = w.id AND t.state = 'running') AS tasks
       FROM tollgate.workers w WHERE ended_at IS NULL ORDER BY started_at`,
    ),
    limits: await database.query(
      `SELECT tool, account, at_once, per_minute, hold_reason,
       greatest(0, coalesce(extract(epoch FROM hold_until - clock_timestamp()), 0))::int AS held_seconds,
       (SELECT count(*)::int FROM tollgate.reservations r WHERE r.tool = l.tool AND r.account = l.account AND r.state = 'reserved') AS running
       FROM tollgate.limits l ORDER BY tool, account`,
    ),
    budgets: await database.query(
      `SELECT scope, calls, CASE WHEN scope = 'day' AND day IS DISTINCT FROM (clock_timestamp() AT TIME ZONE 'UTC')::date THEN 0 ELSE used END AS used
       FROM tollgate.budgets ORDER BY scope`,
    ),
  };
}

/** @returns what became of the task: a running one ends within seconds. */
export async function cancelTask(database: Database, name: string): Promise<{ id: string; state: string }> {
  const [row, ...others] = await database.query<{ id: string; state: string; queue: string; job: string | null }>(
    `UPDATE tollgate.tasks SET cancel_requested = true,
       ended_at = CASE WHEN state = 'running' THEN NULL ELSE clock_timestamp() END,
       state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END
     WHERE (name = $1 OR id::text = $1) AND state IN ('queued', 'running', 'stopped', 'lost')
       AND (SELECT count(*) FROM tollgate.tasks o WHERE (o.name = $1 OR o.id::text = $1) AND o.state IN ('queued', 'running', 'stopped', 'lost')) = 1
     RETURNING id::text AS id, state, queue, job`,
    [name],
  );
  if (row === undefined || others.length > 0) {
    const { tasks } = await fleetStatus(database, name);
    const open = tasks.filter(({ state }) => ['queued', 'running', 'stopped', 'lost'].includes(state));
    throw new FleetRefusal(
      open.length > 1
        ? `${open.length} projects have a task "${name}"; name one by its number: ${open.map(({ id, project }) => `${id} (${project})`).join(', ')}`
        : `${name} is ${tasks[0]!.state}; there is nothing to cancel`,
    );
  }
  if (row.state === 'cancelled' && row.job !== null) {
    const queue = await openQueue(database, 'submit');
    await queue.cancel(row.queue, row.job);
    await queue.stop();
  }
  return row;
}

/** @param name the number or the name of one worker; null for all. @returns their names. */
export async function drainWorkers(database: Database, name: string | null): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'UPDATE tollgate.workers SET draining = true WHERE ended_at IS NULL AND ($1::text IS NULL OR name = $1 OR id::text = $1) RETURNING name',
    [name],
  );
  if (rows.length === 0)
    throw new FleetRefusal(
      name === null ? 'no worker is at work' : `no worker "${name}" is at work; see tollgate fleet status`,
    );
  return rows.map((row) => row.name);
}

interface LimitChange {
  day?: number;
  pools: readonly { pool: string; calls: number }[];
  rates: readonly { tool: string; account: string; kind: 'at_once' | 'per_minute'; count: number }[];
  /** Whose calls begin again at once. */
  lifts: readonly { tool: string; account: string }[];
}

/** 0 removes a limit. */
export async function changeLimits(database: Database, { day, pools, rates, lifts }: LimitChange): Promise<void> {
  await database.transaction(async (query) => {
    const scopes = [
      ...pools.map(({ pool, calls }) => [`pool:${pool}`, calls] as const),
      ...(day === undefined ? [] : [['day', day] as const]),
    ];
    for (const [scope, calls] of scopes)
      await query(
        'INSERT INTO tollgate.budgets (scope, calls) VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET calls = $2',
        [scope, calls === 0 ? null : calls],
      );
    for (const { tool, account, kind, count } of rates)
      await query(
        `INSERT INTO tollgate.limits (tool, account, ${kind}) VALUES ($1, $2, $3) ON CONFLICT (tool, account) DO UPDATE SET ${kind} = $3`,
        [tool, account, count === 0 ? null : count],
      );
    for (const { tool, account } of lifts) {
      const lifted = await query(
        `UPDATE tollgate.limits SET hold_until = NULL, hold_reason = NULL
         WHERE tool = $1 AND account = $2 AND hold_until > clock_timestamp() RETURNING tool`,
        [tool, account],
      );
      if (lifted.length === 0)
        throw new FleetRefusal(
          `${tool}${account === '' ? '' : `@${account}`} is not held; see tollgate fleet limits. Nothing was changed`,
        );
    }
  });
}

/** The newest result of a task, with its number. */
export async function resultOf(database: Database, name: string): Promise<{ id: string; packed: PackedResult }> {
  const rows = await database.query<{
    id: string;
    project: string;
    state: string;
    message: string | null;
    meta: never | null;
    result: Buffer | null;
  }>(
    `SELECT t.id::text AS id, project, state, message, result_meta AS meta, result FROM tollgate.tasks t
     WHERE id IN (SELECT max(id) FROM tollgate.tasks WHERE name = $1 OR id::text = $1 GROUP BY project, name) ORDER BY t.id DESC LIMIT 10`,
    [name],
  );
  const [row] = rows;
  if (rows.length > 1)
    throw new FleetRefusal(
      `${rows.length} projects have a task "${name}"; name one by its number: ${rows.map(({ id, project }) => `${id} (${project})`).join(', ')}`,
    );
  if (row === undefined) throw new FleetRefusal(`the fleet has no task "${name}"; see tollgate fleet status`);
  if (row.meta === null)
    throw new FleetRefusal(
      `${name} is ${row.state} and has no result${row.message === null ? '' : `: ${row.message}`}`,
    );
  return { id: row.id, packed: resultFrom(row.meta, row.result) };
}

/** Compares the calls of a fetched journal with the ledger. @returns a sentence for each difference. */
export async function differences(
  database: Database,
  id: string,
  folder: TaskFolder,
  clock: () => Date,
): Promise<string[]> {
  const rows = await database.query<{ call_id: string; state: string }>(
    'SELECT call_id, state FROM tollgate.reservations WHERE task = $1',
    [id],
  );
  const { calls } = openJournal(folder.root, clock).read().ledger;
  return rows.flatMap(({ call_id, state }) => {
    const isPaidHere = calls.get(call_id)?.granted === true;
    if (state === 'abandoned')
      return isPaidHere ? [`the call ${call_id} is paid in the journal, and not in the ledger of the fleet`] : [];
    return isPaidHere ? [] : [`the call ${call_id} is ${state} in the ledger of the fleet, and not in the journal`];
  });
}
