// Defines what a client may read of a task: the summary of its last run, and the record of its last failure.

import path from 'node:path';
import { visible } from '../../../policies/text/display.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { isRegular, readRegularOrNull } from '../../../state/disk/regular-file.ts';
import { locateTask, projectState } from '../../../state/task-folder.ts';

interface TaskFile {
  name: string;
  uri: string;
  title: string;
  mimeType: string;
  /** The ids of tasks that have the file. */
  list(): string[];
  /** Throws a sentence if there is none. */
  read(task: string): string;
}

export const RESOURCES: readonly TaskFile[] = [
  taskFile('summary', 'The summary', 'text/markdown', 'outputs/_summary.md'),
  taskFile('failure', 'The failure record', 'application/json', 'state/last_failure.json'),
];

function taskFile(name: string, title: string, mimeType: string, file: string): TaskFile {
  return {
    ...{ name, uri: `tollgate://task/{task}/${name}`, title, mimeType },
    list: () =>
      tasks()
        .filter((task) => isRegular(path.join(tasksFolder(), task, file)))
        .slice(0, MOST_LISTED),
    read(task) {
      const located = task.includes('/') ? null : locateTask(task, process.cwd(), process.env);
      if (located?.how !== 'located') throw new Error(`"${task}" is not a task id`);
      const text = readRegularOrNull(path.join(located.folder.root, file));
      if (text === null)
        throw new Error(`the task ${task} has no ${file}; the tool status tells which tasks there are`);
      // The file was written without secrets. A second redaction would mistake a signature for a secret.
      return visible(text);
    },
  };
}

/** A project may have 100,000 tasks; the template reads any of them. */
const MOST_LISTED = 200;

export const tasksFolder = (): string => path.join(projectState(process.cwd(), process.env), 'task');

const tasks = (): string[] => namesIfAny(tasksFolder()).sort();
