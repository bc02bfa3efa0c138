// Many tasks for a report, each read from its files, or from the index where they are as they were when it was read last.

import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { openTaskIndex } from '../../state/task-index.ts';
import { collectGarbage, keepYoungHeapSmall } from '../../wrappers/heap-limits.ts';
import { keptTask, textToKeep } from './kept-task.ts';
import { type ReadingTasks, readTask, restingAs, restingTask, type TaskReading } from './read-task.ts';
import type { TaskRow } from './task-row.ts';

const MANY = 10_000;
/** After so many there is as much garbage as of all else. */
const MANY_READ = 25_000;
/** As large as nearly every journal. */
const ROOM = 64 * 1024;

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
  const share = sharing();
  const room = Buffer.allocUnsafeSlow(ROOM);
  const ahead = names.length > MANY ? await readAhead(home, names, index?.isOld === true, reading) : null;
  try {
    for (const [place, name] of names.entries()) {
      const folder = stem + name;
      const seen = ahead?.at(place) ?? null;
      const text = index?.find(name, seen?.journal) ?? null;
      const kept = text === null ? null : keptTask(folder, text, reading);
      const told = seen?.rest ? restingAs(seen.rest, seen.journal!, reading) : null;
      const resting = kept ?? told ?? restingTask(folder, reading, room);
      const read = 'seen' in resting ? await readTask(folder, resting.seen, reading) : resting;
      if (kept === null && read.mark !== null) index?.keep(name, read.mark, textToKeep(read));
      if (read.row !== null) share(read.row);
      if (index?.isOld !== true && place % MANY_READ === MANY_READ - 1) collectGarbage();
      see(read, folder);
    }
    index?.save();
  } finally {
    ahead?.end();
    index?.close();
  }
}

/** null where it would be of no use: many wait for a processor, or what is shown is read whole, and more of it than another thread tells. */
async function readAhead(home: string, names: readonly string[], isKept: boolean, { isShown, now }: ReadingTasks) {
  if (loadavg()[0]! >= 2 * availableParallelism()) return null;
  if (!isKept && isShown({ state: 'done', at: now.toISOString() })) return null;
  const { startReadAhead } = await import('./read-ahead.ts');
  return startReadAhead(home, names, isKept ? 'looks' : 'rests');
}

/** Many tasks fail alike: what their rows have in common is held once. */
function sharing(): (row: TaskRow) => void {
  const known = new Map<string, string>();
  const shared = (text: string | null): string | null => {
    if (text === null) return null;
    const before = known.get(text);
    if (before === undefined) known.set(text, text);
    return before ?? text;
  };
  return (row) => {
    row.signature = shared(row.signature);
    row.evidence = shared(row.evidence);
    row.since = shared(row.since);
  };
}
