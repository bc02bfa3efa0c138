// A call as the runs of other tasks know it: announced before it begins, and what was changed in other tasks meanwhile is noted when it is over.

import path from 'node:path';
import {
  type CallEntry,
  namesIn,
  noteChange,
  openCallFolder,
  type RegisteredWatch,
  removeCallEntry,
  vouch,
  vouchedIn,
  writeCallEntry,
} from '../../state/calls/judge-register.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { OpenTask } from '../task/task.ts';
import { lookAtJudged, namesOfTasks } from './folder-names.ts';
import type { KeptFiles } from './kept-files.ts';
import { changedIn, taskIds } from './other-tasks.ts';
import type { Tampered } from './put-back.ts';
import { saveJudge } from './saved-judge.ts';
import { hasYounger } from './younger-files.ts';

interface WatchedCall {
  /** Where copies are put; null where nothing can be written. */
  copies(): string | null;
  /** From now on it counts as one that runs. */
  begin(kept: KeptFiles): void;
  /** @returns what a reader of the call's record should know. */
  end(): string[];
}

interface Watching extends Pick<CallEntry, 'stage' | 'call_id' | 'dispatcher' | 'until'> {
  register: string;
  clock: () => Date;
}

/** Writes nothing yet. What cannot be written later is a note of `end`, never a throw. */
export function watchCall(
  { task, stateFolder }: Pick<OpenTask, 'task' | 'stateFolder'>,
  { register, clock, ...call }: Watching,
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
    begin(kept) {
      const place = copies();
      if (kept.unkept.length > 0) notes.push(unkeptWarning(task.root, kept.unkept));
      if (place === null) return;
      const tasks = taskIds(stateFolder);
      const about = { task: task.root, task_id: task.id, state_folder: stateFolder, tasks };
      registered = tried(() => {
        saveJudge(place, kept);
        // Before the call begins: what changes between the two is no change of the call.
        const names = namesOfTasks(stateFolder, tasks);
        return writeCallEntry(place, { ...about, ...call, names });
      });
    },
    end() {
      if (registered !== null) notes.push(...noteChanges(register, registered, clock().toISOString(), null));
      if (folder !== null) removeCallEntry(folder);
      return [...new Set(notes)];
    },
  };
}

const NAMED = 3;

const unkeptWarning = (root: string, files: readonly string[]): string => {
  const names = files.slice(0, NAMED).map((file) => path.relative(root, file));
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return `too large to keep a copy (over 16 MiB each, or 64 MiB in all): ${names.join(', ')}${more}; a change is seen, but cannot be put back`;
};

/**
 * Of each task that was there when the call began.
 * @param toNs when it was over; null for now.
 */
export function noteChanges(
  register: string,
  { entry, beganNs }: RegisteredWatch,
  to: string | null,
  toNs: bigint | null,
): string[] {
  const { task, task_id, stage, call_id, state_folder, tasks } = entry;
  const by = { task_id, stage, call_id, from: new Date(Number(beganNs / 1_000_000n)).toISOString(), to };
  const changed = tasks.flatMap((id) => {
    const root = path.join(state_folder, 'task', id);
    if (root === task || !hasYounger(root, Number(beganNs / 1_000_000n))) return [];
    const span = { fromNs: beganNs, toNs };
    const files = changedIn(root, span, { vouched: vouchedIn(register, root), names: namesIn(entry, id) });
    if (files.length === 0) return [];
    noteChange(register, { task: root, by, files });
    return [`${id} (${files.slice(0, NAMED).join(', ')})`];
  });
  if (changed.length === 0) return [];
  return [
    `files that other tasks are judged by were changed while this call ran: ${changed.slice(0, NAMED).join('; ')}; a run of such a task stops and says so`,
  ];
}

/** What we put back was changed by us: no call of another task is to blame. */
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
