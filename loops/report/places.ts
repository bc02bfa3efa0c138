// Finds the tasks to follow: the named ones, or all that a folder holds now and later.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isFolder } from '../../state/disk/regular-file.ts';
import { missingTask } from '../../state/missing-task.ts';
import { locateTask, projectState, TASK_ID } from '../../state/task-folder.ts';

export interface NowPlaces {
  /** The folder that holds the tasks. */
  folder: string;
  /** The folder of each named task; null for all. */
  named: string[] | null;
}

/** @param words tasks, each an id or a path; none for all of the project of `cwd`. */
export function placesOf(
  words: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): { how: 'found'; places: NowPlaces } | { how: 'invalid'; message: string } {
  const folder = path.join(projectState(cwd, environment), 'task');
  if (words.length === 0) return { how: 'found', places: { folder, named: null } };
  const named = new Set<string>();
  for (const word of words) {
    const located = locateTask(word, cwd, environment);
    if (located.how === 'invalid') return located;
    const { root } = located.folder;
    if (!isFolder(root)) return { how: 'invalid', message: missingTask(root) };
    named.add(root);
  }
  const [first] = named;
  return { how: 'found', places: { folder: path.dirname(first!), named: [...named] } };
}

export function foldersOf({ folder, named }: NowPlaces): string[] {
  if (named !== null) return named;
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && TASK_ID.test(entry.name))
      .map(({ name }) => path.join(folder, name));
  } catch {
    // The folder is gone or not made yet, so it has no tasks.
    return [];
  }
}
