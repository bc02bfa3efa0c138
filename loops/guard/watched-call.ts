// Announces a call to the runs of other tasks before it begins, and records the changes in other tasks when it is over.

import path from 'node:path';
import {
  type CallEntry,
  openCallFolder,
  type RegisteredWatch,
  removeCallEntry,
  vouch,
  writeCallEntry,
} from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { OpenTask } from '../task/task.ts';
import type { OtherTasks, UnseenCalls } from '../task/unseen-calls.ts';
import { lookAtJudged, namesOfTasks } from './folder-names.ts';
import type { KeptFiles } from './kept-files.ts';
import { noteChanges } from './note-changes.ts';
import { taskIds } from './other-tasks.ts';
import type { Tampered } from './put-back.ts';
import { saveJudge } from './saved-judge.ts';

interface WatchedCall {
  /** Returns the folder for copies; null if nothing can be written. */
  copies(): string | null;
  /**
   * From now on, the call counts as running.
   * @param prompt the file whose text is sent.
   */
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
  { task, stateFolder }: Pick<OpenTask, 'task' | 'stateFolder'>,
  { register, clock, ended, ...call }: Watching,
): WatchedCall {
  const notes: string[] = [];
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
        saveJudge(place, kept, prompt);
        // This happens before the call begins, so that a change in between does not count as the call's.
        return writeCallEntry(place, { ...about, ...call }, (ended?.others ?? othersNow)(stateFolder));
      });
    },
    end() {
      if (registered !== null && ended !== null)
        ended.add(register, { ...registered, to: clock().toISOString(), toNs: diskNow() });
      else {
        if (registered !== null)
          notes.push(...noteChanges(register, [{ ...registered, to: clock().toISOString(), toNs: null }]).values());
        if (folder !== null) removeCallEntry(folder);
      }
      return [...new Set(notes)];
    },
  };
}

function othersNow(stateFolder: string): OtherTasks {
  const tasks = taskIds(stateFolder);
  return { tasks, names: namesOfTasks(stateFolder, tasks) };
}

const NAMED = 3;

const unkeptWarning = (root: string, files: readonly string[]): string => {
  const names = files.slice(0, NAMED).map((file) => path.relative(root, file));
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return `too large to keep a copy (over 16 MiB each, or 64 MiB in all): ${names.join(', ')}${more}; a change is seen, but cannot be put back`;
};

/** Nanoseconds since 1970, rounded up: the disk's clock is behind ours, which drops fractions of a millisecond. */
const diskNow = (): bigint => BigInt(Date.now() + 1) * 1_000_000n;

/** Records the files that we put back, so that no call of another task is blamed for the change. */
export function vouchFor(register: string, { root }: OpenTask['task'], tampered: readonly Tampered[]): void {
  const own = tampered.filter(({ file }) => file.startsWith(root + path.sep));
  const files = new Set(own.flatMap(({ file }) => [file, path.dirname(file)]));
  const stamps = [...files].flatMap((file) => {
    const look = lookAtJudged(root, file);
    return look === null ? [] : [[path.relative(root, file), look.stamp] as const];
  });
  if (stamps.length === 0) return;
  try {
    vouch(register, root, Object.fromEntries(stamps));
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
