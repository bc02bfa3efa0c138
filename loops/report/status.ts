// Reports a project's tasks with their state, the runs and calls in progress, and the processes that wait in queues.

import path from 'node:path';
import { openJournal } from '../../state/journal/journal.ts';
import { type Ledger, standInsOf } from '../../state/journal/ledger.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { openBatches } from '../batch/report.ts';
import { eventsOf, lastEvent } from '../task/last-event.ts';
import { collectTasks, type TasksReport } from './collect.ts';
import type { NowCall } from './now.ts';
import type { TaskRow } from './task-row.ts';
import { type CallInProgress, callsInProgress } from './task-state.ts';
import { type WaitingTicket, waitingIn } from './waiting.ts';

export interface TasksStatus {
  schema: 1;
  /** The ISO time at which it was made. */
  at: string;
  /** The folder that holds the tasks. */
  folder: string;
  totals: TasksReport['totals'];
  /** Newest first. */
  tasks: Pick<
    TaskRow,
    | 'task_id'
    | 'folder'
    | 'state'
    | 'at'
    | 'stage'
    | 'class'
    | 'reason'
    | 'calls'
    | 'lacks'
    | 'next_action'
    | 'supervision'
  >[];
  running: { batches: RunningBatch[]; runs: RunningRun[]; calls: RunningCall[] };
  waiting: WaitingTicket[];
  /** What cannot be read, and why. */
  unreadable: TasksReport['unreadable'];
}

/** A batch that has not written its report. */
export interface RunningBatch {
  batch_id: string;
  pid: number;
  host: string;
  began_at: string;
  tasks: number;
  /** Those of its tasks that are done now. */
  done: number;
}

/** A run that has claimed its task. */
export interface RunningRun {
  task_id: string;
  run_id: string;
  pid: number;
  host: string;
}

interface Looking {
  /** The folder that holds the tasks, a task, or a project; null for the project of `cwd`. */
  word: string | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
}

/** Reads only; changes nothing. */
export async function statusOf(
  looking: Looking,
): Promise<
  | { how: 'read'; status: TasksStatus; sentences: ReadonlyMap<string, string | null> }
  | { how: 'invalid'; message: string }
> {
  const now = looking.clock();
  const collected = await collectTasks({ ...looking, sinceMs: null, which: 'all', stages: 'left_out', now });
  if (collected.how === 'invalid') return collected;
  const { at, folder, totals, tasks, unreadable } = collected.report;
  const self = (await identify(process.pid))!;
  const running: TasksStatus['running'] = { batches: [], runs: [], calls: [] };
  const done = new Set(tasks.flatMap(({ task_id, state }) => (state === 'done' ? [task_id] : [])));
  for (const { batch_id, state, owner, began_at, task_ids } of await openBatches(path.dirname(folder)))
    if (state === 'running')
      running.batches.push({
        ...{ batch_id, pid: owner.pid, host: owner.host, began_at, tasks: task_ids.length },
        done: task_ids.filter((id) => done.has(id)).length,
      });
  // Of an interrupted run, a CLI may still run and cost more.
  const active = tasks.filter(({ state }) => state === 'running' || state === 'interrupted');
  for (const { task_id, state, folder: root } of active) {
    const located = locateTask(`${root}/`, '/', {});
    if (located.how === 'invalid') continue;
    const { ledger } = openJournal(root, looking.clock).read();
    const { run } = ledger;
    if (run !== null && (await isAlive(run.owner, self)) !== 'dead')
      running.runs.push({ task_id, run_id: run.run_id, pid: run.owner.pid, host: run.owner.host });
    const calls = (await callsInProgress(ledger, self)).filter(
      ({ life }) => life === 'alive' || (life === 'unknown' && state === 'running'),
    );
    running.calls.push(...calls.map((call) => runningCall(located.folder, ledger, call, now)));
  }
  const waiting = await waitingIn(path.dirname(folder), looking.environment, { self, clock: looking.clock });
  return {
    how: 'read',
    status: { schema: 1, at, folder, totals, tasks: tasks.map(shortened), running, waiting, unreadable },
    // With the name of the CLI, for a page.
    sentences: new Map(tasks.map(({ task_id, sentence }) => [task_id, sentence ?? null])),
  };
}

const shortened = (row: TaskRow): TasksStatus['tasks'][number] => {
  const { task_id, folder, state, at, stage, class: errorClass, reason, calls, lacks, next_action } = row;
  // Keeps only the current iteration.
  const supervision = row.supervision && { ...row.supervision, iterations: row.supervision.iterations.slice(-1) };
  return { task_id, folder, state, at, stage, class: errorClass, reason, calls, lacks, next_action, supervision };
};

export interface RunningCall extends Omit<NowCall, 'tokens'> {
  task_id: string;
  /** The pid of the wrapper that guards it, or of its CLI after the wrapper's death. */
  pid: number;
  host: string;
  elapsed_ms: number;
}

function runningCall(task: TaskFolder, ledger: Ledger, { call, process }: CallInProgress, now: Date): RunningCall {
  const { stage, tool, account, call_id, attempt, deadline_at, at } = call.reserved;
  const since = call.started?.at ?? at;
  return {
    task_id: task.id,
    stage,
    tool,
    ...(account === undefined ? {} : { account }),
    stand_ins: standInsOf(ledger, call),
    call_id,
    attempt,
    pid: process.pid,
    host: process.host,
    since,
    elapsed_ms: Math.max(0, now.getTime() - Date.parse(since)),
    deadline_at,
    last: lastEvent({ stage, tool, events: eventsOf(task, call_id) }),
  };
}
