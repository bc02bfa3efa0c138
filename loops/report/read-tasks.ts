// Many tasks for a report, each read from its files, or from the index where they are as they were when it was read last.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { kindOf } from '../../state/disk/regular-file.ts';
import { locateTask } from '../../state/task-folder.ts';
import { markOf, openTaskIndex } from '../../state/task-index.ts';
import { type RowReading, type RowStanding, readRow, type TaskRow } from './task-row.ts';

interface ReadTask {
  /** null where nothing but `problem` can be said. */
  standing: RowStanding | null;
  /** null for one that is not shown. */
  row: TaskRow | null;
  /** What cannot be read, and why. */
  problem: string | null;
}

interface ReadingTasks extends RowReading {
  self: ProcessIdentity;
  environment: NodeJS.ProcessEnv;
  now: Date;
}

/** In the order of the folders, which lie in one; nothing but nulls for a folder that is no task. */
export async function* readTasks(
  folders: readonly string[],
  reading: ReadingTasks,
): AsyncGenerator<ReadTask & { folder: string }> {
  const { now, environment } = reading;
  const home = path.dirname(folders[0] ?? '');
  const index = openTaskIndex(home, folders.length, environment);
  for (const folder of folders) {
    const kept = index?.find(folder) ?? null;
    const known = kept === null ? null : knownTask(folder, kept, reading);
    if (known !== null) {
      yield { folder, ...known };
      continue;
    }
    const mark = index === null ? null : markOf(folder, now);
    const { isSettled, ...read } = await readTask(folder, reading);
    if (mark !== null && isSettled && read.problem === null) index!.keep(folder, mark, textOf(read));
    yield { folder, ...read };
  }
  index?.save();
}

async function readTask(folder: string, reading: ReadingTasks): Promise<ReadTask & { isSettled: boolean }> {
  const nothing = { standing: null, row: null, isSettled: false };
  if (!isTask(folder)) return { ...nothing, problem: null };
  const located = locateTask(`${folder}/`, '/', {});
  if (located.how === 'invalid') return { ...nothing, problem: located.message };
  const read = await readRow(located.folder, reading.self, reading.environment, reading);
  return read.how === 'unreadable' ? { ...nothing, problem: read.message } : read;
}

const TASK_FILES = ['state/journal.jsonl', 'manifest.yaml', 'manifest.json', 'manifest.yml'];

export const isTask = (folder: string): boolean => TASK_FILES.some((name) => kindOf(path.join(folder, name)) !== null);

/** A row without what is null in it, what its folder says, and what other files than those of the mark have a say in. */
type KeptRow = Partial<TaskRow> & Pick<TaskRow, 'calls'>;

/** How it stands in words of its own: of most tasks nothing else is shown. */
const textOf = ({ standing, row }: ReadTask): string => {
  const { state, at } = standing!;
  const words = `${state}\t${at ?? ''}\t`;
  if (row === null) return words;
  const { task_id, folder, supervision, stages, ...rest } = row;
  const kept = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return words + JSON.stringify(kept);
};

/** null where more of it is to be shown than was kept. */
function knownTask(folder: string, text: string, { isShown, stages }: ReadingTasks): ReadTask | null {
  const [state, at, json] = text.split('\t') as [RowStanding['state'], string, string];
  const standing = { state, at: at === '' ? null : at };
  if (!isShown(standing)) return { standing, row: null, problem: null };
  if (json === '' || stages === 'read') return null;
  const row = JSON.parse(json) as KeptRow;
  const task = { task_id: path.basename(folder), folder };
  return { standing, row: { ...EMPTY_ROW, ...task, ...row, ...standing }, problem: null };
}

const EMPTY_ROW = {
  stage: null,
  class: null,
  reason: null,
  signature: null,
  evidence: null,
  since: null,
  count: null,
  retry_at: null,
  next_action: null,
  supervision: null,
  stages: [],
} satisfies Partial<TaskRow>;
