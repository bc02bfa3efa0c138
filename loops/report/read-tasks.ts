// Many tasks for a report, each read from its files, or from the index where they are as they were when it was read last.

import path from 'node:path';
import { openTaskIndex } from '../../state/task-index.ts';
import { keepYoungHeapSmall } from '../../wrappers/heap-limits.ts';
import { keptTask, textToKeep } from './kept-task.ts';
import { type ReadingTasks, readTask, restingTask, type TaskReading } from './read-task.ts';

const MANY = 10_000;

/** `see` is called for each in the order of the names, which is that of their bytes; with nothing but nulls for what is no task. */
export async function readTasks(
  home: string,
  names: readonly string[],
  reading: ReadingTasks,
  see: (read: TaskReading, folder: string) => void,
): Promise<void> {
  // What is read of each is garbage at once.
  if (names.length > MANY) keepYoungHeapSmall();
  const index = openTaskIndex(home, names.length, reading.environment);
  const stem = path.join(home, path.sep);
  for (const name of names) {
    const folder = stem + name;
    const text = index?.find(name) ?? null;
    const kept = text === null ? null : keptTask(folder, text, reading);
    const resting = kept ?? restingTask(folder, reading);
    const read = 'seen' in resting ? await readTask(folder, resting.seen, reading) : resting;
    if (kept === null && read.mark !== null) index?.keep(name, read.mark, textToKeep(read));
    see(read, folder);
  }
  index?.save();
}
