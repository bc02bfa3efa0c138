// Reads what a fleet is doing, in one query: its tasks in the shape of local ones, their failures in groups, workers, limits.

import { groupFailures } from '../loops/report/collect.ts';
import type { FleetStatus } from '../loops/report/fleet-status.ts';
import { failureSentence } from '../policies/report/failure-sentence.ts';
import type { Database } from './database.ts';
import { FleetRefusal } from './refusal.ts';

interface Wanted {
  /** Names or numbers of tasks; empty for all. */
  names: readonly string[];
  /** Only tasks with an event since then. */
  sinceMs?: number | null;
  failedOnly?: boolean;
  /** The number of tasks; totals count all. */
  most?: number;
}

/** A terminal shows fewer; more would be slow to read every second. */
const MOST_TASKS = 50;

const ISO = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const AT = 'coalesce(t.ended_at, t.started_at, t.submitted_at)';
const OPEN_FIRST = "t.state IN ('lost', 'stopped') DESC, t.state = 'running' DESC, t.state = 'queued' DESC";
const FAILED_FIRST = `t.state = 'failed' DESC, ${OPEN_FIRST}`;

/** What a task of a session tag waits for: another one that runs, or the machine that has its conversations. */
const WAITS_FOR = `CASE WHEN t.state = 'queued' AND t.tag IS NOT NULL THEN coalesce(
  (SELECT 'waits for the task ' || r.name || ' of its tag' FROM tollgate.tasks r WHERE r.tag = t.tag AND r.state = 'running' LIMIT 1),
  (SELECT 'waits for ' || v.name || ', which has its conversations; after --tag-wait any worker takes it'
    FROM tollgate.tasks l JOIN tollgate.workers v ON v.machine = l.machine
    WHERE l.tag = t.tag ORDER BY l.started_at DESC, v.started_at DESC LIMIT 1)) END`;

const TASKS = `SELECT t.id::text AS id, t.name AS task_id, t.project, t.pool, t.state, ${ISO(AT)} AS at,
  ${ISO('t.submitted_at')} AS submitted_at, ${ISO('t.ended_at')} AS ended_at, w.name AS worker, t.epoch,
  coalesce(t.failure->>'stage', c.stage) AS stage, t.failure->>'class' AS class, t.failure->>'reason' AS reason,
  t.failure->>'signature' AS signature, t.failure->>'evidence' AS evidence,
  json_build_object('used', t.calls_used, 'budget', t.calls_budget) AS calls, c.tokens, c.usd,
  c.open_calls, c.lost_calls, c.late_calls, coalesce(${WAITS_FOR}, t.message) AS message, t.exit_code
  FROM (SELECT * FROM tollgate.tasks t WHERE (cardinality($1::text[]) = 0 OR t.name = ANY($1) OR t.id::text = ANY($1))
    AND ($2::float8 IS NULL OR ${AT} >= clock_timestamp() - $2 * interval '1 millisecond')
    AND (NOT $3 OR t.state = 'failed') ORDER BY ${OPEN_FIRST}, ${AT} DESC, t.id DESC LIMIT $4) t
  LEFT JOIN tollgate.workers w ON w.id = t.worker AND t.state = 'running'
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE r.state = 'reserved')::int AS open_calls,
    count(*) FILTER (WHERE r.state = 'lost')::int AS lost_calls, count(*) FILTER (WHERE r.state = 'late')::int AS late_calls,
    sum(r.tokens)::float8 AS tokens, sum(r.usd)::float8 AS usd, (array_agg(r.stage ORDER BY r.reserved_at DESC))[1] AS stage
    FROM tollgate.reservations r WHERE r.task = t.id) c
  ORDER BY ${FAILED_FIRST}, ${AT} DESC, t.id DESC`;

const WORKERS = `SELECT id::text AS id, name, version, draining, extract(epoch FROM lease_until - clock_timestamp())::int AS lease_seconds,
  (SELECT count(*)::int FROM tollgate.tasks t WHERE t.worker = w.id AND t.state = 'running') AS tasks
  FROM tollgate.workers w WHERE ended_at IS NULL ORDER BY started_at`;

const LIMITS = `SELECT tool, account, at_once, per_minute, hold_reason,
  greatest(0, coalesce(extract(epoch FROM hold_until - clock_timestamp()), 0))::int AS held_seconds,
  (SELECT count(*)::int FROM tollgate.reservations r WHERE r.tool = l.tool AND r.account = l.account AND r.state = 'reserved') AS running
  FROM tollgate.limits l ORDER BY tool, account`;

const BUDGETS = `SELECT scope, calls, CASE WHEN scope = 'day' AND day IS DISTINCT FROM (clock_timestamp() AT TIME ZONE 'UTC')::date THEN 0 ELSE used END AS used
  FROM tollgate.budgets ORDER BY scope`;

const COUNTS = 'SELECT state, count(*)::int AS count FROM tollgate.tasks GROUP BY state ORDER BY state';

const listOf = (rows: string) => `(SELECT coalesce(json_agg(row_to_json(x)), '[]') FROM (${rows}) x)`;

/** Reads only; the role of a reader is enough. Throws a {@link FleetRefusal} if no task has one of the names. */
export async function fleetStatus(
  database: Database,
  { names, sinceMs = null, failedOnly = false, most = MOST_TASKS }: Wanted,
): Promise<FleetStatus> {
  const [row] = await database.query<FleetStatus & { counts: { state: string; count: number }[] }>(
    `SELECT ${ISO('clock_timestamp()')} AS at, ${listOf(TASKS)} AS tasks, ${listOf(COUNTS)} AS counts,
     ${listOf(WORKERS)} AS workers, ${listOf(LIMITS)} AS limits, ${listOf(BUDGETS)} AS budgets`,
    [names, sinceMs, failedOnly, most],
  );
  const { counts, tasks, ...rest } = row!;
  for (const task of tasks)
    task.sentence = task.class === null ? null : failureSentence({ ...task, class: task.class, evidence: null });
  const missing = names.find((name) => !tasks.some(({ id, task_id }) => name === id || name === task_id));
  if (missing !== undefined && sinceMs === null && !failedOnly)
    throw new FleetRefusal(`the fleet has no task "${missing}"; see tollgate fleet status`);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const totals = { tasks: all, ...Object.fromEntries(counts.map(({ state, count }) => [state, count])) };
  const failed = tasks.filter(({ state }) => state === 'failed');
  return {
    ...rest,
    schema: 1,
    totals,
    tasks,
    groups: groupFailures(failed.map((task) => ({ ...task, since: task.ended_at }))),
  };
}
