// Reads one task for a report from its files.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isClosed, kindOf } from '../../state/disk/regular-file.ts';
import { foldAnew, journalOf } from '../../state/journal/journal.ts';
import { checkTaskRoot } from '../../state/task-folder.ts';
import { type RowReading, type RowStanding, readRow, type TaskRow } from './task-row.ts';

export interface TaskReading {
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

export const isTask = (folder: string): boolean =>
  TASK_FILES.some((name) => kindOf(path.join(folder, name)) !== null) || isClosed(folder);
