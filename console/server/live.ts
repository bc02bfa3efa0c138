// Follows all changes for all streams at once: one watcher of the project, however many pages are open.

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { batchIds, openBatches } from '../../loops/batch/report.ts';
import { followNow } from '../../loops/report/follow-now.ts';
import type { RunsNow } from '../../loops/report/now.ts';
import { distillNames } from '../../state/distill/run-folder.ts';
import { createFolderWatch } from '../../state/folder-watch.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import { notesFolder } from '../../state/supervise/texts.ts';
import { projectState } from '../../state/task-folder.ts';
import type { ChangeTold, Topic } from '../contract/page.ts';
import type { ServedProject } from './project.ts';
import { openTaskLines } from './reads/task-lines.ts';

interface Live {
  /** Returns the running tasks as last seen. Waits for the first look, and throws its error. */
  now(): Promise<RunsNow>;
  lines: ReturnType<typeof openTaskLines>;
  /** Tells it to all pages. */
  tell: Tell;
  /** @returns the function that ends it. */
  listen(listener: Tell): () => void;
}

type Tell = (change: ChangeTold) => void;

/** The names that the page shows. */
type Followed = 'tasks' | 'folders';

const AGAIN_MS = 2000;

/** Follows the project until `stop` aborts. @param steps the states of the running tasks. */
export function follow(project: ServedProject, stop: AbortSignal, steps = followNow): Live {
  const listeners = new Set<Tell>();
  const tell: Tell = (change) => {
    for (const listener of listeners) listener(change);
  };
  const lines = openTaskLines(project, (change) => tell({ topic: 'tasks', change }));
  const troubles = new Map<Followed, string>();
  let last: RunsNow | null = null;
  let first = deferred();
  let isBegun = false;

  const standing = (): ChangeTold => ({ topic: '*', trouble: [...troubles.values()][0] ?? null });
  const isWell = (what: Followed) => {
    if (troubles.delete(what)) tell(standing());
  };
  const isBroken = (what: Followed, error: Error) => {
    const message = `${what} can't be followed: ${error.message}`;
    if (troubles.get(what) === message) return;
    troubles.set(what, message);
    tell(standing());
  };

  /** Reports an interruption, and starts the work again. */
  async function keepUp(what: Followed, work: () => Promise<void>): Promise<void> {
    while (!stop.aborted) {
      try {
        return await work();
      } catch (error) {
        isBroken(what, error as Error);
        if (what === 'tasks') {
          first.reject(error as Error);
          first = deferred();
        }
        await delay(AGAIN_MS, undefined, { signal: stop }).catch(() => {});
      }
    }
  }

  async function followTasks(): Promise<void> {
    const { cwd, environment, clock } = project;
    const places = { folder: path.join(projectState(cwd, environment), 'task'), named: null };
    let isFirst = true;
    for await (const step of steps({ places, environment, stop, clock })) {
      last = step.now;
      first.resolve();
      isWell('tasks');
      // At the first look, the changes since the rows were read also count: no later look would find them.
      const moved = isFirst ? await lines.behind(step.now.tasks) : step.moved;
      isFirst = false;
      if (moved.length === 0) continue;
      tell({ topic: 'now' });
      const change = await lines.renew(moved);
      if (change.lines.length + change.gone.length > 0) tell({ topic: 'tasks', change });
      for (const folder of moved) tell({ topic: 'task', id: path.basename(folder) });
    }
  }

  /** An answer was stored, or a run took it: the rows show whether a question still waits. */
  async function renewAnswers(): Promise<void> {
    const folders = lines.supervised();
    if (folders.length === 0) return;
    tell({ topic: 'tasks', change: await lines.renew(folders) });
    tell({ topic: 'now' });
    for (const folder of folders) tell({ topic: 'task', id: path.basename(folder) });
  }

  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    void keepUp('tasks', followTasks);
    void keepUp('folders', () =>
      followFolders(project, stop, { tell, isWell: () => isWell('folders'), lines, renewAnswers }),
    );
  }

  return {
    async now() {
      begin();
      await first.promise;
      return last!;
    },
    lines,
    tell,
    listen(listener) {
      listeners.add(listener);
      begin();
      if (troubles.size > 0) listener(standing());
      return () => listeners.delete(listener);
    },
  };
}

interface Deferred {
  promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/** A rejection is not an error if no caller waits for the promise. */
function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'>;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  return { promise, ...settle! };
}

/** A periodic look finds what no watch can see. */
const LOOK_MS = 5000;

interface FoldersFollowed {
  tell: Tell;
  isWell(): void;
  lines: ReturnType<typeof openTaskLines>;
  renewAnswers(): Promise<void>;
}

/** Follows what is outside the tasks: sessions, limits, books, and the user's answers. */
async function followFolders(
  { cwd, environment }: ServedProject,
  stop: AbortSignal,
  { tell, isWell, lines, renewAnswers }: FoldersFollowed,
): Promise<void> {
  const state = projectState(cwd, environment);
  const watch = createFolderWatch();
  let isFirst = true;
  let batches = '';
  const ended = new Set<string>();
  try {
    while (!stop.aborted) {
      const topics = topicsIn(state, cwd, environment);
      const notes = noteFolders(state, environment, lines.supervised());
      watch.keep(new Set([...topics.keys(), ...notes]));
      isWell();
      await watch.change(LOOK_MS, stop);
      const moved = watch.take();
      // A folder that is watched for the first time has not changed.
      if (!isFirst)
        for (const { topic, id } of distinct([...moved.keys()].flatMap((folder) => topics.get(folder) ?? [])))
          tell({ topic, id });
      if (notes.some((folder) => moved.has(folder))) await renewAnswers();
      const standing = await batchesNow(state, ended);
      if (!isFirst && standing !== batches) tell({ topic: 'batch' });
      batches = standing;
      isFirst = false;
    }
  } finally {
    watch.close();
  }
}

/** Returns the note folders of these tasks, and the parent folder, in which later ones are created. */
function noteFolders(state: string, environment: NodeJS.ProcessEnv, tasks: readonly string[]): string[] {
  const folders = tasks.map((root) => notesFolder(environment, state, { root }));
  return [...new Set(folders.flatMap((folder) => [folder, path.dirname(folder)]))];
}

/** The newest batch, and the batches without a report with their state: no file says that the process of one was killed. */
const batchesNow = async (state: string, ended: Set<string>): Promise<string> =>
  [batchIds(state).at(-1), ...(await openBatches(state, ended)).map((each) => `${each.batch_id} ${each.state}`)].join();

/** The folders of so many batches, the newest, are watched; the end of an older one is found by the periodic look. */
const OPEN_AT_MOST = 5;

interface TopicChange {
  topic: Topic;
  id: string | null;
}

function topicsIn(state: string, cwd: string, environment: NodeJS.ProcessEnv): Map<string, TopicChange> {
  const topics = new Map<string, TopicChange>([
    [path.join(state, 'state'), { topic: 'sessions', id: null }],
    [path.join(state, 'distill'), { topic: 'distill', id: null }],
    [path.join(state, 'batch'), { topic: 'batch', id: null }],
  ]);
  for (const id of batchIds(state).slice(-OPEN_AT_MOST))
    topics.set(path.join(state, 'batch', id), { topic: 'batch', id });
  const limits = limitsFiles(environment);
  if (limits !== null) topics.set(limits.folder, { topic: 'budgets', id: null });
  for (const id of distillNames(cwd, environment))
    for (const part of ['.', 'state', 'turns', 'wishes'])
      topics.set(path.join(state, 'distill', id, part), { topic: 'distill', id });
  return topics;
}

const distinct = (all: readonly TopicChange[]): TopicChange[] => [
  ...new Map(all.map((each) => [`${each.topic} ${each.id}`, each])).values(),
];
