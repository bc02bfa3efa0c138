// Sends tasks to the fleet: packs all of them first, then adds their rows and jobs in one transaction.

import { markSubmitted } from '../loops/task/claim.ts';
import type { RunSettings } from '../loops/task/run-context.ts';
import { openTask } from '../loops/task/task.ts';
import type { Journal } from '../state/journal/journal.ts';
import { budgetOf } from '../state/journal/ledger.ts';
import type { TaskFolder } from '../state/task-folder.ts';
import { adapterOf } from '../wrappers/adapters.ts';
import { checkDatabase, type Database } from './database.ts';
import { taskColumns } from './freight.ts';
import { openQueue } from './queue.ts';
import { DatabaseAway, FleetRefusal } from './refusal.ts';
import { hashOf } from './travel/bundle.ts';
import { originsOf } from './travel/origin.ts';
import { packTask } from './travel/pack.ts';
import { sharesTree } from './travel/unpack.ts';

interface SubmitRequest extends RunSettings {
  database: Database;
  words: readonly string[];
  pool: string;
  priority: number;
  onLost: 'stop' | 'retry';
  changes: 'patch' | 'refused';
  shared: string | null;
  /** Whether a lost or stopped task is sent again, although a call of it may have been paid. */
  again: boolean;
}

interface Submitted {
  task: string;
  id: string;
  bytes: number;
  warnings: string[];
}

/** Throws a FleetRefusal or a TravelRefusal; then none of the tasks was sent. */
export async function submitTasks(request: SubmitRequest): Promise<Submitted[]> {
  const { database, words, options, pool, priority, onLost, shared } = request;
  await checkDatabase(database, 'submit');
  const packed: (Awaited<ReturnType<typeof packTask>> & Awaited<ReturnType<typeof needsOf>>)[] = [];
  const originOf = originsOf(request.context);
  for (const word of words) {
    const { packed: task, journalBytes, warnings } = await packTask({ ...request, word, originOf });
    const needs = await needsOf(request, word);
    packed.push({ ...needs, packed: task, journalBytes, warnings: [...warnings, ...needs.warnings] });
  }
  const queue = await openQueue(database, 'submit');
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const { tools } of packed) await queue.prepare(queueOf(tools));
    return await database.transaction(async (query) => {
      const sent: Submitted[] = [];
      for (const { packed: task, journalBytes, folder, journal, warnings, tools, calls, feature } of packed) {
        await makeRoom(query, task.task, task.remote, request.again);
        const { meta, bundle } = taskColumns(task, { shared, options: { trustWorkspace: options.trustWorkspace } });
        const tag =
          feature === undefined || !sharesTree(task) ? null : hashOf(Buffer.from(`${task.remote}\0${feature}`));
        const [row] = await query<{ id: string }>(
          `INSERT INTO tollgate.tasks (name, project, pool, priority, tools, queue, state, on_lost, calls_budget, meta, bundle, tag)
           VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7, $8, $9, $10, $11) RETURNING id::text AS id`,
          [task.task, task.remote, pool, priority, tools, queueOf(tools), onLost, calls, meta, bundle, tag],
        );
        const { id } = row!;
        const job = await queue.send({ id, queue: queueOf(tools), priority, tag }, query);
        await query('UPDATE tollgate.tasks SET job = $2 WHERE id = $1', [id, job]);
        undo.push(await markSubmitted(folder, id, request.context.clock()));
        // A run that claimed the task before the mark is in its journal; a later one sees the mark.
        if (journal.read().offset !== journalBytes)
          throw new FleetRefusal(`${task.task} was run on this machine in the same moment; nothing was submitted`);
        sent.push({ task: task.task, id, bytes: bundle?.length ?? 0, warnings });
      }
      return sent;
    });
  } catch (error) {
    // Without an answer the database may have taken them.
    if (!(error instanceof DatabaseAway)) for (const one of undo) await one();
    if (['23505', '40P01'].includes((error as { code?: string }).code ?? ''))
      throw new FleetRefusal('the task was submitted by another command at the same moment; see tollgate fleet status');
    throw error;
  } finally {
    await queue.stop();
  }
}

/** Tasks that need the same CLIs share a queue, so that a worker fetches only what it can run. */
const queueOf = (tools: readonly string[]): string => `tasks.${tools.join('.')}`.replace(/[^\w.-]/g, '_');

interface Needs {
  folder: TaskFolder;
  journal: Journal;
  tools: string[];
  calls: number;
  feature: string | undefined;
  warnings: string[];
}

async function needsOf({ options, context }: SubmitRequest, word: string): Promise<Needs> {
  const opened = await openTask({ ...context, ...options, word }, 'look');
  if (opened.how === 'invalid') throw new FleetRefusal(opened.message);
  const { task: folder, journal, plans, manifest, tree } = opened.open;
  const used = plans.flatMap(({ stage }) => [stage.tool, ...stage.fallback.map((each) => each.tool)]);
  const tools = [...new Set(used)].sort();
  const { meta, security } = manifest;
  // What calls from here have used, and what the user allowed, is in the journal.
  const { ledger } = journal.read();
  const calls = Math.max(0, budgetOf(ledger) - ledger.used);
  const trustWorkspace = options.trustWorkspace || security.trust_workspace;
  const place = { trustWorkspace, cwd: tree, environment: context.environment };
  const warnings = tools
    .filter((tool) => (adapterOf(tool).distrusts(place) ?? adapterOf(tool).refusesFolder(place)) !== null)
    .map(
      (tool) =>
        `${tool} does not start in an untrusted checkout; if workers may use its hooks and servers, submit with --trust-workspace`,
    );
  return { folder, journal, tools, calls, feature: meta.feature, warnings };
}

/** One submission of a task at a time: two would pay for the same work. */
async function makeRoom(query: Database['query'], name: string, project: string, again: boolean): Promise<void> {
  const [open] = await query<{ id: string; state: string }>(
    "SELECT id::text AS id, state FROM tollgate.tasks WHERE name = $1 AND project = $2 AND state IN ('queued', 'running', 'stopped', 'lost') FOR UPDATE",
    [name, project],
  );
  if (open === undefined) return;
  const isOver = open.state === 'lost' || open.state === 'stopped';
  if (!isOver)
    throw new FleetRefusal(
      `${name} was submitted before and is ${open.state} (${open.id}); wait for it, or: tollgate fleet cancel ${name}`,
    );
  if (!again)
    throw new FleetRefusal(
      `${name} is ${open.state} (${open.id}), and a call of it may have been paid. It continues when a worker starts on its machine; --again pays for it on another one`,
    );
  await query(
    "UPDATE tollgate.tasks SET state = 'cancelled', epoch = epoch + 1, ended_at = clock_timestamp(), message = 'submitted again' WHERE id = $1",
    [open.id],
  );
}
