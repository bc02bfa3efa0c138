// One task for a report: of one that rests, and is not to be shown, its journal alone is opened.

import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isClosed, kindOf, type LookedAtBytes } from '../../state/disk/regular-file.ts';
import { foldSeen, journalOf, seeJournal } from '../../state/journal/journal.ts';
import { checkTaskRoot } from '../../state/task-folder.ts';
import { type KeptLook, markOf } from '../../state/task-index.ts';
import { JOURNAL_PARTS, type Seen, seeRest } from './seen-rest.ts';
import { type RowReading, type RowStanding, readRow, type TaskRow } from './task-row.ts';

export interface TaskReading {
  /** null where nothing but `problem` can be said. */
  standing: RowStanding | null;
  /** null for one that is not shown. */
  row: TaskRow | null;
  /** What cannot be read, and why. */
  problem: string | null;
  /** By which it is seen that what was read has changed; null for what is not to be kept. */
  mark: string | null;
}

export interface ReadingTasks extends RowReading {
  self: ProcessIdentity;
  environment: NodeJS.ProcessEnv;
  now: Date;
}

/** What its journal says of a task that rests; else what was seen of it. @param room for its bytes: then they are good until the next task is looked at. */
export function restingTask(folder: string, reading: ReadingTasks, room?: Buffer): TaskReading | { seen: Seen } {
  const { rest, seen } = seeRest(folder, room);
  return (rest === null ? null : restingAs(rest, seen.look, reading)) ?? { seen };
}

/** null where more of it is to be shown. */
export function restingAs({ state, at }: RowStanding, journal: KeptLook, reading: ReadingTasks): TaskReading | null {
  const standing = { state, at };
  if (reading.isShown(standing)) return null;
  return { standing, row: null, problem: null, mark: markOf(journal, 'unread', reading.now) };
}

export async function readTask(folder: string, seen: Seen, reading: ReadingTasks): Promise<TaskReading> {
  const nothing = { standing: null, row: null, mark: null };
  const wasFound = seen !== null && seen !== 'unread';
  if (!wasFound && !isTask(folder)) return { ...nothing, problem: null };
  // Of one whose journal was seen its folder was looked at before.
  const mistake = seen === 'unread' ? checkTaskRoot(folder, JOURNAL_PARTS) : null;
  if (mistake !== null) return { ...nothing, problem: mistake };
  const file = journalOf(folder);
  let journal: LookedAtBytes | null = null;
  const fold = () => {
    journal = seen === 'unread' ? seeJournal(file) : seen;
    return foldSeen(file, journal?.bytes ?? Buffer.alloc(0));
  };
  const place = { id: path.basename(folder), root: folder, state: path.dirname(file) };
  const read = await readRow(place, fold, reading.self, reading.environment, reading);
  if (read.how === 'unreadable') return { ...nothing, problem: read.message };
  const { standing, row, problem, isSettled, failureLook } = read;
  const look = (journal as LookedAtBytes | null)?.look ?? null;
  const mark = isSettled && problem === null ? markOf(look, failureLook, reading.now) : null;
  return { standing, row, problem, mark };
}

const TASK_FILES = ['state/journal.jsonl', 'manifest.yaml', 'manifest.json', 'manifest.yml'];

export const isTask = (folder: string): boolean =>
  TASK_FILES.some((name) => kindOf(path.join(folder, name)) !== null) || isClosed(folder);
