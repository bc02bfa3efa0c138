// Collects the status of all tasks of a folder: a row for each task that is shown, and only the state of the others.

import path from 'node:path';
import type { DaySpending } from '../../policies/report/spending.ts';
import { namesIn } from '../../state/disk/folder.ts';
import { isAbsent, isFolder } from '../../state/disk/regular-file.ts';
import { missingTask } from '../../state/missing-task.ts';
import { projectState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { type FailureGroup, groupFailures } from './groups.ts';
import { isTask, readTask } from './read-task.ts';
import type { TaskState } from './standing.ts';
import type { RowReading, RowStanding, TaskRow } from './task-row.ts';

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

type CollectedTasks = { how: 'collected'; report: TasksReport } | { how: 'invalid'; message: string };

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
  return { how: 'collected', report: { ...report, groups: groupFailures(rows), unreadable } };
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
      message: `${folder} cannot be read: it or ${path.dirname(folder)} is no folder, or one that may not be looked into`,
    };
  if (word === null) return { how: 'found', folder, names: [] };
  if (!word.includes('/')) return { how: 'invalid', message: missingTask(given) };
  return { how: 'invalid', message: `${folder} is no folder; name the one that holds the tasks, such as .tmp/task` };
}

function listed(folder: string): Places {
  try {
    return { how: 'found', folder, names: namesIn(folder) };
  } catch (error) {
    return { how: 'invalid', message: `${folder} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** Does not use the machine's language, so that every user sees the same order. */
const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
