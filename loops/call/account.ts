// Which task's budget a call of a caller's own may charge: one that is there, or a new one that was asked for by name.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { nearest } from '../../policies/text/nearest.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { checkTaskId, type TaskFolder } from '../../state/task-folder.ts';
import { realPlace } from '../attempt/output-paths.ts';

/**
 * A mistyped id would open another account of ten paid calls. @param tasks the folder of the project's tasks.
 * @returns why nothing may be charged to it, and the way out; or null.
 */
export function accountMistake(task: TaskFolder, asked: 'existing' | 'new', tasks: string): string | null {
  if (task.manifest !== null || existsSync(path.join(task.state, 'journal.jsonl'))) return null;
  const { id, root } = task;
  const isInPlace = path.dirname(realPlace(root)) === path.dirname(realPlace(path.join(tasks, id)));
  if (asked === 'new' && isInPlace) return null;
  if (!isInPlace)
    return `${root} is no task (it has neither a manifest nor a journal), and a new one is opened only in ${tasks}; make it one: tollgate init ${root}/`;
  const near = nearest(
    id,
    tasksIn(tasks).filter((name) => name !== id),
  );
  const meant = near === null ? '.' : `; did you mean ${near}?`;
  return `there is no task ${id} in ${tasks}${meant} To open an account of 10 paid calls under that name: --new-task; to write a manifest: tollgate init ${id}`;
}

const tasksIn = (folder: string): string[] => namesIfAny(folder).filter((name) => checkTaskId(name) === null);
