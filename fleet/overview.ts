// Controls a fleet: cancels tasks, drains workers, changes limits, returns results, and compares them with the ledger.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { unmarkSubmitted } from '../loops/task/claim.ts';
import { journalOf, openJournal } from '../state/journal/journal.ts';
import { locateTask, type TaskFolder } from '../state/task-folder.ts';
import type { Database } from './database.ts';
import { resultFrom } from './freight.ts';
import { openQueue } from './queue.ts';
import { FleetRefusal } from './refusal.ts';
import { fleetStatus } from './status.ts';
import type { PackedResult } from './travel/result.ts';

/** Where the user's project is. */
interface Here {
  root: string;
  environment: NodeJS.ProcessEnv;
}

/** @returns what became of the task: a running one ends within seconds. One that does not run is free to run here. */
export async function cancelTask(database: Database, name: string, here: Here): Promise<{ id: string; state: string }> {
  const [row, ...others] = await database.query<{
    id: string;
    state: string;
    queue: string;
    job: string | null;
    place: string | null;
  }>(
    `UPDATE tollgate.tasks SET cancel_requested = true,
       ended_at = CASE WHEN state = 'running' THEN NULL ELSE clock_timestamp() END,
       state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END
     WHERE (name = $1 OR id::text = $1) AND state IN ('queued', 'running', 'stopped', 'lost')
       AND (SELECT count(*) FROM tollgate.tasks o WHERE (o.name = $1 OR o.id::text = $1) AND o.state IN ('queued', 'running', 'stopped', 'lost')) = 1
     RETURNING id::text AS id, state, queue, job, meta->'packed'->>'folder' AS place`,
    [name],
  );
  if (row === undefined || others.length > 0) {
    const { tasks } = await fleetStatus(database, { names: [name] });
    const open = tasks.filter(({ state }) => OPEN_STATES.includes(state));
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
  const { id, state, place } = row;
  if (state === 'cancelled') release(id, place, here);
  return { id, state };
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
export async function resultOf(
  database: Database,
  name: string,
  here: Here,
): Promise<{ id: string; packed: PackedResult }> {
  const rows = await database.query<{
    id: string;
    project: string;
    state: string;
    message: string | null;
    place: string | null;
    meta: never | null;
    result: Buffer | null;
  }>(
    `SELECT t.id::text AS id, project, state, message, meta->'packed'->>'folder' AS place, result_meta AS meta, result FROM tollgate.tasks t
     WHERE id IN (SELECT max(id) FROM tollgate.tasks WHERE name = $1 OR id::text = $1 GROUP BY project, name) ORDER BY t.id DESC LIMIT 10`,
    [name],
  );
  const [row] = rows;
  if (rows.length > 1)
    throw new FleetRefusal(
      `${rows.length} projects have a task "${name}"; name one by its number: ${rows.map(({ id, project }) => `${id} (${project})`).join(', ')}`,
    );
  if (row === undefined) throw new FleetRefusal(`the fleet has no task "${name}"; see tollgate fleet status`);
  if (row.meta === null && !OPEN_STATES.includes(row.state)) release(row.id, row.place, here);
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
  const calls = await callsOf(database, id);
  return differencesOf(calls, paidIn(folder, clock));
}

/** As {@link differences}, for each of these tasks whose journal is in a project: it has a call of the task. */
export async function fetchedDifferences(
  database: Database,
  tasks: readonly { id: string; task_id: string }[],
  { root, environment, clock }: Here & { clock: () => Date },
): Promise<string[]> {
  const found: string[] = [];
  for (const { id, task_id } of tasks) {
    const [row] = await database.query<{ place: string | null }>(
      "SELECT meta->'packed'->>'folder' AS place FROM tollgate.tasks WHERE id = $1",
      [id],
    );
    const folder = folderAt(row?.place ?? task_id, root, environment);
    if (folder === null || !existsSync(journalOf(folder.root))) continue;
    const calls = await callsOf(database, id);
    const paid = paidIn(folder, clock);
    if (calls.some(({ call_id }) => paid.has(call_id)))
      found.push(...differencesOf(calls, paid).map((sentence) => `${task_id} (${id}): ${sentence}`));
  }
  return found;
}

const OPEN_STATES: readonly string[] = ['queued', 'running', 'stopped', 'lost'];

/** From now on the task may run in this project. */
function release(id: string, place: string | null, { root, environment }: Here): void {
  const folder = place === null ? null : folderAt(place, root, environment);
  if (folder !== null) unmarkSubmitted(folder, id);
}

/** @param place of a task within a project, from a row that a stranger may have written. @returns null if it leads elsewhere. */
function folderAt(place: string, root: string, environment: NodeJS.ProcessEnv): TaskFolder | null {
  if (/^(?:\/|\.\.(?:\/|$))/.test(path.normalize(place))) return null;
  const located = locateTask(`./${place}`, root, environment);
  return located.how === 'invalid' ? null : located.folder;
}

const callsOf = (database: Database, id: string): Promise<{ call_id: string; state: string }[]> =>
  database.query('SELECT call_id, state FROM tollgate.reservations WHERE task = $1 ORDER BY reserved_at', [id]);

function paidIn(folder: TaskFolder, clock: () => Date): Set<string> {
  const { calls } = openJournal(folder.root, clock).read().ledger;
  return new Set([...calls].flatMap(([id, { granted }]) => (granted ? [id] : [])));
}

const differencesOf = (calls: readonly { call_id: string; state: string }[], paid: ReadonlySet<string>): string[] =>
  calls.flatMap(({ call_id, state }) => {
    if (paid.has(call_id) === (state !== 'abandoned')) return [];
    return state === 'abandoned'
      ? [`the call ${call_id} is paid in the journal, and not in the ledger of the fleet`]
      : [`the call ${call_id} is ${state} in the ledger of the fleet, and not in the journal`];
  });
