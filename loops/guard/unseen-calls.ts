// Shares one look at the other tasks between many calls of a batch; a look per call would cost the square of the tasks.

import { endCallEntry, removeCallEntry } from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { OtherTasks, UnseenCall, UnseenCalls } from '../task/unseen-calls.ts';
import { namesOfTasks } from './folder-names.ts';
import { noteChanges } from './note-changes.ts';
import { taskIds } from './other-tasks.ts';

interface SharedLook extends UnseenCalls {
  /**
   * Examines the remaining calls.
   * @returns what the user should know of all calls, each sentence with its call.
   */
  finish(): string[];
}

/** For each call, at most this many other tasks are examined, whatever their number. */
const TASKS_A_CALL = 8;
/** A look happens sooner if it costs little. `leastMs` is the minimum interval, `share` the maximum share of the time. */
const REST = { changes: { leastMs: 1_000, share: 0.02 }, names: { leastMs: 100, share: 0.02 } } as const;

/**
 * The entry of a call remains until the call has been examined. So the doors of all tasks know it, even after we are killed.
 * @param now milliseconds of a monotonic clock.
 */
export function openUnseenCalls(now = nowMs): SharedLook {
  const waiting = new Map<string, UnseenCall[]>();
  const reports: string[] = [];
  let count = 0;
  const looking = restingBetween(REST.changes, now);
  const look = () =>
    looking.spend(() => {
      for (const [register, calls] of waiting) {
        for (const [{ entry }, said] of noteChanges(register, calls))
          reports.push(`${entry.task_id}, ${entry.stage}: ${said}`);
        for (const { folder } of calls) removeCallEntry(folder);
      }
      waiting.clear();
      count = 0;
    });
  return {
    others: sharedOthers(now),
    add(register, call) {
      endEntry(call.folder);
      const those = waiting.get(register);
      if (those === undefined) waiting.set(register, [call]);
      else those.push(call);
      count += 1;
      if (count * TASKS_A_CALL >= call.entry.tasks.length || looking.isDue()) look();
    },
    finish() {
      look();
      return reports;
    },
  };
}

/** A new task may be incomplete. During this time, the names of all tasks are read for each call. */
const YOUNG_MS = 1_000;

/**
 * Reads the names again whenever a task was added or removed. Otherwise names are kept only briefly. A call that gets older names
 * does not detect a file that was added later and that the call removed.
 */
function sharedOthers(now: () => number): UnseenCalls['others'] {
  const looking = restingBetween(REST.names, now);
  const last = new Map<string, { others: OtherTasks; calls: number; oldFromMs: number }>();
  return (stateFolder) => {
    const tasks = taskIds(stateFolder);
    const before = last.get(stateFolder);
    const isSame =
      before !== undefined && (before.others.tasks === tasks || String(before.others.tasks) === String(tasks));
    const hasOthers = before !== undefined && !isSame;
    const oldFromMs = hasOthers ? now() + YOUNG_MS : (before?.oldFromMs ?? 0);
    if (isSame && before.calls * TASKS_A_CALL < tasks.length && !looking.isDue() && now() >= oldFromMs) {
      before.calls += 1;
      return before.others;
    }
    const names = looking.spend(() => namesOfTasks(stateFolder, tasks));
    const others = { tasks, names };
    last.set(stateFolder, { others, calls: 1, oldFromMs });
    return others;
  };
}

/** Limits repeated work: it pauses for at least `leastMs`, and long enough to take no more than `share` of the time. */
function restingBetween({ leastMs, share }: (typeof REST)[keyof typeof REST], now: () => number) {
  let next = 0;
  return {
    isDue: () => now() >= next,
    spend<T>(work: () => T): T {
      const began = now();
      const done = work();
      next = now() + Math.max(leastMs, (now() - began) / share);
      return done;
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
