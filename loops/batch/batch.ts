// Runs many tasks at once on this machine: checks all before it pays, shares calls fairly among tools, writes one report.

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { stopExit } from '../../policies/facts/exit-codes.ts';
import { type NextAction, toDo } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { namesNoStage, repeatWords } from '../../policies/verdict/changed-prompt.ts';
import { ledgerIfAny } from '../../state/journal/journal.ts';
import { openUnseenCalls } from '../guard/watched-call.ts';
import { launcherIn } from '../launcher.ts';
import { runTask } from '../run/run.ts';
import { traceEnd } from '../upkeep/export.ts';
import { type Bad, type BatchTask, lookAtTasks } from './check-tasks.ts';
import { type BatchReport, endOf, failuresOf, totalsOf } from './report.ts';
import { type BatchProgress, type BatchRequest, openLimits } from './request.ts';
import { type BatchRow, badRow, isBegun, type RowEnd, rowOf, surprisedRow, waitingRow } from './row.ts';
import { openSlots } from './slots.ts';
import { tellBatchEnd, writeBatchReport, writeBatchStart } from './write-report.ts';

/** How a batch ended: `report` as on disk, `summary` as Markdown. */
type BatchRan =
  | { how: 'ran'; report: BatchReport; summary: string }
  /** No task was started. */
  | { how: 'invalid'; message: string; next_actions: NextAction[] };

/**
 * Tasks in progress for each allowed call. With `go_on`, more than one gives a choice of tools. With `stop`, no task pays before
 * the failure of another is known that would have prevented its start.
 */
const TASKS_A_CALL = { go_on: 2, stop: 1 } as const satisfies Record<'go_on' | 'stop', number>;

/**
 * Checks every task, then runs them with at most `concurrency` paid calls at once. A task that fails, is refused or breaks
 * becomes a row of the report. Throws no expected errors: a report that cannot be written becomes a note.
 */
export async function runBatch(given: BatchRequest): Promise<BatchRan> {
  // Each access to `process.env` asks the system for every variable, and each task makes several. So this copies it once.
  const request = { ...given, context: { ...given.context, environment: { ...given.context.environment } } };
  const { stop, clock, pause } = request.context;
  const began = clock();
  // Every task listens to this signal.
  const limits = openLimits({ ...request, stop, pause });
  setMaxListeners(0, stop, limits.stop);
  try {
    return await runLimited(request, limits, began);
  } finally {
    limits.close();
  }
}

async function runLimited(
  request: BatchRequest,
  limits: ReturnType<typeof openLimits>,
  began: Date,
): Promise<BatchRan> {
  const { words, options, context } = request;
  const { stop, clock } = context;
  const { tasks, bad, hearers } = await lookAtTasks(words, { options, context });
  if (bad.length > 0 && (request.badTasks === 'refuse' || tasks.length === 0))
    return { how: 'invalid', message: mistakeOf(bad, words.length), next_actions: nextAfter(bad, tasks.length) };
  const repeating = tasks.filter(({ repeated }) => repeated > 0);
  if (namesNoStage(options) && repeating.length > 0) {
    const stages = repeating.reduce((sum, { repeated }) => sum + repeated, 0);
    context.say(`${repeatWords(stages, repeating.length)}, each charged to the budget of its task`);
  }
  const slots = openSlots(request.concurrency, clock);
  const unseenCalls = openUnseenCalls();
  const batchId = newBatchId(began);
  await writeBatchStart(request, batchId, began, tasks);
  const ends = await goThrough(
    { ...request, context: { ...context, unseenCalls, stop: limits.stop } },
    tasks,
    slots,
    limits,
  );
  const all = [
    ...bad.map((one) =>
      badRow(one, { ...options, launcher: launcherIn(context.environment), trusts: options.trustWorkspace }),
    ),
    ...ends.values(),
  ];
  const rows = all.map(({ row }) => row);
  const wordsOf = (isMeant: (row: BatchRow) => boolean) =>
    tasks.filter((task) => isMeant(ends.get(task)!.row)).map(({ word }) => word);
  const remaining = wordsOf(
    ({ state }) => state !== 'done' && !(state === 'refused' && options.finished === 'rechecked'),
  );
  // The journals of these tasks record what they are to repeat.
  const begun = options.redo.length === 0 ? [] : wordsOf((row) => remaining.length > 0 && isBegun(row));
  const totals = totalsOf(rows, clock().getTime() - began.getTime());
  const facts: Parameters<typeof writeBatchReport>[1] = {
    schema: 1,
    batch_id: batchId,
    ...endOf(rows, stop.aborted ? stopExit(stop) : null, request.exitCode),
    tasks: rows,
    totals,
    by_failure: failuresOf(all),
    notes: [...limits.notes(totals.not_started), ...slots.paused(), ...unseenCalls.finish()],
  };
  const unmet = { remaining, begun, unreadable: bad.map(({ word }) => word), signedOut: slots.signedOut() };
  const written = await writeBatchReport(request, facts, unmet);
  const near = all.filter(({ nearBudget }) => nearBudget).map(({ row }) => row.task_id);
  await traceEnd(
    tasks.map(({ word }) => word),
    began,
    request,
  );
  return { how: 'ran', ...(await tellBatchEnd(context, hearers, written, near)) };
}

/** Returns the results in the given order, whatever order the tasks end in. */
async function goThrough(
  request: BatchRequest,
  tasks: readonly BatchTask[],
  slots: ReturnType<typeof openSlots>,
  limits: ReturnType<typeof openLimits>,
): Promise<Map<BatchTask, RowEnd>> {
  const { concurrency, tell } = request;
  const ends = new Map<BatchTask, RowEnd>(tasks.map((task) => [task, { row: waitingRow(task.taskId), next: [] }]));
  const lineup = lineUp(tasks);
  const progress: BatchProgress = {
    row: null,
    total: tasks.length,
    done: 0,
    failed: 0,
    active: 0,
    calls: 0,
    running: slots.running(),
  };
  const work = async () => {
    for (let task = nextOne(); task !== null; task = nextOne()) {
      progress.active += 1;
      tell({ ...progress, row: null });
      const end = await runOne(request, task, slots);
      ends.set(task, end);
      lineup.end(task);
      progress.active -= 1;
      progress.calls += end.row.calls;
      if (end.row.state === 'done') progress.done += 1;
      else if (end.row.state !== 'interrupted') {
        progress.failed += 1;
        limits.failed(task.taskId);
      }
      tell({ ...progress, row: end.row });
    }
  };
  const nextOne = () => (limits.mayBegin() ? lineup.next() : null);
  await Promise.all(
    Array.from({ length: Math.min(tasks.length, concurrency * TASKS_A_CALL[request.onFailure]) }, work),
  );
  return ends;
}

function runOne(
  { options, context }: BatchRequest,
  { word, root, taskId }: BatchTask,
  slots: ReturnType<typeof openSlots>,
): Promise<RowEnd> {
  const before = callsOf(root);
  const paid = () => Math.max(0, callsOf(root) - before);
  // A single task's messages are in its own report.
  return runTask({
    word,
    options,
    context: { ...context, slots, say: () => {}, watch: () => {}, tells: 'of_all' },
  }).then(
    (ran) => rowOf(taskId, ran, paid),
    (error) => surprisedRow(taskId, error, paid),
  );
}

function mistakeOf(bad: readonly { word: string; message: string }[], count: number): string {
  const lines = bad.map(({ word, message }) => `  ${word}: ${message.replaceAll('\n', '\n    ')}`);
  const what = `${bad.length} of ${count} tasks cannot be run, so none was started; correct them, or use --skip-bad to run the others`;
  return [what, ...lines].join('\n');
}

function nextAfter(bad: readonly Bad[], others: number): NextAction[] {
  const changed = bad.some((one) => one.changed.length > 0);
  return [
    toDo('correct what the message names, then start the same command again'),
    ...(changed
      ? [toDo('or start the same command with --keep-all (pays nothing for those stages), or with --redo-all')]
      : []),
    ...(others > 0 ? [toDo('or start the same command with --skip-bad, which runs the other tasks')] : []),
  ];
}

function newBatchId(at: Date): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 14)}-${randomBytes(4).toString('hex')}`;
}

/** Returns 0 if the journal cannot be read: then the task was not begun, or its problem is already reported. */
function callsOf(root: string): number {
  return [...(ledgerIfAny(root)?.calls.values() ?? [])].filter(({ granted }) => granted).length;
}

/** The tasks that wait. The tool with the fewest tasks in progress is next, so that tools mix from the start. */
interface Lineup<T> {
  /** Returns null if none remains. */
  next(): T | null;
  /** Reports that a task that had begun has ended. */
  end(one: T): void;
}

/** Keeps the given order among the tasks of one tool. */
export function lineUp<T extends { tool: Tool }>(all: readonly T[]): Lineup<T> {
  const lanes = new Map<Tool, { waiting: T[]; from: number; active: number }>();
  for (const one of all) {
    const lane = lanes.get(one.tool) ?? { waiting: [], from: 0, active: 0 };
    lane.waiting.push(one);
    lanes.set(one.tool, lane);
  }
  return {
    next() {
      const open = [...lanes.values()].filter(({ waiting, from }) => from < waiting.length);
      const lane = open.sort((a, b) => a.active - b.active)[0];
      if (lane === undefined) return null;
      lane.active += 1;
      return lane.waiting[lane.from++]!;
    },
    end({ tool }) {
      lanes.get(tool)!.active -= 1;
    },
  };
}
