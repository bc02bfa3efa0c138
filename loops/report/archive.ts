// Moves ended tasks to the archive, or deletes them; never touches a task that a process is working on.

import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolders } from '../../state/disk/folder.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { archiveBeside, archivedAs } from '../../state/missing-task.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { claim } from '../task/claim.ts';
import type { ArchiveCandidate } from './candidates.ts';

export interface Archiving {
  /** `.tmp/archive` of the project. */
  archive: string;
  what: 'archive' | 'delete';
  /** The private data of an archived task, kept for each call; it includes prompts. */
  attempts: 'keep' | 'drop';
  clock: () => Date;
}

export type Put =
  /** @param to the new place; null if the task was deleted. */
  { how: 'put'; task_id: string; from: string; to: string | null } | { how: 'left'; task_id: string; why: string };

/** Claims the task first, so that no run begins on it meanwhile. */
export async function putAway({ task, state }: ArchiveCandidate, archiving: Archiving): Promise<Put> {
  const keep = (why: string): Put => ({ how: 'left', task_id: task.id, why });
  const journal = openJournal(task.root, archiving.clock);
  const stop = new AbortController().signal;
  try {
    const claimed = await claim({ journal, whenTaken: 'refuse', stop, say: () => {} });
    if (claimed.how !== 'claimed') return keep('a run has just taken it');
    const aside = freeName(archiving.archive, task, archiving.clock());
    try {
      makeFolders(archiving.archive);
      renameSync(task.root, aside);
    } catch (error) {
      release(journal, claimed.runId, state);
      return keep(whyNot(error as NodeJS.ErrnoException, archiving.archive));
    }
    return finish(aside, claimed.runId, { task, state }, archiving);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { message } = error;
    return keep(`its state cannot be written (${message})`);
  }
}

/**
 * Restores the task of that id that was archived last.
 * @param tasks the folder of the project's tasks.
 */
export function restoreTask(id: string, tasks: string): Put {
  const keep = (why: string): Put => ({ how: 'left', task_id: id, why });
  const archive = archiveBeside(tasks);
  const from = archivedAs(id, archive);
  if (from === null) return keep(`${archive} has no task of that id`);
  const to = path.join(tasks, id);
  if (existsSync(to)) return keep(`there is a task at ${to}; move it away, or archive it first`);
  try {
    makeFolders(tasks);
    renameSync(from, to);
    return { how: 'put', task_id: id, from, to };
  } catch (error) {
    return keep(`it cannot be moved from ${from} (${(error as Error).message})`);
  }
}

/** Finishes after the task has been moved. If this fails, the task remains in the archive. */
function finish(aside: string, runId: string, { task, state }: ArchiveCandidate, archiving: Archiving): Put {
  const put = { how: 'put', task_id: task.id, from: task.root } as const;
  try {
    if (archiving.what === 'delete') {
      rmSync(aside, { recursive: true, force: true });
      return { ...put, to: null };
    }
    // Restores the state from before our claim, for a user who restores the task.
    release(openJournal(aside, archiving.clock), runId, state);
    if (archiving.attempts === 'drop') rmSync(path.join(aside, 'state', 'attempts'), { recursive: true, force: true });
    return { ...put, to: aside };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { message } = error;
    return { how: 'left', task_id: task.id, why: `it was moved to ${aside}, and there it went wrong: ${message}` };
  }
}

function release(journal: Journal, runId: string, state: ArchiveCandidate['state']): void {
  journal.append({ fact: 'released', run_id: runId, exit_code: state === 'done' ? 0 : 1, state });
}

function freeName(archive: string, task: TaskFolder, at: Date): string {
  const time = at.toISOString().replace(/\D/g, '');
  const name = path.join(archive, `${task.id}-${time.slice(0, 8)}-${time.slice(8, 14)}`);
  return existsSync(name) ? `${name}-${randomUUID().slice(0, 8)}` : name;
}

function whyNot({ code, message }: NodeJS.ErrnoException, archive: string): string {
  if (code === 'EXDEV') return `it is on another disk than ${archive}; move it by hand`;
  return `it cannot be moved to ${archive} (${message})`;
}
