// Finds the task whose session was saved, by the id of either session or by its own name.

import path from 'node:path';
import { type SessionSave, saveMistake } from '../../policies/supervise/session-save.ts';
import { namesIn } from '../../state/disk/folder.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import { locateTask, projectState } from '../../state/task-folder.ts';
import { saveFileOf } from './save.ts';

type FoundSaved = { how: 'found'; word: string } | { how: 'invalid'; message: string };

export async function findSaved(id: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<FoundSaved> {
  const named = locateTask(id, cwd, environment);
  if (named.how === 'located' && named.folder.manifest !== null) return { how: 'found', word: id };
  const state = projectState(cwd, environment);
  const tasks = namesIn(path.join(state, 'task')).filter((name) => sessionsOf(name, cwd, environment).includes(id));
  if (tasks.length === 1) return { how: 'found', word: tasks[0]! };
  const message =
    tasks.length > 1
      ? `the session ${id} was saved by several tasks (${tasks.join(', ')}); name the one to go on with`
      : `no task of ${path.dirname(state)} has the saved session "${id}", nor that name; tollgate report lists the tasks`;
  return { how: 'invalid', message };
}

const MAX_BYTES = 64 * 1024 * 1024;

function sessionsOf(name: string, cwd: string, environment: NodeJS.ProcessEnv): string[] {
  const located = locateTask(name, cwd, environment);
  const text = located.how === 'located' ? readIfFit(saveFileOf(located.folder), MAX_BYTES) : null;
  if (text === null) return [];
  try {
    const save = JSON.parse(text) as SessionSave;
    if (saveMistake(save) !== null) return [];
    return [save.sessions.worker?.session_id, save.sessions.reasoner?.session_id].filter((one) => one !== null);
  } catch {
    return [];
  }
}
