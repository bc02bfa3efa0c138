// Collects the tasks of a folder for a report: a row for each shown task, their failures in groups, and their spending.

import path from 'node:path';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { type DaySpending, priceOf, type SpentCall, spendingByDay } from '../../policies/report/spending.ts';
import { gatherFailures } from '../../policies/signature/sign.ts';
import { byText } from '../../policies/text/display.ts';
import { namesIn } from '../../state/disk/folder.ts';
import { isAbsent, isClosed, isFolder, kindOf } from '../../state/disk/regular-file.ts';
import { foldAnew, JournalError, journalOf, openJournal } from '../../state/journal/journal.ts';
import { missingTask } from '../../state/missing-task.ts';
import { readProject } from '../../state/project/project.ts';
import { checkTaskRoot, locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { rootOf } from '../task/task.ts';
import { type RowReading, type RowStanding, readRow, type TaskRow } from './task-row.ts';
import type { TaskState } from './task-state.ts';

export interface TasksReport {
  schema: 1;
  /** The time at which the report was made, ISO. */
  at: string;
  /** The folder that holds the tasks. */
  folder: string;
  /** Counts all tasks of the requested time, shown or not. */
  totals: Record<TaskState | 'tasks' | 'unreadable', number>;
  /** Newest first. */
  tasks: TaskRow[];
  groups: FailureGroup[];
  /** What cannot be read, and why. A task may be in this list and also among the tasks. */
  unreadable: { folder: string; message: string }[];
  /** Present only on request, because it reads the record of every call. */
  spent?: DaySpending[];
}

type CollectedTasks = { how: 'read'; report: TasksReport } | { how: 'invalid'; message: string };

interface CollectingTasks {
  /** The folder that holds the tasks, a task, or a project; null for the project of `cwd`. */
  word: string | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Only tasks in which something happened since then; null for all. */
  sinceMs: number | null;
  which: 'all' | 'failed';
  /** Whether each row has its `stages`, which are read from separate files. */
  stages: RowReading['stages'];
  now: Date;
}

/** Returns one row for each task, and what could not be read; `invalid` if there is no folder of tasks. */
export async function collectTasks({
  word,
  cwd,
  environment,
  sinceMs,
  which,
  stages,
  now,
}: CollectingTasks): Promise<CollectedTasks> {
  const places = placesOf(word, cwd, environment);
  if (places.how === 'invalid') return places;
  const earliest = sinceMs === null ? null : new Date(now.getTime() - sinceMs).toISOString();
  const totals = {
    tasks: 0,
    done: 0,
    failed: 0,
    interrupted: 0,
    refused: 0,
    parked: 0,
    running: 0,
    never_run: 0,
    unreadable: 0,
  };
  const unreadable: TasksReport['unreadable'] = [];
  const rows: TaskRow[] = [];
  const reading = {
    self: (await identify(process.pid))!,
    environment,
    stages,
    isShown: isShownIn(which, earliest),
  };
  for (const name of places.names) {
    const folder = path.join(places.folder, name);
    const { standing, row, problem } = await readTask(folder, reading);
    if (problem !== null) unreadable.push({ folder, message: problem });
    if (standing === null || !isSince(standing, earliest)) continue;
    totals.tasks += 1;
    totals[standing.state] += 1;
    if (row !== null) rows.push(row);
  }
  totals.unreadable = unreadable.length;
  rows.sort((a, b) => byText(b.at ?? '', a.at ?? '') || byText(a.task_id, b.task_id));
  const report = { schema: 1, at: now.toISOString(), folder: places.folder, totals, tasks: rows } as const;
  return { how: 'read', report: { ...report, groups: groupFailures(rows), unreadable } };
}

const isSince = ({ at }: RowStanding, earliest: string | null): boolean =>
  earliest === null || (at !== null && at >= earliest);

const isShownIn =
  (which: CollectingTasks['which'], earliest: string | null): RowReading['isShown'] =>
  (standing) =>
    isSince(standing, earliest) && (which === 'all' || standing.state === 'failed' || standing.state === 'refused');

/** A folder of that name takes precedence over a task of that id. */
function placeOf(word: string, cwd: string, environment: NodeJS.ProcessEnv): string {
  const folder = path.resolve(cwd, word);
  if (word.includes('/') || isFolder(folder)) return folder;
  return path.join(projectState(cwd, environment), 'task', word);
}

type Places = { how: 'found'; folder: string; names: string[] } | { how: 'invalid'; message: string };

function placesOf(word: string | null, cwd: string, environment: NodeJS.ProcessEnv): Places {
  const given = word === null ? projectState(cwd, environment) : placeOf(word, cwd, environment);
  if (word !== null && isTask(given))
    return { how: 'found', folder: path.dirname(given), names: [path.basename(given)] };
  const inside = [path.join(given, 'task'), path.join(given, '.tmp', 'task')].find(isFolder);
  const folder = inside ?? (word === null ? path.join(given, 'task') : given);
  if (isFolder(folder)) return listed(folder);
  if (!isAbsent(folder))
    return {
      how: 'invalid',
      message: `${folder} cannot be read: it or ${path.dirname(folder)} is not a folder, or it may not be read`,
    };
  if (word === null) return { how: 'found', folder, names: [] };
  if (path.dirname(given) === path.join(projectState(cwd, environment), 'task'))
    return { how: 'invalid', message: missingTask(given) };
  return { how: 'invalid', message: `${folder} is not a folder; name the one that holds the tasks, such as .tmp/task` };
}

function listed(folder: string): Places {
  try {
    return { how: 'found', folder, names: namesIn(folder) };
  } catch (error) {
    return { how: 'invalid', message: `${folder} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

interface TaskReading {
  /** null if only `problem` is known. */
  standing: RowStanding | null;
  /** null for a task that is not shown. */
  row: TaskRow | null;
  /** What cannot be read, and why. */
  problem: string | null;
}

interface ReadingTasks extends RowReading {
  self: ProcessIdentity;
  environment: NodeJS.ProcessEnv;
}

/** Returns only nulls for a folder that is not a task. */
export async function readTask(folder: string, reading: ReadingTasks): Promise<TaskReading> {
  const nothing = { standing: null, row: null };
  if (!isTask(folder)) return { ...nothing, problem: null };
  const mistake = checkTaskRoot(folder, ['state']);
  if (mistake !== null) return { ...nothing, problem: mistake };
  const file = journalOf(folder);
  const place = { id: path.basename(folder), root: folder, state: path.dirname(file) };
  const read = await readRow(place, () => foldAnew(file), reading.self, reading.environment, reading);
  if (read.how === 'unreadable') return { ...nothing, problem: read.message };
  return { standing: read.standing, row: read.row, problem: read.problem };
}

const TASK_FILES = ['state/journal.jsonl', 'manifest.yaml', 'manifest.json', 'manifest.yml'];

const isTask = (folder: string): boolean =>
  TASK_FILES.some((name) => kindOf(path.join(folder, name)) !== null) || isClosed(folder);

export interface FailureGroup {
  /** null for failures without a signature: they are grouped by class and reason. */
  signature: string | null;
  class: string;
  reason: string | null;
  /** What happened to the task that failed last, in one sentence. */
  sentence: string;
  task_ids: string[];
  first_seen: string | null;
  last_seen: string | null;
  /** The evidence of the task that failed last. */
  evidence: string | null;
}

interface FailedTask {
  task_id: string;
  at: string | null;
  class: ErrorClass | null;
  reason: string | null;
  sentence: string | null;
  signature: string | null;
  evidence: string | null;
  since: string | null;
}

/** One line for each failure, however many tasks have it; the most frequent first. @param rows newest first. */
export function groupFailures(rows: readonly FailedTask[]): FailureGroup[] {
  return gatherFailures(rows.filter((row) => row.class !== null)).map((same) => {
    const [{ signature, class: errorClass, reason, sentence, at, evidence }] = same;
    const times = same.flatMap(({ since }) => (since === null ? [] : [since]));
    return {
      signature,
      class: errorClass!,
      reason,
      sentence: sentence!,
      task_ids: same.map(({ task_id }) => task_id),
      first_seen: times.sort()[0] ?? null,
      last_seen: at,
      evidence,
    };
  });
}

export const collectSpending = async (...looking: Parameters<typeof paidCalls>): Promise<DaySpending[]> =>
  spendingByDay([...(await paidCalls(...looking)).values()].flat());

/** By the id of the task. Uses the prices of each task's project, as far as they can be read. */
export async function paidCalls(
  tasks: readonly { task_id: string; folder: string }[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Map<string, SpentCall[]>> {
  const prices = new Map<string, ProjectFile['prices']>();
  const calls = new Map<string, SpentCall[]>();
  for (const { task_id, folder } of tasks) {
    const located = locateTask(`${folder}/`, '/', {});
    if (located.how === 'invalid') continue;
    const root = rootOf(located.folder, cwd, environment);
    if (!prices.has(root)) prices.set(root, await pricesOf(root));
    calls.set(task_id, callsOf(located.folder, prices.get(root)!));
  }
  return calls;
}

async function pricesOf(root: string): Promise<ProjectFile['prices']> {
  const project = await readProject(root);
  return project.how === 'read' ? project.value.prices : {};
}

function callsOf(task: TaskFolder, prices: ProjectFile['prices']): SpentCall[] {
  try {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    return [...ledger.calls.values()].flatMap((call) => {
      if (!call.granted) return [];
      const record = findRecord(task, call);
      const usd = record?.usage === undefined ? null : priceOf(record, prices);
      return {
        day: call.reserved.at.slice(0, 10),
        tool: call.reserved.tool,
        ...(call.reserved.account === undefined ? {} : { account: call.reserved.account }),
        tokens: record?.usage?.total_tokens ?? null,
        usd,
        durationMs: record?.duration_ms ?? null,
      };
    });
  } catch (error) {
    // The report itself lists a task whose journal cannot be read.
    if (error instanceof JournalError) return [];
    throw error;
  }
}
