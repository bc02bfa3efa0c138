// What changes, for all streams at once: one watcher of the project, however many pages look on.

import path from 'node:path';
import { createFolderWatch } from '../../loops/now/folder-watch.ts';
import { followNow } from '../../loops/now/follow-now.ts';
import type { RunsNow } from '../../loops/now/now.ts';
import { distillNames } from '../../state/distill/run-folder.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import { projectState } from '../../state/task-folder.ts';
import type { ChangeTold, Topic } from '../contract/page.ts';
import type { ServedProject } from './project.ts';
import { openTaskLines, type TaskLines } from './reads/task-lines.ts';

export interface Live {
  /** What runs, as it was seen last; waits for the first look. */
  now(): Promise<RunsNow>;
  lines: TaskLines;
  /** @returns what ends it. */
  listen(listener: (change: ChangeTold) => void): () => void;
}

/** Until `stop` aborts. */
export function follow(project: ServedProject, stop: AbortSignal): Live {
  const listeners = new Set<(change: ChangeTold) => void>();
  const tell = (change: ChangeTold) => {
    for (const listener of listeners) listener(change);
  };
  const lines = openTaskLines(project, (change) => tell({ topic: 'tasks', change }));
  let last: RunsNow | null = null;
  let first: Promise<void> | null = null;

  async function followTasks(isThere: () => void): Promise<void> {
    const { cwd, environment, clock } = project;
    const places = { folder: path.join(projectState(cwd, environment), 'task'), named: null };
    for await (const step of followNow({ places, environment, stop, clock })) {
      const isFirst = last === null;
      last = step.now;
      isThere();
      // At the first look, what changed since the rows were read: no later look would find it changed.
      const moved = isFirst ? await lines.behind(step.now.tasks) : step.moved;
      if (moved.length === 0) continue;
      tell({ topic: 'now' });
      const change = await lines.renew(moved);
      if (change.lines.length + change.gone.length > 0) tell({ topic: 'tasks', change });
      for (const folder of moved) tell({ topic: 'task', id: path.basename(folder) });
    }
  }

  const begin = () =>
    (first ??= new Promise<void>((resolve, reject) => {
      followTasks(resolve).catch(reject);
      void followFolders(project, stop, tell);
    }));

  return {
    async now() {
      await begin();
      return last!;
    },
    lines,
    listen(listener) {
      listeners.add(listener);
      void begin().catch(() => {});
      return () => listeners.delete(listener);
    },
  };
}

/** A look around stands in for what no watch can see. */
const LOOK_MS = 5000;

/** What is beside the tasks: sessions, limits, books. */
async function followFolders(
  { cwd, environment }: ServedProject,
  stop: AbortSignal,
  tell: (change: ChangeTold) => void,
): Promise<void> {
  const state = projectState(cwd, environment);
  const watch = createFolderWatch();
  let isFirst = true;
  try {
    while (!stop.aborted) {
      const topics = topicsIn(state, cwd, environment);
      watch.keep(new Set(topics.keys()));
      await watch.change(LOOK_MS, stop);
      const moved = watch.take();
      // What is watched for the first time was no change.
      if (!isFirst)
        for (const { topic, id } of distinct([...moved].flatMap((folder) => topics.get(folder) ?? [])))
          tell({ topic, id });
      isFirst = false;
    }
  } finally {
    watch.close();
  }
}

interface Told {
  topic: Topic;
  id: string | null;
}

function topicsIn(state: string, cwd: string, environment: NodeJS.ProcessEnv): Map<string, Told> {
  const topics = new Map<string, Told>([
    [path.join(state, 'state'), { topic: 'sessions', id: null }],
    [path.join(state, 'distill'), { topic: 'distill', id: null }],
  ]);
  const limits = limitsFiles(environment);
  if (limits !== null) topics.set(limits.folder, { topic: 'budgets', id: null });
  for (const id of distillNames(cwd, environment))
    for (const part of ['.', 'state', 'turns', 'wishes'])
      topics.set(path.join(state, 'distill', id, part), { topic: 'distill', id });
  return topics;
}

const distinct = (all: readonly Told[]): Told[] => [
  ...new Map(all.map((each) => [`${each.topic} ${each.id}`, each])).values(),
];
