// In a batch one look over the other tasks serves many calls: one for each would cost the square of the tasks.

import { endCallEntry, removeCallEntry } from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { OtherTasks, UnseenCall, UnseenCalls } from '../task/unseen-calls.ts';
import { namesOfTasks } from './folder-names.ts';
import { noteChanges } from './note-changes.ts';
import { taskIds } from './other-tasks.ts';

interface SharedLook extends UnseenCalls {
  /** Looks at what is left. @returns what a person should know of all of them, each sentence with its call. */
  finish(): string[];
}

/** So many other tasks at most are looked at for each call, however many there are. */
const TASKS_A_CALL = 8;
/** But sooner where nobody feels it: what is younger is not looked at again, nor what would take more of the time. */
const REST = { changes: { leastMs: 1_000, share: 0.02 }, names: { leastMs: 100, share: 0.02 } } as const;

/**
 * Until a call has been looked at its entry stays, so that the doors of all tasks know it, also once we are killed.
 * @param now milliseconds of a clock that is never set.
 */
export function openUnseenCalls(now = nowMs): SharedLook {
  const waiting = new Map<string, UnseenCall[]>();
  const told: string[] = [];
  let count = 0;
  const looking = restingBetween(REST.changes, now);
  const look = () =>
    looking.spend(() => {
      for (const [register, calls] of waiting) {
        for (const [{ entry }, said] of noteChanges(register, calls))
          told.push(`${entry.task_id}, ${entry.stage}: ${said}`);
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
      return told;
    },
  };
}

/** One that has just come may be half made: for so long the names of all are read for each call. */
const YOUNG_MS = 1_000;

/**
 * Anew whenever a task was added or taken away. To a call that finds the names of a moment ago, what came since into a
 * folder that was there, and was taken away by the call, is nothing new: they are kept for moments only.
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

/** What is done again and again rests so long at least, and for as long as keeps it within that share of the time. */
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

/** A register that cannot be written holds more than it need. */
function endEntry(folder: string): void {
  try {
    endCallEntry(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
