// Selects the tasks that may be archived: those that ended long enough ago and on which no process works.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { entriesIn } from '../../state/disk/folder.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { missingTask } from '../../state/missing-task.ts';
import { locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import { standingOf } from './standing.ts';

export interface ArchiveCandidate {
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
  | { how: 'chosen'; candidates: ArchiveCandidate[]; kept: { task_id: string; why: string }[] }
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
  return { how: 'chosen', candidates, kept };
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
    return located.how === 'located' ? [located.folder] : [];
  });
  return { how: 'found', tasks };
}

const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
