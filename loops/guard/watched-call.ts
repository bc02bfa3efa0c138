// Announces a call to the runs of other tasks before it begins, and records the changes in other tasks when it is over.

import path from 'node:path';
import { firstNames } from '../../policies/text/display.ts';
import {
  type CallEntry,
  endCallEntry,
  openCallFolder,
  type RegisteredWatch,
  removeCallEntry,
  writeCallEntry,
} from '../../state/calls/judge-register.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { OtherTasks, UnseenCall, UnseenCalls } from '../task/run-context.ts';
import { type KeptFiles, saveKept } from './kept-files.ts';
import { namesOfTasks, noteChanges } from './other-tasks.ts';

interface WatchedCall {
  /** Returns the folder for copies; null if nothing can be written. */
  copies(): string | null;
  /** From now on, the call counts as running. @param prompt the file whose text is sent. */
  begin(kept: KeptFiles, prompt?: string): void;
  /** @returns notes for a reader of the call's record. */
  end(): string[];
}

interface Watching extends Pick<CallEntry, 'stage' | 'call_id' | 'dispatcher' | 'until'> {
  register: string;
  clock: () => Date;
  /** null: each call is examined when it ends. */
  ended: UnseenCalls | null;
}

/** Writes nothing yet. A later failure to write becomes a note of `end` and never throws. */
export function watchCall(
  { task, stateFolder }: { task: TaskFolder; stateFolder: string },
  { register, clock, ended, ...call }: Watching,
): WatchedCall {
  const notes: string[] = [];
  const unseen = ended ?? SEEN_AT_ONCE;
  let folder: string | null = null;
  let registered: RegisteredWatch | null = null;
  const copies = () => {
    folder ??= tried(() => openCallFolder(register, call.call_id));
    return folder;
  };
  const tried = <T>(write: () => T): T | null => {
    try {
      return write();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      notes.push(`${register} cannot be written (${error.message}): what the call changes in other tasks is not seen`);
      return null;
    }
  };
  return {
    copies,
    begin(kept, prompt) {
      const place = copies();
      if (kept.unkept.length > 0) notes.push(unkeptWarning(task.root, kept.unkept));
      if (place === null) return;
      const about = { task: task.root, task_id: task.id, state_folder: stateFolder };
      registered = tried(() => {
        saveKept(place, kept, prompt);
        // This happens before the call begins, so that a change in between does not count as the call's.
        return writeCallEntry(place, { ...about, ...call }, unseen.others(stateFolder));
      });
    },
    end() {
      if (registered !== null)
        notes.push(...unseen.add(register, { ...registered, to: clock().toISOString(), toNs: diskNow() }));
      else if (folder !== null) removeCallEntry(folder);
      return [...new Set(notes)];
    },
  };
}

const unkeptWarning = (root: string, files: readonly string[]): string =>
  `too large to keep a copy (over 16 MiB each, or 64 MiB in all): ${firstNames(
    files.map((file) => path.relative(root, file)),
    3,
  )}; a change is seen, but cannot be put back`;

/** Nanoseconds since 1970, rounded up: the disk's clock is behind ours, which drops fractions of a millisecond. */
const diskNow = (): bigint => BigInt(Date.now() + 1) * 1_000_000n;

const SEEN_AT_ONCE: UnseenCalls = {
  others: (stateFolder) => othersOf(stateFolder, taskIds(stateFolder)),
  add(register, call) {
    const notes = noteChanges(register, [call]).values();
    removeCallEntry(call.folder);
    return [...notes];
  },
};

const taskIds = (stateFolder: string): string[] => namesIfAny(path.join(stateFolder, 'task'));

const othersOf = (stateFolder: string, tasks: string[]): OtherTasks => ({
  tasks,
  names: namesOfTasks(stateFolder, tasks),
});

interface SharedLook extends UnseenCalls {
  /** Examines the remaining calls. @returns what the user should know of all calls, each sentence with its call. */
  finish(): string[];
}

/** For each call, at most this many other tasks are examined, whatever their number. */
const TASKS_A_CALL = 8;
/** The least time between two looks, in milliseconds. A look may take at most this share of the time. */
const REST_MS = { changes: 1_000, names: 100 } as const;
const SHARE = 0.02;

/**
 * Shares one look at the other tasks between many calls of a batch; a look per call would cost the square of the tasks. The entry
 * of a call remains until the call has been examined. So the runs of all tasks know it, even after we are killed.
 * @param now milliseconds of a monotonic clock.
 */
export function openUnseenCalls(now = nowMs): SharedLook {
  const waiting = new Map<string, UnseenCall[]>();
  const reports: string[] = [];
  let count = 0;
  const looking = restingBetween(REST_MS.changes, now);
  const look = () =>
    looking.spend(() => {
      for (const [register, calls] of waiting) {
        for (const [{ entry }, sentence] of noteChanges(register, calls))
          reports.push(`${entry.task_id}, ${entry.stage}: ${sentence}`);
        for (const { folder } of calls) removeCallEntry(folder);
      }
      waiting.clear();
      count = 0;
    });
  return {
    others: sharedOthers(now),
    add(register, call) {
      endEntry(call.folder);
      waiting.set(register, [...(waiting.get(register) ?? []), call]);
      count += 1;
      if (count * TASKS_A_CALL >= call.entry.tasks.length || looking.isDue()) look();
      return [];
    },
    finish() {
      look();
      return reports;
    },
  };
}

/** If the register cannot be written, it only keeps more than it needs. */
function endEntry(folder: string): void {
  try {
    endCallEntry(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** A new task may be incomplete. During this time, the names of all tasks are read for each call. */
const YOUNG_MS = 1_000;

/**
 * Reads the names again whenever a task was added or removed. Otherwise names are kept only briefly. A call that gets older names
 * does not detect a file that was added later and that the call removed.
 */
function sharedOthers(now: () => number): UnseenCalls['others'] {
  const looking = restingBetween(REST_MS.names, now);
  const last = new Map<string, { others: OtherTasks; calls: number; oldFromMs: number }>();
  return (stateFolder) => {
    const tasks = taskIds(stateFolder);
    const before = last.get(stateFolder);
    const isSame = before !== undefined && String(before.others.tasks) === String(tasks);
    const oldFromMs = before !== undefined && !isSame ? now() + YOUNG_MS : (before?.oldFromMs ?? 0);
    if (isSame && before.calls * TASKS_A_CALL < tasks.length && !looking.isDue() && now() >= oldFromMs) {
      before.calls += 1;
      return before.others;
    }
    const others = looking.spend(() => othersOf(stateFolder, tasks));
    last.set(stateFolder, { others, calls: 1, oldFromMs });
    return others;
  };
}

/** Limits repeated work: it pauses for at least `leastMs`, and long enough to take no more than its share of the time. */
function restingBetween(leastMs: number, now: () => number) {
  let next = 0;
  return {
    isDue: () => now() >= next,
    spend<T>(work: () => T): T {
      const began = now();
      const done = work();
      next = now() + Math.max(leastMs, (now() - began) / SHARE);
      return done;
    },
  };
}
