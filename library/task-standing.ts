// Reads the state of a task for a program: its row, its last failure, its summary.

import path from 'node:path';
import { readFailure, readRow } from '../loops/report/task-row.ts';
import { readRegularOrNull } from '../state/disk/regular-file.ts';
import { openJournal } from '../state/journal/journal.ts';
import { missingTask } from '../state/missing-task.ts';
import { locateTask } from '../state/task-folder.ts';
import { identify } from '../wrappers/processes/identity.ts';
import type { TaskStanding, Whereabouts } from './surface.ts';

/** Reads only; reports state that cannot be read. */
export async function standingOf(
  word: string,
  { cwd = process.cwd(), environment = process.env }: Whereabouts,
): Promise<TaskStanding> {
  const located = locateTask(word, path.resolve(cwd), environment);
  if (located.how === 'invalid') return located;
  const { folder } = located;
  if (folder.manifest === null) return { how: 'invalid', message: missingTask(folder.root) };
  const shown = { isShown: () => true, stages: 'left_out' } as const;
  const journal = openJournal(folder.root, () => new Date()).read;
  const read = await readRow(folder, journal, (await identify(process.pid))!, environment, shown);
  if (read.how === 'unreadable') return { how: 'invalid', message: read.message };
  if (read.problem !== null) return { how: 'invalid', message: read.problem };
  const { task_id, state, at, calls, next_action } = read.row!;
  const summary = readRegularOrNull(path.join(folder.outputs, '_summary.md'));
  return {
    ...{ how: 'read', task_id, folder: folder.root, state, at, calls, next_action, summary },
    failure: readFailure(folder),
  };
}
