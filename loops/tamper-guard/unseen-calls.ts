// In a batch one look over the other tasks serves many calls: one for each would cost the square of the tasks.

import { endCallEntry, removeCallEntry } from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { UnseenCall, UnseenCalls } from '../task/unseen-calls.ts';
import { noteChanges } from './note-changes.ts';

interface SharedLook extends UnseenCalls {
  /** Looks at what is left. @returns what a person should know of all of them, each sentence with its call. */
  finish(): string[];
}

/** So much of the time at most goes into looking. */
const SHARE = 0.1;

/** Until a call has been looked at its entry stays, so that the doors of all tasks know it, also once we are killed. */
export function openUnseenCalls(): SharedLook {
  const waiting = new Map<string, UnseenCall[]>();
  const told: string[] = [];
  let next = 0;
  const look = () => {
    const began = nowMs();
    for (const [register, calls] of waiting) {
      for (const [{ entry }, said] of noteChanges(register, calls))
        told.push(`${entry.task_id}, ${entry.stage}: ${said}`);
      for (const { folder } of calls) removeCallEntry(folder);
    }
    waiting.clear();
    next = nowMs() + (nowMs() - began) / SHARE;
  };
  return {
    add(register, call) {
      endEntry(call.folder);
      waiting.set(register, [...(waiting.get(register) ?? []), call]);
      if (nowMs() >= next) look();
    },
    finish() {
      look();
      return told;
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
