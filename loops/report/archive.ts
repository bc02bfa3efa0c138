// Archives, deletes and restores tasks that have ended, and reports of batches; never a task on which a process works.

import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type NextAction, toType } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { shellWord } from '../../policies/text/display.ts';
import { entriesIn, makeFolders } from '../../state/disk/folder.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { archiveBeside, archivedAs, missingTask } from '../../state/missing-task.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import { branchOf, worktreeOf } from '../run/worktree.ts';
import { claim } from '../task/claim.ts';
import { rootOf } from '../task/task.ts';
import { standingOf } from './task-state.ts';

interface ArchiveCandidate {
  task: TaskFolder;
  state: 'done' | 'failed' | 'interrupted' | 'parked';
}

interface WantedTasks {
  /** Ids or paths; empty for all tasks of the project. */
  words: readonly string[];
  /** Selects only tasks that ended before this time; null for any time. */
  before: Date | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

type Chosen =
  | { how: 'found'; candidates: ArchiveCandidate[]; kept: { task_id: string; why: string }[] }
  | { how: 'invalid'; message: string };

/** For all tasks, silently skips those that are too recent or were never run. For named tasks, it reports these too. */
export async function chooseTasks(wanted: WantedTasks, self: ProcessIdentity): Promise<Chosen> {
  const named = wanted.words.length > 0;
  const found = named ? namedTasks(wanted) : allTasks(wanted);
  if (found.how === 'invalid') return found;
  const candidates: ArchiveCandidate[] = [];
  const kept: { task_id: string; why: string }[] = [];
  for (const task of found.tasks) {
    const judged = await judge(task, wanted.before, self);
    if (judged.how === 'ended') candidates.push({ task, state: judged.state });
    else if (named || judged.how === 'held') kept.push({ task_id: task.id, why: judged.why });
  }
  return { how: 'found', candidates, kept };
}

type Judged = { how: 'ended'; state: ArchiveCandidate['state'] } | { how: 'held' | 'kept'; why: string };

async function judge(task: TaskFolder, before: Date | null, self: ProcessIdentity): Promise<Judged> {
  try {
    const { ledger } = openJournal(task.root, () => new Date()).read();
    const { before: state, at, held } = await standingOf(ledger, self);
    if (before !== null && at !== null && at >= before.toISOString())
      return { how: 'kept', why: `the last thing happened at ${at}, which is not long enough ago` };
    if (held !== null) return { how: 'held', why: held };
    const [open] = openCalls(ledger);
    if (open !== undefined)
      return {
        how: 'held',
        why: `a call of ${open.reserved.stage} was begun and never settled; tollgate run ${task.id} settles it`,
      };
    if (state === 'never_run' || state === 'running') return { how: 'kept', why: 'it was never run' };
    return { how: 'ended', state };
  } catch (error) {
    return { how: 'held', why: `its state cannot be read: ${(error as Error).message}` };
  }
}

type Found = { how: 'found'; tasks: TaskFolder[] } | { how: 'invalid'; message: string };

function namedTasks({ words, cwd, environment }: WantedTasks): Found {
  const tasks = new Map<string, TaskFolder>();
  for (const word of words) {
    const located = locateTask(word, cwd, environment);
    if (located.how === 'invalid') return located;
    const { folder } = located;
    if (folder.manifest === null && !existsSync(path.join(folder.state, 'journal.jsonl')))
      return { how: 'invalid', message: `${missingTask(folder.root)}; nothing was done` };
    tasks.set(folder.root, folder);
  }
  return { how: 'found', tasks: [...tasks.values()] };
}

function allTasks({ cwd, environment }: WantedTasks): Found {
  const folder = path.join(projectState(cwd, environment), 'task');
  const tasks = foldersIn(folder).flatMap((name) => {
    const located = locateTask(`${path.join(folder, name)}/`, cwd, environment);
    return located.how === 'found' ? [located.folder] : [];
  });
  return { how: 'found', tasks };
}

const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

interface Archiving {
  /** `.tmp/archive` of the project. */
  archive: string;
  what: 'archive' | 'delete';
  /** The private data of an archived task, kept for each call; it includes prompts. */
  attempts: 'keep' | 'drop';
  clock: () => Date;
}

type Put =
  /** @param to the new place; null if the task was deleted. */
  { how: 'put'; task_id: string; from: string; to: string | null } | { how: 'left'; task_id: string; why: string };

/** Claims the task first, so that no run begins on it meanwhile. */
export async function putAway({ task, state }: ArchiveCandidate, archiving: Archiving): Promise<Put> {
  const keep = (why: string): Put => ({ how: 'left', task_id: task.id, why });
  const journal = openJournal(task.root, archiving.clock);
  const stop = new AbortController().signal;
  try {
    const claimed = await claim({ journal, whenTaken: 'refuse', stop, say: () => {} });
    if (claimed.how !== 'done') return keep('a run has just taken it');
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

/** Restores the task of that id that was archived last. @param tasks the folder of the project's tasks. */
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

type PutBatch =
  /** @param to the new place; null if the report was deleted. */
  { how: 'put'; batch_id: string; from: string; to: string | null } | { how: 'left'; batch_id: string; why: string };

/** Returns the ids of the batches whose last report is older than `before`. @param state the project's `.tmp`. */
export function oldBatches(state: string, before: Date): string[] {
  const folder = path.join(state, 'batch');
  return foldersIn(folder)
    .filter((name) => (lookAt(path.join(folder, name))?.mtimeMs ?? Infinity) < before.getTime())
    .sort();
}

/** Moves or deletes the report of one batch. Returns an error of the disk as a result with its reason. */
export function putBatchAway(batch_id: string, state: string, { archive, what }: Archiving): PutBatch {
  const from = path.join(state, 'batch', batch_id);
  try {
    if (what === 'delete') {
      rmSync(from, { recursive: true, force: true });
      return { how: 'put', batch_id, from, to: null };
    }
    const to = path.join(archive, 'batch', batch_id);
    makeFolders(path.dirname(to));
    renameSync(from, to);
    return { how: 'put', batch_id, from, to };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'left', batch_id, why: `it cannot be put away (${error.message})` };
  }
}

interface LeftWorktree {
  folder: string;
  branch: string;
  /** git refuses each command as long as work could be lost. */
  next_actions: NextAction[];
}

/**
 * Returns the worktree of an archived task and the commands that remove it; null if the task has none. Only the user removes it,
 * because it may contain work that was not merged yet.
 */
export function leftWorktree(task: TaskFolder, cwd: string, environment: NodeJS.ProcessEnv): LeftWorktree | null {
  const root = rootOf(task, cwd, environment);
  const folder = worktreeOf(projectState(root, environment), task.id);
  if (!existsSync(path.join(folder, '.git'))) return null;
  const branch = branchOf(task.id);
  const git = `git -C ${shellWord(root)}`;
  return {
    folder,
    branch,
    next_actions: [
      toType('remove the worktree', `${git} worktree remove ${shellWord(folder)}`),
      toType('delete its branch', `${git} branch -d ${branch}`),
    ],
  };
}
